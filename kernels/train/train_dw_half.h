// kernels/train/train_dw_half.h: one plane of a 3x3 depthwise convolution of 16-bit elements,
// stride 1, with zeros around it in memory; see train_dw_half.S.
#ifndef TRAIN_DW_HALF_H
#define TRAIN_DW_HALF_H

#include <stdint.h>

// The window of output (y, x) begins at element x of row y.
struct train_dw_half {
  const void *x;  // 2 bytes behind a word; h + 2 rows
  uint32_t pitch; // bytes from row to row: train_dw_half_pitch()
  const void *w;  // nine weights
  void *y;        // h rows of w elements; behind an odd w, one more is written
  uint32_t h, width;
  uint32_t floor; // forward: outputs are this, twice, or more, as signed integers: 0, ReLU
  const void *in; // both: a plane as y,
  void *w_grad;   // and nine elements
};
typedef void train_dw_half_fn(const struct train_dw_half *plane);

// TRAIN_DW_HALF_ANY: no output is less.
#define TRAIN_DW_HALF_ANY 0x80008000u

static inline uint32_t train_dw_half_pitch(uint32_t width) {
  return (width + 3) / 2 * 4;
}
// Bytes of a plane with its zeros, from the word before it on.
static inline uint32_t train_dw_half_bytes(uint32_t h, uint32_t width) {
  return (h + 2) * train_dw_half_pitch(width) + 4;
}

// binary16, bfloat16: y = x * w; and y = x * (w backwards), 0 where the input is not positive (the
// gradient of a ReLU below), with the weights' gradient, rounded once.
train_dw_half_fn train_dw_half_fw_h, train_dw_half_fw_ah;
train_dw_half_fn train_dw_half_both_h, train_dw_half_both_ah;

// Rows into a plane with zeros around them; gated: 0 where `gate` is not positive.
struct train_dw_half_pad {
  void *to;
  const void *from, *gate;
  uint32_t pitch; // bytes from row to row of `to`
  uint32_t h, width;
};
void train_dw_half_pad(const struct train_dw_half_pad *rows);
void train_dw_half_pad_gated(const struct train_dw_half_pad *rows);

#endif
