// sim/piped_file.h: a file that comes through a pipe.
#ifndef PULPSIM_PIPED_FILE_H
#define PULPSIM_PIPED_FILE_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>

// "-" (stdin), /dev/stdin and /dev/fd/N, a shell's <(command), are read to their end and kept.
// Returns the path under which such a file can be opened any number of times, any other path as it
// is; NULL with errno on failure, as when there is more than a gigabyte. A stdin that was read is
// at its end.
const char *piped_file(const char *path);

// Opens it for reading; *path becomes what piped_file() returns. NULL: it is none, and *why says so
// in half a sentence.
FILE *piped_file_open(const char **path, const char **why);

// Why there is no file to be read where stat() says this; NULL: there is.
const char *piped_file_refusal(const struct stat *status);

// Whether the path that it returned is one of those: nothing lies beside such a file.
bool piped_file_is(const char *path);

#endif
