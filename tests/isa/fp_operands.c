// tests/isa/fp_operands.c: see fp_operands.h.

#include "fp_operands.h"

uint32_t fp_random_word(struct fp_random *r) {
  r->state ^= r->state << 13;
  r->state ^= r->state >> 7;
  r->state ^= r->state << 17;
  return (uint32_t)(r->state >> 16);
}

int fp_edges(const struct fp_oracle_format *f, uint32_t out[FP_EDGES]) {
  int M = f->man_bits;
  uint32_t one = ((1u << (f->exp_bits - 1)) - 1) << M, inf = ((1u << f->exp_bits) - 1) << M;
  uint32_t ulp_exp = (uint32_t)(M + 1) << M; // scales by 2^(M + 1)
  const uint32_t magnitudes[] = {
      0,
      1,
      2,
      3,
      (1u << M) - 1,
      1u << M,
      (1u << M) + 1,
      2u << M,
      (2u << M) - 1, // tiny
      one - ulp_exp - 1,
      one - ulp_exp,
      one - ulp_exp + 1,
      one - (1u << M), // half an ulp of 1
      one - 1,
      one,
      one + 1,
      one + (1u << (M - 1)),
      one + (1u << M),
      one + (1u << M) + 3,
      one + ulp_exp,
      one + ulp_exp - 1,
      one + ulp_exp + 1, // where integers end
      one + (15u << M) - 1,
      one + (15u << M), // around the int16 range
      inf - (1u << M),
      inf - 2,
      inf - 1,
      inf,
      inf + 1,
      inf | 1u << (M - 1),
      inf + (1u << M) - 1,
  };
  int n = 0;
  for (unsigned i = 0; i < sizeof magnitudes / sizeof *magnitudes; i++) {
    out[n++] = magnitudes[i];
    out[n++] = magnitudes[i] | 1u << (f->exp_bits + M);
  }
  return n;
}

uint32_t fp_random_operand(const struct fp_oracle_format *f, struct fp_random *r) {
  int M = f->man_bits, width = f->exp_bits + M + 1;
  uint32_t kind = fp_random_word(r) % 8, bits = fp_random_word(r);
  uint32_t man = fp_random_word(r) & ((1u << M) - 1), sign = bits & 1u << (width - 1);
  uint32_t exp = (1u << (f->exp_bits - 1)) - 1 - 6 + bits % 12;
  uint32_t noise = width < 32 ? fp_random_word(r) << (width % 32) : 0;
  uint32_t edges[FP_EDGES];
  switch (kind) {
  case 0:
    return edges[fp_random_word(r) % (uint32_t)fp_edges(f, edges)] | noise;
  case 1:
  case 2:
    return bits;
  case 3:
    man = (1u << (bits % (uint32_t)M)) & ((1u << M) - 1);
    break;
  case 4:
    man = ((1u << M) - 1) & ~(1u << (bits >> 8) % (uint32_t)M);
    break;
  default:
    break;
  }
  return sign | exp << M | man | noise;
}
