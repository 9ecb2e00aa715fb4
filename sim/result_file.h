// sim/result_file.h: a file of results: until a new one is whole, an older one of that name stays.
//
// What is written goes to a file beside it, PATH.N.part, that takes its place in the end. Not so
// where the path is no plain file, such as /dev/stdout, or the directory cannot be written, but the
// file can: that is written at once. So is "-", if result_stdout_take() has been asked for it.
#ifndef PULPSIM_RESULT_FILE_H
#define PULPSIM_RESULT_FILE_H

#include <stdbool.h>
#include <stdio.h>

struct result_file {
  FILE *file;
  char *path, *part; // NULL: it is written at once
};

// NULL with errno on failure.
FILE *result_file_open(struct result_file *r, const char *path);

// `whole`: all of it has been written; otherwise it is removed, the older one stays, and errno too.
// Returns whether the result is there: if not, and it was whole, errno says why. Accepts one that
// is not open.
bool result_file_close(struct result_file *r, bool whole);

#endif
