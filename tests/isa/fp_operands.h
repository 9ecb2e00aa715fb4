// tests/isa/fp_operands.h: operands worth trying, and a seeded source of random ones.
#ifndef TESTS_FP_OPERANDS_H
#define TESTS_FP_OPERANDS_H

#include <stdint.h>

#include "fp_oracle.h"

// xorshift64: the same operands on every host and run.
struct fp_random {
  uint64_t state; // not 0
};
uint32_t fp_random_word(struct fp_random *r);

// Fills `out` with the format's edges: zeros, subnormals, neighbours of powers of two, the ends of
// the range, infinities, NaNs of both kinds and signs. Returns their number.
enum { FP_EDGES = 64 };
int fp_edges(const struct fp_oracle_format *f, uint32_t out[FP_EDGES]);

// A number of the format: an edge, any bits, or one near 1 with few or many bits set. The bits
// above a 16-bit number are noise.
uint32_t fp_random_operand(const struct fp_oracle_format *f, struct fp_random *r);

#endif
