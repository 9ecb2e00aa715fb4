// sim/run_end.h: where a run ends, exactly.
//
// The cores of the fast engine run ahead of each other between accesses to what they share. When
// one of them ends the run, others may have counted cycles that never came. Then the machine starts
// over, without being heard, and the plain engine, in which nobody is ahead, computes the last
// cycles. Where it is known in advance in which cycle the run pauses, it does so at once.
#ifndef PULPSIM_RUN_END_H
#define PULPSIM_RUN_END_H

#include "sim/machine.h"

// Behind a run: sees to it that its end, if it has come, is exact.
void run_end_find(struct pulpsim *sim);

// In front of a run: it will pause in cycle `until`, exactly.
void run_end_approach(struct pulpsim *sim, cycle_t until);

// In front of a run: it goes on from such a pause.
void run_end_leave(struct pulpsim *sim);

// Whether what has been counted is what the plain engine counts up to a pause behind so many
// cycles.
bool run_end_in_step(const struct pulpsim *sim, cycle_t cycles);

// Whether core `c` has ended, never started, or sleeps until somebody wakes it.
bool run_end_rests(const struct core *c);

#endif
