// kernels/train/train_gemv.c: the strips by width, and what they compute, in C.
#include "train_gemv.h"

#include <stddef.h>

#include "kernels/rt/rt.h"

#ifdef __riscv

#define GEMV(kind, W) train_gemv_fn train_gemv_##kind##_##W

#else

static float *row_of(const struct train_gemv *g, size_t row) {
  return (float *)(void *)((char *)g->w + row * g->w_step);
}

static void plain_outer(const struct train_gemv *g, size_t width) {
  for (size_t i = 0; i < g->rows * width; i++)
    row_of(g, i / width)[i % width] = g->y[i / width] * g->x[i % width];
}

static void plain_outer_add(const struct train_gemv *g, size_t width) {
  for (size_t i = 0; i < g->rows * width; i++) {
    float *w = row_of(g, i / width) + i % width;
    *w = __builtin_fmaf(g->x[i % width], g->y[i / width], *w);
  }
}

static void plain_down(const struct train_gemv *g, size_t width) {
  for (size_t c = 0; c < width; c++) {
    float sum = 0;
    for (size_t r = 0; r < g->rows; r++)
      sum = __builtin_fmaf(row_of(g, r)[c], g->y[r], sum);
    g->x[c] = sum;
  }
}

#define GEMV(kind, W)                                                                              \
  static void train_gemv_##kind##_##W(const struct train_gemv *g) {                                \
    plain_##kind(g, W);                                                                            \
  }                                                                                                \
  _Static_assert(1, "")

#endif

#define ALL(kind)                                                                                  \
  GEMV(kind, 24);                                                                                  \
  GEMV(kind, 16);                                                                                  \
  GEMV(kind, 8);                                                                                   \
  GEMV(kind, 4);                                                                                   \
  GEMV(kind, 2);                                                                                   \
  GEMV(kind, 1)
#define TABLE(kind)                                                                                \
  {                                                                                                \
    train_gemv_##kind##_24, train_gemv_##kind##_16, train_gemv_##kind##_8, train_gemv_##kind##_4,  \
        train_gemv_##kind##_2, train_gemv_##kind##_1                                               \
  }

ALL(outer);
ALL(outer_add);
ALL(down);

RT_L1 train_gemv_fn *train_gemv_outer[TRAIN_GEMV_WIDTHS] = TABLE(outer);
RT_L1 train_gemv_fn *train_gemv_outer_add[TRAIN_GEMV_WIDTHS] = TABLE(outer_add);
RT_L1 train_gemv_fn *train_gemv_down[TRAIN_GEMV_WIDTHS] = TABLE(down);
