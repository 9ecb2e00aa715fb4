// kernels/train/train_conv2d_ways.h: the ways a convolution can go, for train_conv2d.c. Shapes and
// pointers are checked before; sizes of scratch are in bytes.
#ifndef TRAIN_CONV2D_WAYS_H
#define TRAIN_CONV2D_WAYS_H

#include <stddef.h>

#include "kernels/train/train_conv2d.h"
#include "kernels/train/train_extent.h"

// Floats in CHW, kernels three wide with steps of one or two along a row, two or one wide (fw, ig)
// with steps of two: blocks of outputs straight from padded planes. In ig steps down are one or
// two, too.
uint32_t train_conv2d_direct_size(const struct train_conv2d *layer); // fw and wg
uint32_t train_conv2d_direct_ig_size(const struct train_conv2d *layer);
void train_conv2d_direct_fw(const struct train_conv2d *layer);
void train_conv2d_direct_wg(const struct train_conv2d *layer);
void train_conv2d_direct_ig(const struct train_conv2d *layer);

// Floats in CHW: patches gathered in scratch, a few at a time, then a matrix product by the core
// alone.
uint32_t train_conv2d_gather_fw_size(const struct train_conv2d *layer);
uint32_t train_conv2d_gather_wg_size(const struct train_conv2d *layer);
uint32_t train_conv2d_gather_ig_size(const struct train_conv2d *layer);
void train_conv2d_gather_fw(const struct train_conv2d *layer);
void train_conv2d_gather_wg(const struct train_conv2d *layer);
void train_conv2d_gather_ig(const struct train_conv2d *layer);

// Floats in CHW, 1x1 kernels with strides: every stride-th pixel in scratch, then a matrix product.
uint32_t train_conv2d_spread_size(const struct train_conv2d *layer);
void train_conv2d_spread_fw(const struct train_conv2d *layer);
void train_conv2d_spread_wg(const struct train_conv2d *layer);
void train_conv2d_spread_ig(const struct train_conv2d *layer);

// HWC or 16 bits: matrix products of overlapping lines. wg of 16 bits: even widths of the output or
// one pixel only; ig: stride 1 only.
uint32_t train_conv2d_pixels_fw_size(const struct train_conv2d *layer);
uint32_t train_conv2d_pixels_wg_size(const struct train_conv2d *layer);
uint32_t train_conv2d_pixels_ig_size(const struct train_conv2d *layer);
void train_conv2d_pixels_fw(const struct train_conv2d *layer);
void train_conv2d_pixels_wg(const struct train_conv2d *layer);
void train_conv2d_pixels_ig(const struct train_conv2d *layer);

// HWC or 16 bits, ig: as floats in CHW, in scratch.
uint32_t train_conv2d_converted_ig_size(const struct train_conv2d *layer);
enum kernel_status train_conv2d_converted_ig(const struct train_conv2d *layer);

// Any type and layout: all patches in scratch, then a matrix product by all cores.
uint32_t train_conv2d_im2col_fw_size(const struct train_conv2d *layer);
uint32_t train_conv2d_im2col_wg_size(const struct train_conv2d *layer);
uint32_t train_conv2d_im2col_ig_size(const struct train_conv2d *layer);
enum kernel_status train_conv2d_im2col_fw(const struct train_conv2d *layer);
enum kernel_status train_conv2d_im2col_wg(const struct train_conv2d *layer);
enum kernel_status train_conv2d_im2col_ig(const struct train_conv2d *layer);

static inline uint32_t train_conv2d_taps(const struct train_conv2d *l) {
  return (uint32_t)l->kernel_h * l->kernel_w;
}

// A 1x1 kernel that sees every pixel once. Its paddings, smaller than the kernel, are none.
static inline bool train_conv2d_one_pixel(const struct train_conv2d *l) {
  return l->kernel_h == 1 && l->kernel_w == 1 && l->stride_h == 1 && l->stride_w == 1;
}

static inline bool train_conv2d_padded(const struct train_conv2d *l) {
  return l->pad_top || l->pad_bottom || l->pad_left || l->pad_right;
}

// Rows and columns of the output.
static inline uint32_t train_conv2d_rows(const struct train_conv2d *l) {
  return train_positions((uint32_t)l->in_h + l->pad_top + l->pad_bottom, l->kernel_h, l->stride_h);
}
static inline uint32_t train_conv2d_columns(const struct train_conv2d *l) {
  return train_positions((uint32_t)l->in_w + l->pad_left + l->pad_right, l->kernel_w, l->stride_w);
}

static inline uint32_t train_conv2d_plane(const struct train_conv2d *l) {
  return train_conv2d_rows(l) * train_conv2d_columns(l);
}

static inline void train_conv2d_fill(float *out, float value, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    out[i] = value;
}

// Floats in CHW: output pixels begin .. begin + count - 1 of all filters = bias, if there is one.
void train_conv2d_set_bias(const struct train_conv2d *layer, uint32_t begin, uint32_t count);

// Any type and layout: the output = bias; bias_grad = (bias_grad or +0) + the sums of the gradient.
// The cores share the work.
void train_conv2d_begin_with_bias(const struct train_conv2d *layer);
void train_conv2d_bias_gradient(const struct train_conv2d *layer);

#endif
