// kernels/train/train_im2col.h: what a moving window sees, as the rows of a matrix (im2col), and
// back (col2im).
//
// Row p of `patches` belongs to position p = y * out_w + x of the window, counted row by row:
//   patches[p][(c * kernel_h + i) * kernel_w + j]    image [c][h][w]     (CHW)
//   patches[p][(i * kernel_w + j) * channels + c]    image [h][w][c]     (HWC)
//     = image at row y * stride_h + i - pad_top, column x * stride_w + j - pad_left; +0 outside
// Rows are `pitch` elements apart; elements behind the patch are set to +0.
//
// All cores call with the same arguments; the caller puts a barrier behind the call. Ranges as in
// train_conv2d.h; image and patches must not overlap.
#ifndef TRAIN_IM2COL_H
#define TRAIN_IM2COL_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/status.h"
#include "kernels/train/train_type.h"

struct train_im2col {
  void *image; // read by im2col, written by col2im
  void *patches;
  uint16_t channels, h, w;
  uint8_t kernel_h, kernel_w, stride_h, stride_w;
  uint8_t pad_top, pad_bottom, pad_left, pad_right;
  uint32_t pitch; // >= channels * kernel_h * kernel_w
  bool hwc;
  enum train_type type;
};

// What the operations check first; `image` and `channels` are the ones read or written.
enum kernel_status train_im2col_refuse(const struct train_im2col *op, const void *image,
                                       uint32_t channels);

uint32_t train_im2col_out_h(const struct train_im2col *op);
uint32_t train_im2col_out_w(const struct train_im2col *op);

// The image in L1, copied by the cores.
enum kernel_status train_im2col(const struct train_im2col *op);

// The image outside the cluster (L2), the patches in L1; each patch is brought by the DMA, HWC in
// one transfer, CHW in one per channel, row by row where a row leaves the image.
enum kernel_status train_im2col_dma(const struct train_im2col *op);

// Each pixel of the image = the sum of all its places in the patches, in the order of the taps.
enum kernel_status train_col2im(const struct train_im2col *op);

// The other direction: rows belong to the pixels of the image, and hold what every tap of the
// window took from it. `seen` is shaped like the window's positions: [taken][out_h][out_w], or
// [out_h][out_w][taken] in HWC, where `taken` is a number of channels of its own.
//   rows[y * w + x][(f * kernel_h + i) * kernel_w + j] or [(i * kernel_w + j) * taken + f]
//     = seen[f] at the position whose tap (i, j) lies on pixel (y, x); +0 if there is none
// Multiplied by the weights, this is the gradient of a convolution's input.
enum kernel_status train_im2col_back(const struct train_im2col *op, const void *seen,
                                     uint32_t taken);

#endif
