// kernels/train/train_dw.h: one plane of a 3x3 depthwise convolution; see train_dw.S.
#ifndef TRAIN_DW_H
#define TRAIN_DW_H

#include <stdint.h>

#include "kernels/train/train_type.h"

// Floats, stride 1, borders in memory.
struct train_dw {
  const float *x; // padded input plane
  uint32_t pitch; // bytes from row to row of it
  float *w;       // nine weights, or their gradients
  float *y;       // output plane, or its gradient; dense rows
  uint32_t w_out, h_out;
};

// y = x * w;  y = x * w with the nine weights backwards;  w += sum of y * x.
typedef void train_dw_fn(const struct train_dw *plane);
train_dw_fn train_dw_fw, train_dw_back, train_dw_wg;

// Any type, stride 1 or 2, zeros around the planes that are not in memory; as many planes as there
// are from `x` to `end`, one behind the other, as are their weights and outputs. A plane is two
// columns wide or more. A row of outputs has `before` that also see columns before the plane, then
// `passes` * 3 + `rest` that see columns inside only, then `tail` that also see columns behind it
// (stride 2: one column, and `tail` at most 1).
struct train_dw_edges {
  const void *x, *end; // the first plane; behind the last
  uint32_t plane;      // bytes of one
  uint32_t h, top;     // rows of a plane; of zeros above it: 0..2, stride 2: 0..1
  float *zeros;        // a row of zeros
  uint32_t pitch;      // bytes from row to row
  void *w;             // nine weights a plane; gradient: nine floats
  void *y;             // rows y_row bytes apart
  uint32_t y_row;
  uint32_t before; // 0..2, stride 2: 0..1: as many columns are outside
  uint32_t passes, rest, tail;
  uint32_t h_out;
  const void *in; // of train_dw_edges_both alone: a plane as y,
  float *w_grad;  // and its nine results
  uint32_t clear; // pairs of words of the row of zeros that are to become that
};
typedef void train_dw_edges_fn(const struct train_dw_edges *plane);

// By stride - 1 and type; constant.
extern train_dw_edges_fn *train_dw_edges_fw[2][TRAIN_TYPES];
extern train_dw_edges_fn *train_dw_edges_wg[2][TRAIN_TYPES];
extern train_dw_edges_fn *train_dw_edges_back[TRAIN_TYPES]; // stride 1
// One plane, stride 1, both gradients, as they see the same window of the output's:
// `back`, 0 where the input is not positive (the gradient of a ReLU below), and that of the
// weights.
extern train_dw_edges_fn *train_dw_edges_both[TRAIN_TYPES];

// The gradient of the input, stride 2: rows and columns of two by two pixels, of which the first
// ones begin with pixels outside if `top` and `odd`.
struct train_dw_spread {
  const void *d;     // gradient of the output
  const void *above; // the row above the first one: zeros
  uint32_t left;     // rows of it; zeros behind
  const void *zeros; // a row of zeros
  uint32_t pitch;    // bytes from row to row
  const void *w;     // nine weights
  void *y;           // the result, rows y_row bytes apart
  uint32_t y_row;
  uint32_t rows;         // of it
  uint32_t top;          // 1: above the first row of it there is one that is outside
  void *nobody;          // room for a row that nobody reads
  uint32_t odd;          // 1: a row begins with an odd pixel
  uint32_t passes, rest; // pairs of blocks, another one
  uint32_t last;         // and the last: 0 none, 1 its even pixels, 2 all; 4 more: zeros are behind
  uint32_t blocks;       // rows of blocks
};
typedef void train_dw_spread_fn(const struct train_dw_spread *plane);
extern train_dw_spread_fn *train_dw_spread[TRAIN_TYPES];

#endif
