// kernels/nn/nn_pool.h: maximum and average of windows, HWC, activations of 8, 4 or 2 bits.
//
//   max:     out[y][x][c] = max over the window's pixels inside the input
//   average: out[y][x][c] = floor(sum over the same / (kernel_h * kernel_w)), outside counting as 0
//
// Window and sizes as in nn_conv2d.h; every window must meet the input: pads smaller than the
// kernel. Layout: in[in_h][in_w][pixel], out[out_h][out_w][pixel], a pixel nn_bits_bytes(channels,
// bits) bytes (nn_bits.h); no alignment needed, whole words (pixels a multiple of 4 bytes, tensors
// aligned to 4) are fastest. At most 4096 pixels in a window; a window as large as the input is
// global pooling.
//
// Output pixels are split over the cores; where those are fewer than the cores, the words of a
// pixel are. The caller puts a barrier behind the call.
//
// Source of the packed forms: Bruschi et al., "Enabling mixed-precision quantized neural networks
// in extreme-edge devices", CF 2020.
#ifndef NN_POOL_H
#define NN_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/status.h"
#include "nn_requant_i32.h"

struct nn_pool {
  const uint8_t *in;
  uint8_t *out;
  uint16_t in_h, in_w, channels;
  uint16_t kernel_h, kernel_w;
  uint8_t stride_h, stride_w;
  uint8_t pad_top, pad_bottom, pad_left, pad_right;
  uint8_t bits; // 8, 4, 2
  bool is_signed;
};

// Averages otherwise.
struct nn_average {
  bool inside;  // divided by the number of pixels inside the input
  bool nearest; // rounded to the nearest, halves away from 0; both together: TensorFlow Lite's
  const struct nn_requant_i32 *requant; // in the place of a division: the sum by a scheme, of the
                                        // layer's bits and is_signed; or NULL
};

uint32_t nn_pool_out_h(const struct nn_pool *layer);
uint32_t nn_pool_out_w(const struct nn_pool *layer);

enum kernel_status nn_maxpool(const struct nn_pool *layer);
enum kernel_status nn_avgpool(const struct nn_pool *layer);
enum kernel_status nn_avgpool_by(const struct nn_pool *layer, const struct nn_average *by);

#endif
