// sim/core/perf_counter.h: the performance counters that programs read. They give the same figures
// as the report, because they are made from the same counts.
//
// CV32E40P: mcycle, minstret, mhpmcounter3 with mhpmevent3, mcountinhibit (user manual v1.8,
// "Performance Counters"). RI5CY: PCCR0..16 with PCER and PCMR (user manual rev. 4, chapter 10;
// riscv_cs_registers.sv: what an event is, and that it is counted through a register). A counter
// that is read shows the cycles before that in which the reading instruction leaves ID. Writing one
// acts behind that cycle, switching on or off on RI5CY one cycle later.
#ifndef PULPSIM_PERF_COUNTER_H
#define PULPSIM_PERF_COUNTER_H

#include "core/core.h"

enum { PERF_INSTRET = 2, PERF_HPM3 = 3, PERF_CV32E40P = 0xd }; // the latter: all, by bit
enum { PERF_PCCR = 17, PERF_PCCR0 = 0x780, PERF_ALL = 31, PERF_NONE };

// Value of counter `i` for the instruction in EX in cycle `t`.
uint64_t perf_read(struct core *c, unsigned i, cycle_t t);
void perf_write(struct core *c, unsigned i, uint64_t value, cycle_t t);

// mcountinhibit, mhpmevent, PCER, PCMR hold new values.
void perf_select(struct core *c, cycle_t t);

// RI5CY: the instruction that leaves ID accesses CSR `number`. If that is a counter, it writes it
// back as it is read, or as it says: the counter misses what comes in this cycle (not that of
// cycles, which programs take for the time).
void perf_access(struct core *c, unsigned number);

// Before the edge of cycle `now`, up to core.csr.settled: what is due.
void perf_settle(struct core *c, cycle_t now);

// Float instructions in front of the one in EX (for mstatus.FS).
uint64_t perf_floats(struct core *c);

#endif
