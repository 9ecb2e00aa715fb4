// tests/timing/float_program.h: programs by chance of floats and of accesses that move their
// pointers, as a compiler might emit them.
//
// Sums, products, divisions and roots with few registers in all rounding modes, among integer
// instructions, loads and stores with increments, branches and jumps forward, calls through
// registers, hardware loops and accesses to CSRs. Accesses stay within a word, and there are no
// high products: what RI5CY does with these beside a float result that comes late is in
// docs/timing.md. No datum is the greatest subnormal number: FPnew raises underflow by the rounded
// result. Every program ends.
#ifndef TESTS_FLOAT_PROGRAM_H
#define TESTS_FLOAT_PROGRAM_H

#include "random_program.h"

// The same description gives the same bytes on every host; of `what` the flavour does not count.
void float_program(const struct random_program *what, uint8_t image[RANDOM_PROGRAM_SIZE]);

// Its code alone, to run anywhere; it ends behind its last word. Of the 4 KiB at `data` it reads
// and writes most. Returns its size in bytes.
uint32_t float_program_code(const struct random_program *what, uint32_t data,
                            uint8_t code[RANDOM_PROGRAM_SIZE]);

#endif
