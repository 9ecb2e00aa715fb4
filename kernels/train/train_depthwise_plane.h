// kernels/train/train_depthwise_plane.h: one channel of a tensor of any layout and type as a plane
// of floats in CHW, and back, for train_depthwise.c; by the calling core alone.
#ifndef TRAIN_DEPTHWISE_PLANE_H
#define TRAIN_DEPTHWISE_PLANE_H

#include <stddef.h>

#include "kernels/train/train_depthwise.h"
#include "kernels/train/train_planes.h"

// Where the elements of a channel lie: element i at first + i * step.
struct train_line {
  size_t first, step;
};

// Of a tensor with `size` elements per channel.
static inline struct train_line train_line_of(const struct train_depthwise *l, uint32_t channel,
                                              uint32_t size) {
  return l->hwc ? (struct train_line){channel, l->c}
                : (struct train_line){(size_t)channel * size, 1};
}

// Channel `channel` of a tensor of h x w elements, with zeros around it.
void train_depthwise_get_plane(float *dst, const struct train_depthwise *layer, const void *tensor,
                               uint32_t channel, uint32_t h, uint32_t w,
                               struct train_border border);

// The channel's `count` elements, rounded.
void train_depthwise_put_plane(const struct train_depthwise *layer, void *tensor, uint32_t channel,
                               const float *src, uint32_t count);

// The bias of a channel; and its gradient, into bias_grad.
float train_depthwise_bias(const struct train_depthwise *layer, uint32_t channel);
void train_depthwise_bias_gradient(const struct train_depthwise *layer, uint32_t channel);

#endif
