// tests/cluster/whole_program.h: programs for a whole cluster of RI5CY cores, on its RTL too.
//
// They need nothing of a test bench but L2 behind the cluster: cores of a cluster without secure
// mode take their vectors from the control unit, the caches are switched on, and all meet, before
// the program proper begins. A seed divisible by 4 gives traffic: core 0 starts DMA transfers of
// any shape while the others load from L2 and store to it, and into L1, in loops; any other gives
// what mixed_program.h does. They end with a store of 0x80000000 to 0x1a10_40a0.
#ifndef PULPSIM_TESTS_WHOLE_PROGRAM_H
#define PULPSIM_TESTS_WHOLE_PROGRAM_H

#include "fetch_program.h"

enum { WHOLE_CORES = 8, WHOLE_L1 = 1 << 16, WHOLE_L2 = 1 << 19 };

// The same seed gives the same program on every host. From seed WHOLE_PROGRAM_ALONE on they are for
// one core, from WHOLE_PROGRAM_FLOATS on they have floats, too (of the integer registers), and from
// WHOLE_PROGRAM_CACHES on they flush caches and switch the prefetchers.
#define WHOLE_PROGRAM_ALONE  (UINT64_C(1) << 32)
#define WHOLE_PROGRAM_FLOATS (UINT64_C(2) << 32)
#define WHOLE_PROGRAM_CACHES (UINT64_C(3) << 32)
void whole_program(struct guest *g, uint64_t seed);

// Whether the RTL's trace has an instruction of that encoding (isa/isa.h): what empties the
// pipeline does not leave ID there.
bool whole_traced(unsigned encoding);

// Of memory's contents.
uint64_t whole_hash(const uint32_t *word, unsigned words);

#endif
