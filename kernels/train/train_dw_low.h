// kernels/train/train_dw_low.h: one plane of floats of a 3x3 depthwise convolution with stride 1
// and a border of one, 3 to 5 rows high: column by column, all rows at once; see train_dw_low.S.
#ifndef TRAIN_DW_LOW_H
#define TRAIN_DW_LOW_H

#include <stdint.h>

enum { TRAIN_DW_LOW_LEAST = 3, TRAIN_DW_LOW_MOST = 5 }; // rows

// A floor for results, by integers as train_gate.h has it: a ReLU, or none.
enum { TRAIN_DW_RELU = 0, TRAIN_DW_NO_RELU = INT32_MIN };

// y = max(floor, bias + x * w), dense planes of `columns` columns, 1 or more. Each sum takes the
// window column by column from the left, each from its top.
struct train_dw_low_fw {
  const float *x, *w, *bias;
  float *y;
  uint32_t columns;
  int32_t floor;
};

// Both gradients, those of a ReLU included: that behind this layer, whose result is `out`, and that
// in front of it, whose result is `in`.
//   d       = out > floor ? out_grad : 0
//   in_grad = in > 0 ? d * (w backwards) : 0, sums by rows of the window
//   sums    of in times d, column by column, each from its top; beside the plane d is 0
//   w_grad  = w + factor * sums, with a factor of +0 the sums
// Without a ReLU behind the layer, `out` is any plane. `turned` takes d by columns: `rows` zeros,
// which are the caller's, the plane, and zeros again.
struct train_dw_low_both {
  const float *in, *w, *out, *out_grad;
  float *turned, *in_grad, *w_grad;
  uint32_t columns;
  int32_t floor;
  float factor;
};

static inline uint32_t train_dw_low_turned_floats(uint32_t rows, uint32_t columns) {
  return rows * (columns + 2);
}

// By height - TRAIN_DW_LOW_LEAST.
typedef void train_dw_low_fw_fn(const struct train_dw_low_fw *plane);
typedef void train_dw_low_both_fn(const struct train_dw_low_both *plane);
extern train_dw_low_fw_fn *const train_dw_low_fw[TRAIN_DW_LOW_MOST - TRAIN_DW_LOW_LEAST + 1];
extern train_dw_low_both_fn *const train_dw_low_both[TRAIN_DW_LOW_MOST - TRAIN_DW_LOW_LEAST + 1];

#endif
