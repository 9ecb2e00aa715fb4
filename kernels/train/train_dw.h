// kernels/train/train_dw.h: one plane of a 3x3 depthwise convolution, stride 1; see train_dw.S.
#ifndef TRAIN_DW_H
#define TRAIN_DW_H

#include <stdint.h>

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

#endif
