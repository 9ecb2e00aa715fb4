// kernels/train/train_dw_low.h: one plane of floats of a 3x3 depthwise convolution with stride 1
// and a border of one, 3 to 5 rows high: column by column, all rows at once; see train_dw_low.S.
#ifndef TRAIN_DW_LOW_H
#define TRAIN_DW_LOW_H

#include <stdbool.h>
#include <stdint.h>

enum { TRAIN_DW_LOW_LEAST = 3, TRAIN_DW_LOW_MOST = 5 }; // rows

// What the kernels are given of a plane: dense planes of `columns` columns, 1 or more.
enum {
  TRAIN_DW_LOW_IN,
  TRAIN_DW_LOW_WEIGHTS,
  TRAIN_DW_LOW_BIAS, // NULL: none
  TRAIN_DW_LOW_OUT,  // of the gradients: NULL without a ReLU behind the layer
  TRAIN_DW_LOW_OUT_GRAD,
  TRAIN_DW_LOW_WEIGHTS_GRAD,
  TRAIN_DW_LOW_BIAS_GRAD, // unused
  TRAIN_DW_LOW_IN_GRAD,
  TRAIN_DW_LOW_ARRAYS
};

// A floor for results, by integers as train_gate.h has it: a ReLU, or none.
enum { TRAIN_DW_RELU = 0, TRAIN_DW_NO_RELU = INT32_MIN };

// Forward: out = max(floor, bias + in * weights). Each sum takes the window column by column from
// the left, each from its top.
//
// Both gradients, those of a ReLU included: that behind this layer, whose result is `out`, and that
// in front of it, whose result is `in`.
//   d            = out > floor ? out_grad : 0
//   in_grad      = in > 0 ? d * (weights backwards) : 0, sums by rows of the window
//   sums         of in times d, column by column, each from its top; beside the plane d is 0
//   weights_grad = weights + factor * sums, with a factor of +0 the sums
// `turned` takes d by columns: `rows` zeros, which are the caller's, the plane, and zeros again.
struct train_dw_low {
  uint32_t columns;
  int32_t floor;
  float *turned, factor; // of gradients
};

static inline uint32_t train_dw_low_turned_floats(uint32_t rows, uint32_t columns) {
  return rows * (columns + 2);
}

// By height, and a plane of DS-CNN, 5 x 25, for itself: constants lead from row to row. As
// train_net_planes.h calls them, `layer` a struct train_dw_low.
enum { TRAIN_DW_LOW_OWN_COLUMNS = 25, TRAIN_DW_LOW_KERNELS = 4 };
typedef void train_dw_low_fn(void *layer, float *const *at);
extern train_dw_low_fn *const train_dw_low_fw[TRAIN_DW_LOW_KERNELS];
extern train_dw_low_fn *const train_dw_low_both[TRAIN_DW_LOW_KERNELS];

static inline uint32_t train_dw_low_kernel(uint32_t rows, uint32_t columns) {
  bool own = rows == TRAIN_DW_LOW_MOST && columns == TRAIN_DW_LOW_OWN_COLUMNS;
  return rows - TRAIN_DW_LOW_LEAST + own;
}

#endif
