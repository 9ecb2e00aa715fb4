// sim/results.h: the results that a command line asks for, before they are there.
#ifndef PULPSIM_RESULTS_H
#define PULPSIM_RESULTS_H

#include <stdbool.h>
#include <stddef.h>

// Whether a file of results (result_file.h) can be written; else errno. Leaves everything as it is.
bool result_possible(const char *path);

struct result_name {
  const char *option, *path; // NULL: not given
  bool printed;              // not by result_file_open(): the program prints it
};

// Of the results that a command line asks for one may be "-". result_file_open() writes that to
// stdout; what else the program prints goes to stderr from now on. 0, or with a sentence the
// program's status: EX_USAGE, EX_CANTCREAT.
int result_stdout_take(const struct result_name *names, size_t count, char *text, size_t size);

// The same, where all of them can be written: before the work.
int results_check(const struct result_name *names, size_t count, char *text, size_t size);

// stdout as it was: once, for result_file_open(). -1: nobody has taken it.
int result_stdout_give(const char *path);

#endif
