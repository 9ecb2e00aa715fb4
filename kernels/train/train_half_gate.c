// kernels/train/train_half_gate.c: what train_half_gate.S computes, in C.
#include "train_half_gate.h"

#ifndef __riscv

void train_half_relu(void *x, uint32_t words) {
  train_two *at = x;
  for (uint32_t i = 0; i < words; i++)
    at[i] = (uint32_t)pv_max_sci_h(at[i], 0);
}

void train_half_gate(void *x, const void *out, uint32_t words) {
  train_two *at = x;
  const train_two *gate = out;
  for (uint32_t i = 0; i < words; i++)
    at[i] &= (uint32_t)pv_cmpgt_sci_h(gate[i], 0);
}

void train_half_mask(void *x, const void *out, uint32_t pair, uint32_t words) {
  train_two *at = x;
  const train_two *gate = out;
  for (uint32_t i = 0; i < words; i++)
    at[i] = pair & (uint32_t)pv_cmpgt_sci_h(gate[i], 0);
}

TRAIN_TYPED float sum_of(const void *x, uint32_t words, uint32_t one, enum train_type t) {
  const union {
    uint32_t bits;
    float pair;
  } ones = {one << 16 | one};
  const train_pair *at = x;
  float sum[2] = {0, 0};
  for (uint32_t i = 0; i < words; i++)
    sum[i % 2] = train_mac2(sum[i % 2], at[i], ones.pair, t);
  return sum[0] + sum[1];
}

float train_half_sum_h(const void *x, uint32_t words) {
  return sum_of(x, words, 0x3c00, TRAIN_FP16);
}
float train_half_sum_ah(const void *x, uint32_t words) {
  return sum_of(x, words, 0x3f80, TRAIN_BF16);
}

#endif
