// tests/cluster/access_program.h: programs by chance whose time is that of their accesses, and of
// what comes right behind them.
//
// All cores go through the same lines of 16- and 32-bit instructions a few times: loads and stores
// of any size, aligned or not, to few words of L1 (or to L2), jumps by a register just loaded,
// branches on what was loaded, fences, divisions, hardware loops. Region 1 is all of it. A barrier
// of the test device, and the end.
#ifndef PULPSIM_TESTS_ACCESS_PROGRAM_H
#define PULPSIM_TESTS_ACCESS_PROGRAM_H

#include <stdbool.h>

#include "guest.h"

// The same seed gives the same program on every host. `corev`: hardware loops as the CV32E40P
// encodes them, else as RI5CY. From seed ACCESS_PROGRAM_LOOPS on, hardware
// loops may be of two instructions, and hold slow ones; the load of a jump's register may be the
// last of one.
enum { ACCESS_PROGRAM_LOOPS = 1 << 16 };
void access_program(struct guest *g, uint64_t seed, bool corev);

#endif
