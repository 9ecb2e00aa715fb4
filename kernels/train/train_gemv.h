// kernels/train/train_gemv.h: matrix and vector, for layers with a batch of one; train_gemv.S.
#ifndef TRAIN_GEMV_H
#define TRAIN_GEMV_H

#include <stdint.h>

// A strip of the matrix w[rows][columns] of 1, 2, 4, 8, 16 or 24 columns.
struct train_gemv {
  const float *y;  // [rows]
  float *w;        // first column of the strip
  uint32_t w_step; // bytes from row to row
  uint32_t rows;   // >= 1
  float *x;        // [columns]
};

typedef void train_gemv_fn(const struct train_gemv *strip);

enum { TRAIN_GEMV_WIDTHS = 6 };
// 24, 16, 8, 4, 2, 1; no table: L2 is 20 cycles away.
static inline uint32_t train_gemv_width(uint32_t i) {
  return i ? 32u >> i : 24;
}

// w[r][c] = y[r] * x[c];  w[r][c] += y[r] * x[c];  x[c] = sum over r of y[r] * w[r][c], by fused
// multiply-adds from +0 in the order of r.
extern train_gemv_fn *train_gemv_outer[TRAIN_GEMV_WIDTHS];
extern train_gemv_fn *train_gemv_outer_add[TRAIN_GEMV_WIDTHS];
extern train_gemv_fn *train_gemv_down[TRAIN_GEMV_WIDTHS];

#endif
