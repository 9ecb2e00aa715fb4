// kernels/train/train_dw_low.c: what train_dw_low.S computes, in C.
#include "train_dw_low.h"

#include "kernels/rt/rt.h"

#ifndef __riscv

#include <stdbool.h>

typedef int32_t __attribute__((may_alias)) bits;

static bool above(const float *x, int32_t floor) {
  return *(const bits *)x > floor;
}

static float sum_at(const struct train_dw_low_fw *p, uint32_t rows, uint32_t y, uint32_t x) {
  float sum = *p->bias;
  for (uint32_t j = 0; j < 3; j++) {
    for (uint32_t i = 0; i < 3; i++) {
      if (y + i >= 1 && y + i <= rows && x + j >= 1 && x + j <= p->columns)
        sum = __builtin_fmaf(p->w[3 * i + j], p->x[(y + i - 1) * p->columns + x + j - 1], sum);
    }
  }
  return sum;
}

static void forward(const struct train_dw_low_fw *p, uint32_t rows) {
  for (uint32_t y = 0; y < rows; y++) {
    for (uint32_t x = 0; x < p->columns; x++) {
      float sum = sum_at(p, rows, y, x);
      bits *to = (bits *)p->y + y * p->columns + x;
      *to = above(&sum, p->floor) ? *(const bits *)&sum : p->floor;
    }
  }
}

static void turn(const struct train_dw_low_both *p, uint32_t rows) {
  for (uint32_t y = 0; y < rows; y++) {
    for (uint32_t x = 0; x < p->columns; x++) {
      uint32_t at = y * p->columns + x;
      p->turned[(x + 1) * rows + y] = above(p->out + at, p->floor) ? p->out_grad[at] : 0;
    }
  }
}

// The gradient that the element (y, x) sees through w[i][j].
static float seen(const struct train_dw_low_both *p, uint32_t rows, uint32_t y, uint32_t x,
                  uint32_t tap) {
  return p->turned[(x + 2 - tap % 3) * rows + y + 1 - tap / 3];
}

// Whether it has such a row.
static bool inside(uint32_t rows, uint32_t y, uint32_t tap) {
  return y + 1 >= tap / 3 && y + 1 - tap / 3 < rows;
}

static void input_gradient(const struct train_dw_low_both *p, uint32_t rows) {
  for (uint32_t y = 0; y < rows; y++) {
    for (uint32_t x = 0; x < p->columns; x++) {
      float sum = -0.0F; // the first product is not added to anything
      for (uint32_t i = 9; i-- > 0;) {
        if (inside(rows, y, i))
          sum = __builtin_fmaf(p->w[i], seen(p, rows, y, x, i), sum);
      }
      uint32_t at = y * p->columns + x;
      p->in_grad[at] = above(p->in + at, 0) ? sum : 0;
    }
  }
}

static float weight_sum(const struct train_dw_low_both *p, uint32_t rows, uint32_t tap) {
  float sum = 0;
  for (uint32_t x = 0; x < p->columns; x++) {
    for (uint32_t y = 0; y < rows; y++) {
      if (inside(rows, y, tap))
        sum = __builtin_fmaf(p->in[y * p->columns + x], seen(p, rows, y, x, tap), sum);
    }
  }
  return sum;
}

static void both(const struct train_dw_low_both *p, uint32_t rows) {
  turn(p, rows);
  input_gradient(p, rows);
  for (uint32_t i = 0; i < 9; i++) {
    float sum = weight_sum(p, rows, i);
    p->w_grad[i] = rt_float_bits(p->factor) ? __builtin_fmaf(p->factor, sum, p->w[i]) : sum;
  }
}

#define ROWS(H)                                                                                    \
  static void train_dw_low_fw_##H(const struct train_dw_low_fw *p) {                               \
    forward(p, H);                                                                                 \
  }                                                                                                \
  static void train_dw_low_both_##H(const struct train_dw_low_both *p) {                           \
    both(p, H);                                                                                    \
  }

#else

#define ROWS(H)                                                                                    \
  train_dw_low_fw_fn train_dw_low_fw_##H;                                                          \
  train_dw_low_both_fn train_dw_low_both_##H;

#endif

ROWS(3)
ROWS(4)
ROWS(5)

train_dw_low_fw_fn *const train_dw_low_fw[] = {train_dw_low_fw_3, train_dw_low_fw_4,
                                               train_dw_low_fw_5};
train_dw_low_both_fn *const train_dw_low_both[] = {train_dw_low_both_3, train_dw_low_both_4,
                                                   train_dw_low_both_5};
