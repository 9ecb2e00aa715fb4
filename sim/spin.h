// sim/spin.h: whether a program goes round and round for good: every core has ended, sleeps, or is
// in a loop without an exit that changes nothing, and nobody else will change what it reads.
//
// It is looked for from the cycles SPIN_FIRST, 2 SPIN_FIRST, 4 SPIN_FIRST and so on. A core can be
// judged in cycles in which it is known what it does next, so up to SPIN_TRIES cycles are looked
// at; what has been found of one core holds until the last one's, as long as nobody stores. A loop
// is one for good if from where a core is its next instructions, carried out on a copy of its
// registers, come back to the same place with the same registers, and neither store nor look at
// anything but memory.
#ifndef PULPSIM_SPIN_H
#define PULPSIM_SPIN_H

#include "sim/machine.h"

enum { SPIN_FIRST = 1 << 20, SPIN_TRIES = 256 };

// In front of a part of a run: where it ends, `until` or before.
cycle_t spin_approach(const struct pulpsim *sim, cycle_t until);

// Behind it: if it is time to look, the cores that spin, a bit each, if no other core will go on.
// 0: the program gets further, or nobody knows.
uint32_t spin_look(struct pulpsim *sim);

#endif
