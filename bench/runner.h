// bench/runner.h: executes the runs of a report, several at a time, each in a process of its own.
#ifndef BENCH_RUNNER_H
#define BENCH_RUNNER_H

#include "bench/report.h"

struct runner_options {
  const char *kernels; // directory of the programs, with their list
  const char *cache;   // directory of results, made if it is not there
  unsigned jobs;       // at a time
  unsigned seconds;    // of host time that a run may take
  bool fresh;          // ignore the cache's results (new ones are stored)
};

// Fills in the results. A run that fails, crashes or takes too long is marked; the others go on.
// False, with a sentence, when nothing could be run at all.
bool bench_runner(struct bench_report *report, const struct runner_options *options, char *error,
                  size_t error_size);

// The file of a run's program, in `kernels` or the chip's folder beside it.
void bench_program(const struct bench_run *run, const char *kernels, char *elf, size_t size);

#endif
