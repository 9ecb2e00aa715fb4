// sim/observe/check.h: mistakes with memory that a program gets away with, found while it runs.
//
//   misaligned     an access that crosses a word: it costs a second one
//   out-of-bounds  L1 between the data and the stacks, L2 behind the program, or a store into code
//   never-written  a load of bytes that neither a core nor the DMA has written (exempt are bytes
//                  that are not 0: the host wrote them)
//   stack          a core's stack pointer below its stack
//   race           two cores, one of them writing something new, and no wait for an event between;
//                  a core and a transfer of the DMA that has not ended
//
// Each is reported once per instruction. What the program's layout is, its linker script says by
// the symbols of kernels/rt/link.ld: __l1_base, __l1_end, __stack_top, __stack_size.
#ifndef PULPSIM_CHECK_H
#define PULPSIM_CHECK_H

#include <stddef.h>

#include "sim/pulpsim.h"

struct check;

// Observes `sim`, which has its program loaded and has not run. NULL on failure, with a sentence.
struct check *check_new(struct pulpsim *sim, struct pulpsim_error *error);
void check_free(struct check *check);

// Prints findings and how much of L1 and of the stacks was used. Returns the number of findings.
unsigned check_report(struct check *check, FILE *out);

// How many of the findings no program may have: out-of-bounds, stack, race. The first as a line,
// cut to fit; "" if there is none.
unsigned check_faults(struct check *check, char *text, size_t size);

#endif
