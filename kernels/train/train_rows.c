// kernels/train/train_rows.c: the functions by rows, and what they compute, in C.
#include "train_rows.h"

#include <stddef.h>

#include "kernels/rt/rt.h"

#ifdef __riscv

#define ROWS(kind, U) train_rows_fn train_rows_##kind##_##U

#else

static float *row_of(const struct train_rows *g, size_t row) {
  return (float *)(void *)((char *)g->w + row * g->w_step);
}

static void plain_step_up(const struct train_rows *g, size_t rows) {
  for (size_t r = 0; r < rows; r++) {
    float *w = row_of(g, r);
    for (size_t c = 0; c < g->columns; c++) {
      w[c] = __builtin_fmaf(g->step_x[c], g->y[r], w[c]);
      g->sums[r] = __builtin_fmaf(w[c], g->x[c], g->sums[r]);
    }
  }
}

static void plain_learn(const struct train_rows *g, size_t rows) {
  for (size_t r = 0; r < rows; r++) {
    float *w = row_of(g, r);
    for (size_t c = 0; c < g->columns; c++) {
      g->down[c] = __builtin_fmaf(w[c], g->y[r], g->down[c]);
      w[c] = __builtin_fmaf(g->x[c], g->rate * g->y[r], w[c]);
    }
  }
}

#define ROWS(kind, U)                                                                              \
  static void train_rows_##kind##_##U(const struct train_rows *g) {                                \
    plain_##kind(g, U);                                                                            \
  }                                                                                                \
  _Static_assert(1, "")

#endif

#define ALL(kind)                                                                                  \
  ROWS(kind, 1);                                                                                   \
  ROWS(kind, 2);                                                                                   \
  ROWS(kind, 3);                                                                                   \
  ROWS(kind, 4);                                                                                   \
  RT_L1 train_rows_fn *train_rows_##kind[TRAIN_ROWS_MOST] = {                                      \
      train_rows_##kind##_1, train_rows_##kind##_2, train_rows_##kind##_3, train_rows_##kind##_4}

ALL(step_up);
ALL(learn);
