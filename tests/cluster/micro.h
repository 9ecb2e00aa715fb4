// tests/cluster/micro.h: small measurements on the cluster, printed as the tables of
// docs/timing-cluster.md.
#ifndef PULPSIM_TESTS_MICRO_H
#define PULPSIM_TESTS_MICRO_H

#include "guest.h"

// The program under construction.
extern struct guest micro;

// Adds a line to the page.
void micro_row(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Runs the program on cluster-rtl with these settings. The machine is kept until the next run.
void micro_run(unsigned cores, const char *settings);
// Cycles between the first two markers of a core, less the marker itself, in the last run.
uint64_t micro_cycles(unsigned core);
// Runs the program on pulp-open; returns the cycles that core 0 waited for L2.
uint64_t micro_l2_wait(const char *settings);
// Cycles from marker `index` of core 0 to the next, less the marker itself.
uint64_t micro_between(unsigned index);
// The most of all cores.
uint64_t micro_slowest(unsigned cores);

// Load with post-increment.
void micro_walk(int rd, int rs1, int step);

// ---- the tables

void micro_barrier(void);
void micro_fork(void);
void micro_conflicts(void);
void micro_fpu(void);
void micro_dma(void);
void micro_l2(void);
void micro_icache(void);

#endif
