// kernels/train/train_conv_one.c: what the assembly computes, in C.
#include "train_conv_one.h"

#include <stddef.h>

#ifndef __riscv

static const float *at(const float *base, size_t offset) {
  return (const float *)(const void *)((const char *)base + offset);
}

static float *to(float *base, size_t offset) {
  return (float *)(void *)((char *)base + offset);
}

void train_conv_one_fw(const struct train_conv_one_fw *b) {
  for (size_t n = 0; n < (size_t)b->blocks * 16; n++) {
    size_t block = n / 16, u = n / 4 % 4, v = n % 4;
    float *out = to(b->out, block * b->out_next + u * b->out_step) + v;
    const float *w = at(b->w, u * b->w_step), *x = at(b->x, block * b->next) + 2 * v;
    float sum = b->add ? *out : 0;
    for (size_t c = 0; c < (size_t)b->fours * 4; c++, x = at(x, b->plane))
      sum = __builtin_fmaf(w[c], *x, sum);
    *out = sum;
  }
}

static void gradient(const struct train_conv_one_wg *b, uint32_t rows, uint32_t gap) {
  uint32_t four = rows * (b->fours * b->step + gap) + b->next; // channels on
  for (uint32_t n = 0; n < b->blocks * 16; n++) {
    uint32_t c = n / 4, u = n % 4, x = c / 4 * four + c % 4 * b->plane;
    float *dw = to(b->dw, u * (size_t)b->dw_step) + c;
    const float *dy = at(b->dy, u * (size_t)b->dy_step);
    float sum = b->add ? *dw : 0;
    for (uint32_t i = 0; i < rows * b->fours; i++) {
      for (uint32_t v = 0; v < 4; v++)
        sum = __builtin_fmaf(*dy++, at(b->x, x)[2 * v], sum);
      x += b->step + (i % b->fours + 1 == b->fours ? gap : 0);
    }
    *dw = sum;
  }
}

void train_conv_one_wg(const struct train_conv_one_wg *b) {
  gradient(b, b->rows, b->gap);
}

void train_conv_one_wg_4(const struct train_conv_one_wg *b) {
  gradient(b, 1, 0);
}

#endif
