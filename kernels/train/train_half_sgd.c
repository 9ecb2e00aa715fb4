// kernels/train/train_half_sgd.c: what train_half_sgd.S computes, in C.
#include "train_half_sgd.h"

#ifndef __riscv

#include "train_typed.h"

TRAIN_TYPED void step(float *out, const float *w, const void *grad, void *half, uint32_t count,
                      float factor, enum train_type t) {
  for (uint32_t i = 0; i < count; i++) {
    out[i] = __builtin_fmaf(factor, train_get(grad, i, t), w[i]);
    train_put(half, i, out[i], t);
  }
}

void train_half_sgd_h(float *out, const float *w, const void *grad, void *half, uint32_t pairs,
                      const float *factor) {
  step(out, w, grad, half, 2 * pairs, *factor, TRAIN_FP16);
}
void train_half_sgd_ah(float *out, const float *w, const void *grad, void *half, uint32_t pairs,
                       const float *factor) {
  step(out, w, grad, half, 2 * pairs, *factor, TRAIN_BF16);
}

TRAIN_TYPED void add_zeros(float *sum, const uint16_t *x, uint32_t count, enum train_type t) {
  for (uint32_t i = 0; i < count; i += 2)
    *sum = train_mac2(*sum, train_get2_any(x + i), 0, t);
}

void train_half_zero_h(float *sum, const void *x, uint32_t pairs) {
  add_zeros(sum, x, 2 * pairs, TRAIN_FP16);
}
void train_half_zero_ah(float *sum, const void *x, uint32_t pairs) {
  add_zeros(sum, x, 2 * pairs, TRAIN_BF16);
}

#endif
