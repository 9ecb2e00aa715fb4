// kernels/train/train_conv_transpose2d.h: transposed convolution: the passes of a convolution with
// their parts exchanged.
//
// The structure describes the convolution whose input gradient the forward pass computes:
//   its out_grad [out_c][out_h][out_w] is the input here, its in_grad [in_c][in_h][in_w] the
//   output, its weights [out_c][in_c][kernel_h][kernel_w] the weights.
// For the gradients, its `in` is the gradient of the output here, its `out` the gradient of the
// input, and its out_grad stays the input. `bias` and `bias_grad` are [in_c] here, one per channel
// of the output; the bias is added last, behind a barrier: in 16 bits that is a second rounding.
// Ranges, scratch and the rest: train_conv2d.h.
//
// Source: Dumoulin, Visin, "A guide to convolution arithmetic for deep learning", 2016, section 4.
#ifndef TRAIN_CONV_TRANSPOSE2D_H
#define TRAIN_CONV_TRANSPOSE2D_H

#include "kernels/train/train_conv2d.h"

enum kernel_status train_conv_transpose2d_fw(const struct train_conv2d *layer);
enum kernel_status train_conv_transpose2d_wg(const struct train_conv2d *layer);
enum kernel_status train_conv_transpose2d_ig(const struct train_conv2d *layer);

#endif
