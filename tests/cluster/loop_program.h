// tests/cluster/loop_program.h: programs by chance of hardware loops that share their end.
//
// One body, about as long as a private instruction cache, is entered at different places and jumps
// back to different places, pass after pass, and not the same ones on all cores; in it there are
// accesses to L1, branches, divisions and often a loop of the other number. Each core goes through
// some passes, then waits for ever.
#ifndef PULPSIM_TESTS_LOOP_PROGRAM_H
#define PULPSIM_TESTS_LOOP_PROGRAM_H

#include <stdbool.h>

#include "guest.h"

// The same seed gives the same program on every host. `corev`: hardware loops as the CV32E40P
// encodes them, else as RI5CY. For at most `cores` cores. From seed LOOP_PROGRAM_AT_ONCE on the
// inner loop is set up by one instruction, and begins behind it.
enum { LOOP_PROGRAM_AT_ONCE = 1 << 16 };
void loop_program(struct guest *g, uint64_t seed, unsigned cores, bool corev);

#endif
