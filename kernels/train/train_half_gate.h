// kernels/train/train_half_gate.h: ReLU of elements of 16 bits in L1 and its gradient, in place,
// and sums, by the calling core; two at a time. As in train_gate.h.
#ifndef TRAIN_HALF_GATE_H
#define TRAIN_HALF_GATE_H

#include "kernels/train/train_typed.h"

typedef uint32_t __attribute__((may_alias)) train_two;

// `words` pairs. x = x > 0 ? x : +0;  x = out > 0 ? x : +0.
void train_half_relu(void *x, uint32_t words);
void train_half_gate(void *x, const void *out, uint32_t words);

// 1, twice.
TRAIN_TYPED float train_half_ones(enum train_type t) {
  union {
    uint32_t bits;
    float pair;
  } ones = {t == TRAIN_FP16 ? 0x3c003c00u : 0x3f803f80u};
  __asm__("" : "+r"(ones.bits)); // a constant would come from L2
  return ones.pair;
}

// Of `words` pairs: two sums, of every other pair, added.
TRAIN_TYPED float train_half_sum(const void *x, uint32_t words, enum train_type t) {
  float even = 0, odd = 0, ones = train_half_ones(t);
  const train_pair *at = x;
  for (const train_pair *end = at + (words & ~1u); at < end; at += 2) {
    float a = at[0], b = at[1];
    even = train_mac2(even, a, ones, t);
    odd = train_mac2(odd, b, ones, t);
  }
  if (words & 1)
    even = train_mac2(even, at[0], ones, t);
  return even + odd;
}

// f(..., type) by a constant type.
#define TRAIN_BY_HALF(type, f, ...)                                                                \
  ((type) == TRAIN_FP16 ? f(__VA_ARGS__, TRAIN_FP16) : f(__VA_ARGS__, TRAIN_BF16))

#endif
