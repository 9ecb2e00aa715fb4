// kernels/train/train_half_gate.h: ReLU of elements of 16 bits in L1 and its gradient, in place,
// and sums, by the calling core; two at a time. As in train_gate.h.
#ifndef TRAIN_HALF_GATE_H
#define TRAIN_HALF_GATE_H

#include "kernels/train/train_typed.h"

typedef uint32_t __attribute__((may_alias)) train_two;

// `words` pairs. x = x > 0 ? x : +0;  x = out > 0 ? x : +0;  x = out > 0 ? pair : +0.
void train_half_relu(void *x, uint32_t words);
void train_half_gate(void *x, const void *out, uint32_t words);
void train_half_mask(void *x, const void *out, uint32_t pair, uint32_t words);

// Of `words` pairs: two sums, of every other pair, added. `_h`: binary16, `_ah`: bfloat16.
float train_half_sum_h(const void *x, uint32_t words);
float train_half_sum_ah(const void *x, uint32_t words);
TRAIN_TYPED float train_half_sum(const void *x, uint32_t words, enum train_type t) {
  return (t == TRAIN_FP16 ? train_half_sum_h : train_half_sum_ah)(x, words);
}

// f(..., type) by a constant type.
#define TRAIN_BY_HALF(type, f, ...)                                                                \
  ((type) == TRAIN_FP16 ? f(__VA_ARGS__, TRAIN_FP16) : f(__VA_ARGS__, TRAIN_BF16))

#endif
