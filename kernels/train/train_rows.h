// kernels/train/train_rows.h: a few rows of weights and vectors, for layers with a batch of one
// whose weights are read, stepped and written in one pass; train_rows.S.
#ifndef TRAIN_ROWS_H
#define TRAIN_ROWS_H

#include <stdint.h>

struct train_rows {
  const float *y;   // [rows]
  float *w;         // first row
  uint32_t w_step;  // bytes from row to row
  uint32_t columns; // >= 1
  const float *x;   // [columns]
  union {
    const float *step_x; // [columns]
    float *down;         // [columns]
    float *other;        // either
  };
  float *sums; // [rows]; train_rows_step_up alone
  float rate;  // train_rows_learn alone
};

typedef void train_rows_fn(const struct train_rows *rows);

enum { TRAIN_ROWS_MOST = 4 };

// By rows - 1. Fused multiply-adds, in the order of the rows or columns.
// w[r][c] += y[r] * step_x[c]; then sums[r] += w[r][c] * x[c]
extern train_rows_fn *train_rows_step_up[TRAIN_ROWS_MOST];
// down[c] += y[r] * w[r][c]; then w[r][c] += (rate * y[r]) * x[c]
extern train_rows_fn *train_rows_learn[TRAIN_ROWS_MOST];

#endif
