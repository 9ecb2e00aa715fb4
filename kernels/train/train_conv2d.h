// kernels/train/train_conv2d.h: two-dimensional convolution with its gradients, batch of one.
//
//   out[f][y][x] = bias[f] + sum over c, i, j of
//                  weights[f][c][i][j] * in[c][y * stride_h + i - pad_top][x * stride_w + j -
//                  pad_left]
//   weights_grad = sum over y, x of out_grad * in;  in_grad = sum over f, i, j of out_grad *
//   weights
//
// Planes (CHW) as above, or pixels (HWC): in[y][x][c], out[y][x][f], weights[f][i][j][c]. Inputs
// outside the image count as +0. Which way a layer goes:
//   floats, CHW, 1x1, stride 1     matrix multiplications (mmt_f32.h)
//   floats, CHW, 1x1, strides      every stride-th pixel in scratch, then the same
//   floats, CHW, 3 wide, and 1 or  direct (train_conv_tile.S); padded planes are copied to scratch;
//     2 pixels apart               the gradient of the input by phases (also of 1 or 2 wide)
//   floats, CHW, anything else     patches gathered in scratch, part by part (im2col; the gradient
//                                  of the input by phases), then matrix multiplication
//   HWC, 1x1, stride 1             matrix multiplications (train_product.h)
//   HWC or 16 bits, anything else  direct, of pixels (train_conv2d_pixels.c); but not
//     ig with strides              by way of floats in CHW, in scratch
//     wg of 16 bits with an odd width of the output, and
//     any layer with `matmul`      all patches in scratch (train_im2col.h), then matrix
//                                  multiplication (train_product.h)
//
// Sums are binary32 in any type and rounded once. Dimensions 1..4095, kernels 1..15, strides 1..15,
// paddings smaller than the kernel; the kernel must fit into the padded input. Pointers aligned to
// 4 bytes; buffers must not overlap. With `add` the gradients of weights and bias are added to what
// is there, to sum them over a batch.
//
// All cores call with the same arguments; the caller puts a barrier behind the call.
//
// Operators and gradients: Nadalini et al., PULP-TrainLib, SAMOS 2022, section 3.
#ifndef TRAIN_CONV2D_H
#define TRAIN_CONV2D_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/status.h"
#include "kernels/train/train_type.h"

struct train_conv2d {
  const void *in;       // [in_c][in_h][in_w]              fw, wg
  const void *weights;  // [out_c][in_c][kernel_h][kernel_w]  fw, ig
  const void *bias;     // [out_c] or NULL                 fw
  void *out;            // [out_c][out_h][out_w]           fw
  const void *out_grad; // as out                          wg, ig
  void *in_grad;        // as in                           ig
  void *weights_grad;   // as weights                      wg
  void *bias_grad;      // [out_c] or NULL                 wg
  void *scratch;        // of the size that the pass asks for; NULL if that is 0
  uint16_t in_c, in_h, in_w, out_c;
  uint8_t kernel_h, kernel_w, stride_h, stride_w;
  uint8_t pad_top, pad_bottom, pad_left, pad_right;
  bool add, hwc;
  uint8_t matmul; // 0: the way by shape; else im2col and this kernel: 1 + an id of mmt_f32.h
  enum train_type type;
};

uint32_t train_conv2d_out_h(const struct train_conv2d *layer);
uint32_t train_conv2d_out_w(const struct train_conv2d *layer);
uint64_t train_conv2d_macs(const struct train_conv2d *layer); // of each of the three passes

// Bytes of scratch on this number of cores.
uint32_t train_conv2d_fw_buffer_size(const struct train_conv2d *layer);
uint32_t train_conv2d_wg_buffer_size(const struct train_conv2d *layer);
uint32_t train_conv2d_ig_buffer_size(const struct train_conv2d *layer);

enum kernel_status train_conv2d_fw(const struct train_conv2d *layer);
enum kernel_status train_conv2d_wg(const struct train_conv2d *layer);
enum kernel_status train_conv2d_ig(const struct train_conv2d *layer);

#endif
