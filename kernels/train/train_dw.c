// kernels/train/train_dw.c: what the planes compute, in C.
#include "train_dw.h"

#ifndef __riscv

#include <stddef.h>

static const float *row_of(const struct train_dw *p, size_t y) {
  return (const float *)(const void *)((const char *)p->x + y * p->pitch);
}

static void forward(const struct train_dw *p, int back) {
  for (size_t y = 0; y < p->h_out; y++) {
    for (size_t x = 0; x < p->w_out; x++) {
      float sum = p->w[back ? 8 : 0] * row_of(p, y)[x];
      for (size_t i = 1; i < 9; i++)
        sum = __builtin_fmaf(p->w[back ? 8 - i : i], row_of(p, y + i / 3)[x + i % 3], sum);
      p->y[y * p->w_out + x] = sum;
    }
  }
}

void train_dw_fw(const struct train_dw *p) {
  forward(p, 0);
}

void train_dw_back(const struct train_dw *p) {
  forward(p, 1);
}

void train_dw_wg(const struct train_dw *p) {
  for (size_t i = 0; i < 9; i++) {
    float sum = p->w[i];
    for (size_t y = 0; y < p->h_out; y++) {
      for (size_t x = 0; x < p->w_out; x++)
        sum = __builtin_fmaf(row_of(p, y + i / 3)[x + i % 3], p->y[y * p->w_out + x], sum);
    }
    p->w[i] = sum;
  }
}

#endif
