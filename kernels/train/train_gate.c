// kernels/train/train_gate.c: what train_gate.S computes, in C.
#include "train_gate.h"

#ifndef __riscv

typedef int32_t __attribute__((may_alias)) bits;

static void *row_of(const void *x, uint32_t row, uint32_t step) {
  return (char *)(uintptr_t)x + (uintptr_t)row * step;
}

void train_gate_relu(float *x, uint32_t rows, uint32_t columns, uint32_t step) {
  for (uint32_t i = 0; i < rows; i++) {
    bits *at = row_of(x, i, step);
    for (uint32_t j = 0; j < columns; j++)
      at[j] = at[j] > 0 ? at[j] : 0;
  }
}

void train_gate_grad(float *x, const float *out, uint32_t rows, uint32_t columns, uint32_t step) {
  for (uint32_t i = 0; i < rows; i++) {
    bits *at = row_of(x, i, step);
    const bits *gate = row_of(out, i, step);
    for (uint32_t j = 0; j < columns; j++)
      at[j] = gate[j] > 0 ? at[j] : 0;
  }
}

void train_gate_bias(float *x, const float *bias, uint32_t rows, uint32_t columns, uint32_t step) {
  for (uint32_t i = 0; i < rows; i++) {
    float *at = row_of(x, i, step);
    for (uint32_t j = 0; j < columns; j++)
      at[j] += bias[i];
  }
}

void train_gate_mask(float *x, const float *out, float value, uint32_t count) {
  const bits *gate = (const bits *)(const void *)out;
  for (uint32_t i = 0; i < count; i++)
    x[i] = gate[i] > 0 ? value : 0;
}

#endif
