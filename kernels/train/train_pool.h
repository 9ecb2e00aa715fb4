// kernels/train/train_pool.h: maximum and average pooling of planes (CHW) without padding.
//
//   max  out[c][y][x] = the largest input of the window; its gradient goes to the first such input
//   avg  out[c][y][x] = the mean of the window; its gradient goes to all of it in equal parts
//
// in_grad = sum of what the windows send, rounded to the type at each addition. Windows and
// strides 1..15; a window must fit into the plane. A NaN counts as the largest. The channels are
// split among the cores. All cores call with the same arguments; the caller puts a barrier behind
// the call.
#ifndef TRAIN_POOL_H
#define TRAIN_POOL_H

#include <stdint.h>

#include "kernels/status.h"
#include "kernels/train/train_type.h"

struct train_pool {
  const void *in; // [c][in_h][in_w]    fw; max: ig too
  void *out;      // [c][out_h][out_w]  fw
  const void *out_grad;
  void *in_grad;
  uint16_t c, in_h, in_w;
  uint8_t window_h, window_w, stride_h, stride_w;
  enum train_type type;
};

uint32_t train_pool_out_h(const struct train_pool *layer);
uint32_t train_pool_out_w(const struct train_pool *layer);

enum kernel_status train_pool_max_fw(const struct train_pool *layer);
enum kernel_status train_pool_max_ig(const struct train_pool *layer);
enum kernel_status train_pool_avg_fw(const struct train_pool *layer);
enum kernel_status train_pool_avg_ig(const struct train_pool *layer);

#endif
