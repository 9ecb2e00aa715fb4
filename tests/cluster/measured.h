// tests/cluster/measured.h: programs that ran on the cluster's RTL, and the markers they left.
//
// tests/data/cluster/programs.bin.gz holds the programs' segments, tests/data/cluster/cases.tsv.gz
// the runs: which program, on which machine, and per core the markers as [value, cycle,
// instructions], counted from the earliest first marker and from the core's own.
#ifndef PULPSIM_TESTS_MEASURED_H
#define PULPSIM_TESTS_MEASURED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MEASURED_FIELDS = 10 };

// One run; all strings.
struct measured_case {
  const char *group, *program, *cores, *arbiter, *instruction_memory, *refill_latency, *l2_latency,
      *dma_latency, *max_cycles, *marks;
};

struct measured {
  char *programs; // contents of the two files
  size_t programs_size;
  char *cases;
  struct measured_case *item;
  size_t count;
};

// Reads both files; fails the running test if they are not there.
void measured_open(struct measured *m);
void measured_close(struct measured *m);

struct measured_run {
  bool plain;       // --engine plain
  uint64_t shuffle; // seed of the order of equal times; 0: the written order
};

// Runs a case; returns the markers as in the table (to be freed), or a sentence that says what
// went wrong.
char *measured_run(const struct measured *m, const struct measured_case *c,
                   const struct measured_run *run);

#endif
