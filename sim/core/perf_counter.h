// sim/core/perf_counter.h: the performance counters that programs read. They give the same figures
// as the report, because they are made from the same counts.
//
// CV32E40P: mcycle, minstret, mhpmcounter3 with mhpmevent3, mcountinhibit (user manual v1.8,
// "Performance Counters"). RI5CY: PCCR0..16 with PCER and PCMR (user manual rev. 4, chapter 10). A
// counter that is read shows the instructions in front of the reading one; switching on
// or off, or writing a counter, acts behind the writing instruction.
#ifndef PULPSIM_PERF_COUNTER_H
#define PULPSIM_PERF_COUNTER_H

#include "core/core.h"

enum { PERF_CYCLE = 0, PERF_INSTRET = 2, PERF_HPM3 = 3, PERF_PCCR = 17 };

// Value of counter `i` for the instruction in EX in cycle `t`.
uint64_t perf_read(struct core *c, unsigned i, cycle_t t);

void perf_write(struct core *c, unsigned i, uint64_t value, cycle_t t);

// Brings the counters up to date before what they count changes, and starts those that run then
// (mcountinhibit, mhpmevent, PCER, PCMR hold the new values already).
void perf_stop(struct core *c, cycle_t t);
void perf_restart(struct core *c, cycle_t t);

// Float instructions in front of the one in EX (for mstatus.FS).
uint64_t perf_floats(struct core *c);

#endif
