// kernels/tile/tile_depthwise.c
#include "kernels/nn/nn_depthwise.h"
#include "tile_kernel.h"

static struct nn_depthwise depthwise_of(const struct tile_layer *l, const struct tile *t) {
  return (struct nn_depthwise){.in_h = (uint16_t)t->in_rows,
                               .in_w = l->in_w,
                               .channels = (uint16_t)t->channels,
                               .kernel_h = l->kernel_h,
                               .kernel_w = l->kernel_w,
                               .stride_h = l->stride_h,
                               .stride_w = l->stride_w,
                               .pad_top = (uint8_t)t->top,
                               .pad_bottom = (uint8_t)t->bottom,
                               .pad_left = l->pad_left,
                               .pad_right = l->pad_right,
                               .shift = l->shift,
                               .in_bits = 8,
                               .weight_bits = 8,
                               .out_bits = 8,
                               .pad_value = l->pad_value};
}

// A tile's filters: the channels' weights, up to a multiple of 4 bytes, then kappa and lambda.
static enum kernel_status run(const struct tile_layer *l, const struct tile *t, uint8_t *l1) {
  struct nn_depthwise k = depthwise_of(l, t);
  uint32_t bytes = ((uint32_t)l->kernel_h * l->kernel_w * l->tile_c + 3) & ~3u;
  k.in = l1 + l->x[t->x], k.weights = l1 + l->w[t->w], k.out = l1 + l->y[t->y];
  k.kappa = (const int32_t *)(const void *)(l1 + l->w[t->w] + bytes);
  k.lambda = k.kappa + l->tile_c;
  k.scratch = l1 + l->scratch;
  return nn_depthwise(&k);
}

static uint32_t scratch(const struct tile_layer *l, const struct tile *t) {
  struct nn_depthwise k = depthwise_of(l, t);
  return nn_depthwise_buffer_size(&k);
}

const struct tile_kernel tile_depthwise = {"tile_depthwise", run, scratch};
