// deploy/cli/root.h: where the kernels' sources and libraries are unless --kernels says it.
#ifndef ROOT_H
#define ROOT_H

#include <stdbool.h>
#include <stddef.h>

// "." in this project's folder; else the folder found from this program's own path; else ".".
// Lasts as long as the process.
const char *root_default(void);

// The nearest folder above the absolute path `program` that is the project's (build/NAME,
// build/sanitize/NAME), or into which `make install` has put the kernels (PREFIX/bin/NAME:
// PREFIX/lib/pulpsim): into `place`. False if there is none.
bool root_above(const char *program, char *place, size_t size);

#endif
