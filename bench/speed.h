// bench/speed.h: how fast the simulator itself is.
#ifndef BENCH_SPEED_H
#define BENCH_SPEED_H

#include <stdbool.h>

struct speed_options {
  const char *workloads; // a suite's file; its cases are run one after the other, on one thread
  const char *kernels;   // directory of the programs
  const char *simulator; // the program pulpsim: for start-up and memory
  const char *json;      // file to write; NULL: none
  unsigned runs;         // of which the median is reported
};

// Prints the table. False when something failed; a message says what.
bool bench_speed(const struct speed_options *options);

#endif
