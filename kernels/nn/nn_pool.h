// kernels/nn/nn_pool.h: maximum and average of windows, HWC, uint8.
//
//   max:     out[y][x][c] = max over the window's pixels inside the input
//   average: out[y][x][c] = floor(sum over the same / (kernel_h * kernel_w)), outside counting as 0
//
// Window and sizes as in nn_conv2d.h; every window must meet the input: pads smaller than the
// kernel. Layout: in[in_h][in_w][channels], out[out_h][out_w][channels]; no alignment needed, whole
// words (channels a multiple of 4, tensors aligned to 4) are fastest. At most 4096 pixels in a
// window; a window as large as the input is global pooling. Output pixels are split over the cores;
// the caller puts a barrier behind the call.
#ifndef NN_POOL_H
#define NN_POOL_H

#include <stdint.h>

#include "kernels/status.h"

struct nn_pool {
  const uint8_t *in;
  uint8_t *out;
  uint16_t in_h, in_w, channels;
  uint16_t kernel_h, kernel_w;
  uint8_t stride_h, stride_w;
  uint8_t pad_top, pad_bottom, pad_left, pad_right;
};

uint32_t nn_pool_out_h(const struct nn_pool *layer);
uint32_t nn_pool_out_w(const struct nn_pool *layer);

enum kernel_status nn_maxpool_u8(const struct nn_pool *layer);
enum kernel_status nn_avgpool_u8(const struct nn_pool *layer);

#endif
