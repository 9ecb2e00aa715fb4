// bench/speed.h: how fast the simulator itself is.
#ifndef BENCH_SPEED_H
#define BENCH_SPEED_H

struct speed_options {
  const char *workloads; // a suite's file; its cases are run one after the other, on one thread
  const char *kernels;   // directory of the programs
  const char *simulator; // the program pulpsim: for start-up and memory
  const char *json;      // file to write, - for stdout; NULL: none
  unsigned runs;         // of which the median is reported
};

enum speed_end { SPEED_DONE, SPEED_FAILED, SPEED_BAD_FILE, SPEED_NO_OUTPUT };

// Prints the table. Unless done, a message says why.
enum speed_end bench_speed(const struct speed_options *options);

#endif
