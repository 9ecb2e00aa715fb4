// kernels/train/train_rows.h: a block of rows of weights, the rows' weights of a column side by
// side, and vectors: layers with a batch of one, whose weights are read, used, stepped and written
// in one pass; train_rows.S.
#ifndef TRAIN_ROWS_H
#define TRAIN_ROWS_H

#include <stdint.h>

struct train_rows {
  float *w;       // [2 * pairs][rows]
  uint32_t pairs; // of columns, >= 1
  const float *x; // [2 * pairs]
  union {
    const float *step_x; // [2 * pairs]
    float *down;         // [2 * pairs]
    float *other;        // either
  };
  const float *y; // [rows]
  float *sums;    // [rows]
  float rate;
};

// The vectors of columns that it uses are left behind their last columns: where the next tile's
// are.
typedef void train_rows_fn(struct train_rows *rows);

enum { TRAIN_ROWS_MOST = 8 };

// By rows - 1. Fused multiply-adds, in the order of the rows or columns.
// sums[r] += w[c][r] * x[c]
extern train_rows_fn *train_rows_sum[TRAIN_ROWS_MOST];
// w[c][r] += y[r] * x[c]
extern train_rows_fn *train_rows_step[TRAIN_ROWS_MOST];
// w[c][r] += y[r] * step_x[c]; then sums[r] += w[c][r] * x[c]
extern train_rows_fn *train_rows_step_up[TRAIN_ROWS_MOST];
// down[c] += y[r] * w[c][r]; then w[c][r] += (rate * y[r]) * x[c]
extern train_rows_fn *train_rows_learn[TRAIN_ROWS_MOST];

#endif
