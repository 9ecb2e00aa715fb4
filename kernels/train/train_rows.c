// kernels/train/train_rows.c: the functions by rows, and what they compute, in C.
#include "train_rows.h"

#include <stddef.h>

#include "kernels/rt/rt.h"

#ifdef __riscv

#define ROWS(kind, U) train_rows_fn train_rows_##kind##_##U

#else

static void plain_sum(struct train_rows *g, size_t rows) {
  const float *w = g->w;
  for (size_t pair = 0; pair < g->pairs; pair++) {
    for (size_t r = 0; r < rows; r++) {
      g->sums[r] = __builtin_fmaf(w[r], g->x[0], g->sums[r]);
      g->sums[r] = __builtin_fmaf(w[rows + r], g->x[1], g->sums[r]);
    }
    w += 2 * rows;
    g->x += 2;
  }
}

static void step_column(float *w, const float *y, float x, size_t rows) {
  for (size_t r = 0; r < rows; r++)
    w[r] = __builtin_fmaf(x, y[r], w[r]);
}

static void plain_step(struct train_rows *g, size_t rows) {
  float *w = g->w;
  for (size_t c = 0; c < 2 * (size_t)g->pairs; c++, w += rows)
    step_column(w, g->y, *g->x++, rows);
}

static void plain_step_up(struct train_rows *g, size_t rows) {
  float *w = g->w;
  for (size_t c = 0; c < 2 * (size_t)g->pairs; c++, w += rows) {
    step_column(w, g->y, *g->step_x++, rows);
    for (size_t r = 0; r < rows; r++)
      g->sums[r] = __builtin_fmaf(w[r], *g->x, g->sums[r]);
    g->x++;
  }
}

static void plain_learn(struct train_rows *g, size_t rows) {
  float *w = g->w;
  for (size_t c = 0; c < 2 * (size_t)g->pairs; c++, w += rows) {
    for (size_t r = 0; r < rows; r++) {
      *g->down = __builtin_fmaf(w[r], g->y[r], *g->down);
      w[r] = __builtin_fmaf(*g->x, g->rate * g->y[r], w[r]);
    }
    g->x++;
    g->down++;
  }
}

#define ROWS(kind, U)                                                                              \
  static void train_rows_##kind##_##U(struct train_rows *g) {                                      \
    plain_##kind(g, U);                                                                            \
  }                                                                                                \
  _Static_assert(1, "")

#endif

#define ALL(kind)                                                                                  \
  ROWS(kind, 1);                                                                                   \
  ROWS(kind, 2);                                                                                   \
  ROWS(kind, 3);                                                                                   \
  ROWS(kind, 4);                                                                                   \
  ROWS(kind, 5);                                                                                   \
  ROWS(kind, 6);                                                                                   \
  ROWS(kind, 7);                                                                                   \
  ROWS(kind, 8);                                                                                   \
  RT_L1 train_rows_fn *train_rows_##kind[TRAIN_ROWS_MOST] = {                                      \
      train_rows_##kind##_1, train_rows_##kind##_2, train_rows_##kind##_3, train_rows_##kind##_4,  \
      train_rows_##kind##_5, train_rows_##kind##_6, train_rows_##kind##_7, train_rows_##kind##_8}

ALL(sum);
ALL(step);
ALL(step_up);
ALL(learn);
