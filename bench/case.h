// bench/case.h: one run of one program on one machine, and what it reached.
#ifndef BENCH_CASE_H
#define BENCH_CASE_H

#include "bench/suite.h"
#include "sim/pulpsim.h"

// What to run.
struct bench_job {
  const char *elf, *machine;
  const char *network, *deploy; // of pulpsim-deploy, instead of `elf`: network.h; "" if none
  const char *region; // reported; NULL or "": the first with declared MACs, else the whole run
  unsigned cores;
  const struct bench_pair *set, *data;
  size_t set_count, data_count;
  uint64_t max_cycles;
  unsigned seconds; // of host time, for a network
};

// What of the machine bounds the speed of a kernel.
struct bench_machine {
  unsigned cores, banks;
  unsigned fpus;       // among all cores; 0: none
  unsigned port_bytes; // per cycle, between L1 and L2
  bool xpulpnn;        // dot products of 4- and 2-bit elements
};

struct bench_result {
  bool ok;                   // ended by itself with status 0
  char region[48];           // the region reported
  uint64_t cycles;           // of the region
  uint64_t useful_macs;      // by the shapes, all entries; 0: not declared
  uint64_t entries;          // of the region
  uint64_t bytes;            // of code and constants in the program's file
  struct pulpsim_counts sum; // over the cores, within the region
  uint64_t instructions;     // of the whole run, all cores
  uint64_t run_cycles;       // of the whole run
  double seconds;            // of host time for the whole run
  struct bench_machine machine;
  char message[1024]; // if not ok: why, and the end of what the program printed
};

struct bench_machine bench_machine_of(const struct pulpsim_config *config);

void bench_case_run(struct bench_result *result, const struct bench_job *job);

// The configuration alone.
struct pulpsim_config *bench_case_config(const struct bench_job *job, struct pulpsim_error *error);

// Of code, constants and initialized data that a program's file brings; 0: it cannot be read.
uint64_t bench_elf_bytes(const char *path);

// Host time, for differences.
double bench_seconds(void);

#endif
