// kernels/train/train_depthwise_window.h: one plane of a depthwise convolution with any kernel and
// any stride, on floats that have their border; for train_depthwise_any.c, by the calling
// core alone. Sums are in the order of the taps (weights: of the pixels), as in train_dw.S.
//
// Outputs are computed four at a time, by rows of the kernel: a row of 3 with stride 2 takes 3 + 9
// loads and 12 operations. Kernels 3 and 5 wide with stride 1 or 2 are unrolled.
#ifndef TRAIN_DEPTHWISE_WINDOW_H
#define TRAIN_DEPTHWISE_WINDOW_H

#include <stdint.h>

struct train_dw_window {
  const float *x; // the plane that the window slides over: with its border
  uint32_t pitch; // floats from row to row of it
  float *w;       // [kernel_h][kernel_w]
  float *y;       // the other plane; dense rows
  uint32_t h, w_out;
  uint32_t kernel_h, kernel_w, stride_h, stride_w;
};

// y = x * w;  w += sum of x * y. h x w_out: rows and columns of y.
void train_dw_window_fw(const struct train_dw_window *plane);
void train_dw_window_wg(const struct train_dw_window *plane);

// y = the gradient of the input, from x, that of the output. Row r of it is row r + `above` of x,
// column c column c + `left`; what is seen beyond is there, as zeros.
struct train_dw_place {
  uint32_t pad_top, pad_left, above, left;
};
void train_dw_window_ig(const struct train_dw_window *plane, struct train_dw_place place);

#endif
