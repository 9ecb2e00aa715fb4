// kernels/train/train_dw_low.c: what train_dw_low.S computes, in C.
#include "train_dw_low.h"

#include "kernels/rt/rt.h"

#ifndef __riscv

#include <stdbool.h>

typedef int32_t __attribute__((may_alias)) bits;

static bool above(const void *x, int32_t floor) {
  const bits *at = x;
  return *at > floor;
}

static float sum_at(const struct train_dw_low *l, float *const *at, uint32_t rows, uint32_t y,
                    uint32_t x) {
  const float *in = at[TRAIN_DW_LOW_IN], *w = at[TRAIN_DW_LOW_WEIGHTS];
  float sum = at[TRAIN_DW_LOW_BIAS] ? *at[TRAIN_DW_LOW_BIAS] : 0;
  for (uint32_t j = 0; j < 3; j++) {
    for (uint32_t i = 0; i < 3; i++) {
      if (y + i >= 1 && y + i <= rows && x + j >= 1 && x + j <= l->columns)
        sum = __builtin_fmaf(w[3 * i + j], in[(y + i - 1) * l->columns + x + j - 1], sum);
    }
  }
  return sum;
}

static void forward(const struct train_dw_low *l, float *const *at, uint32_t rows) {
  for (uint32_t y = 0; y < rows; y++) {
    for (uint32_t x = 0; x < l->columns; x++) {
      float sum = sum_at(l, at, rows, y, x);
      void *to = at[TRAIN_DW_LOW_OUT] + y * l->columns + x;
      const void *from = above(&sum, l->floor) ? (const void *)&sum : &l->floor;
      *(bits *)to = *(const bits *)from;
    }
  }
}

static void turn(const struct train_dw_low *l, float *const *at, uint32_t rows) {
  const float *grad = at[TRAIN_DW_LOW_OUT_GRAD];
  const float *out = at[TRAIN_DW_LOW_OUT] ? at[TRAIN_DW_LOW_OUT] : grad;
  for (uint32_t y = 0; y < rows; y++) {
    for (uint32_t x = 0; x < l->columns; x++) {
      uint32_t i = y * l->columns + x;
      l->turned[(x + 1) * rows + y] = above(out + i, l->floor) ? grad[i] : 0;
    }
  }
}

// The gradient that the element (y, x) sees through a weight.
static float seen(const struct train_dw_low *l, uint32_t rows, uint32_t y, uint32_t x,
                  uint32_t tap) {
  return l->turned[(x + 2 - tap % 3) * rows + y + 1 - tap / 3];
}

// Whether it has such a row.
static bool inside(uint32_t rows, uint32_t y, uint32_t tap) {
  return y + 1 >= tap / 3 && y + 1 - tap / 3 < rows;
}

static void input_gradient(const struct train_dw_low *l, float *const *at, uint32_t rows) {
  for (uint32_t y = 0; y < rows; y++) {
    for (uint32_t x = 0; x < l->columns; x++) {
      float sum = -0.0F; // the first product is not added to anything
      for (uint32_t i = 9; i-- > 0;) {
        if (inside(rows, y, i))
          sum = __builtin_fmaf(at[TRAIN_DW_LOW_WEIGHTS][i], seen(l, rows, y, x, i), sum);
      }
      uint32_t i = y * l->columns + x;
      at[TRAIN_DW_LOW_IN_GRAD][i] = above(at[TRAIN_DW_LOW_IN] + i, 0) ? sum : 0;
    }
  }
}

static float weight_sum(const struct train_dw_low *l, const float *in, uint32_t rows,
                        uint32_t tap) {
  float sum = 0;
  for (uint32_t x = 0; x < l->columns; x++) {
    for (uint32_t y = 0; y < rows; y++) {
      if (inside(rows, y, tap))
        sum = __builtin_fmaf(in[y * l->columns + x], seen(l, rows, y, x, tap), sum);
    }
  }
  return sum;
}

static void both(const struct train_dw_low *l, float *const *at, uint32_t rows) {
  turn(l, at, rows);
  input_gradient(l, at, rows);
  for (uint32_t i = 0; i < 9; i++) {
    float sum = weight_sum(l, at[TRAIN_DW_LOW_IN], rows, i);
    bool stepped = rt_float_bits(l->factor);
    at[TRAIN_DW_LOW_WEIGHTS_GRAD][i] =
        stepped ? __builtin_fmaf(l->factor, sum, at[TRAIN_DW_LOW_WEIGHTS][i]) : sum;
  }
}

#define ROWS(H, id)                                                                                \
  static void train_dw_low_fw_##id(void *layer, float *const *at) {                                \
    forward(layer, at, H);                                                                         \
  }                                                                                                \
  static void train_dw_low_both_##id(void *layer, float *const *at) {                              \
    both(layer, at, H);                                                                            \
  }

#else

#define ROWS(H, id) train_dw_low_fn train_dw_low_fw_##id, train_dw_low_both_##id;

#endif

ROWS(3, 3)
ROWS(4, 4)
ROWS(5, 5)
ROWS(5, 5x25)

train_dw_low_fn *const train_dw_low_fw[] = {train_dw_low_fw_3, train_dw_low_fw_4, train_dw_low_fw_5,
                                            train_dw_low_fw_5x25};
train_dw_low_fn *const train_dw_low_both[] = {train_dw_low_both_3, train_dw_low_both_4,
                                              train_dw_low_both_5, train_dw_low_both_5x25};
