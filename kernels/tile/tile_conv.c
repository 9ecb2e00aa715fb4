// kernels/tile/tile_conv.c
#include <stddef.h>

#include "kernels/nn/nn_conv2d.h"
#include "tile_kernel.h"

static struct nn_conv2d conv_of(const struct tile_layer *l, const struct tile *t) {
  return (struct nn_conv2d){.in_h = (uint16_t)t->in_rows,
                            .in_w = l->in_w,
                            .in_c = l->in_c,
                            .out_c = (uint16_t)t->channels,
                            .kernel_h = l->kernel_h,
                            .kernel_w = l->kernel_w,
                            .stride_h = l->stride_h,
                            .stride_w = l->stride_w,
                            .pad_top = (uint8_t)t->top,
                            .pad_bottom = (uint8_t)t->bottom,
                            .pad_left = l->pad_left,
                            .pad_right = l->pad_right,
                            .shift = l->shift};
}

static enum kernel_status run(const struct tile_layer *l, const struct tile *t, uint8_t *l1) {
  struct nn_conv2d k = conv_of(l, t);
  k.in = l1 + l->x[0][t->x], k.filters = l1 + l->w[t->w], k.out = l1 + l->y[t->y];
  k.scratch = l1 + l->scratch;
  return nn_conv2d_u8_i8_u8(&k);
}

static uint32_t scratch(const struct tile_layer *l, const struct tile *t) {
  struct nn_conv2d k = conv_of(l, t);
  return nn_conv2d_buffer_size(&k);
}

const struct tile_kernel tile_conv = {"tile_conv", run, scratch, NULL};
