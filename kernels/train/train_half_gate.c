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

#endif
