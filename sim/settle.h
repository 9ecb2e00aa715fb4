// sim/settle.h: where a run ends, exactly.
//
// The cores of the fast engine run ahead of each other between accesses to what they share. When
// one of them ends the run, others may have counted cycles that never came. Then the machine starts
// over, without being heard, and the plain engine, in which nobody is ahead, computes the last
// cycles. Where it is known in advance in which cycle the run pauses, it does so at once.
#ifndef PULPSIM_SETTLE_H
#define PULPSIM_SETTLE_H

#include "sim/machine.h"

// Behind a run: sees to it that its end, if it has come, is exact.
void settle(struct pulpsim *sim);

// In front of a run: it will pause in cycle `until`, exactly.
void settle_approach(struct pulpsim *sim, cycle_t until);

// In front of a run: it goes on from such a pause.
void settle_leave(struct pulpsim *sim);

// Whether what has been counted is what the plain engine counts up to a pause behind so many
// cycles.
bool settle_in_step(const struct pulpsim *sim, cycle_t cycles);

// Whether core `c` has ended, never started, or sleeps until somebody wakes it.
bool settle_rests(const struct core *c);

#endif
