// deploy/cli/root.h: where the kernels' sources and libraries are unless --kernels says it.
#ifndef ROOT_H
#define ROOT_H

// "." in this project's folder; else what `make install` put beside the program, if it is there.
// Lasts as long as the process.
const char *root_default(void);

#endif
