// bench/list.h: the list of programs to run, kernels/bench/list.txt.
//
// One program a line: its name, its source, the machine, the numbers of cores separated by commas,
// defines. `#` starts a comment.
#ifndef BENCH_LIST_H
#define BENCH_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct bench_program {
  char name[64];
  char machine[64];
  unsigned core_count[8];
  unsigned core_counts; // how many numbers of cores
};

struct bench_list {
  struct bench_program *program;
  size_t count;
};

// Returns false with one sentence in `error`. The list is to be freed either way.
bool bench_list_read(struct bench_list *list, const char *path, char *error, size_t error_size);
void bench_list_free(struct bench_list *list);

// Says of `path`, in a folder of programs, why it cannot be opened (errno), and what makes it.
void bench_list_missing(const char *path, char *text, size_t size);

#endif
