// kernels/tile/tile_direct.c: 8- or 16-bit weights, then lambda alone before sums, or a
// requantization's parameters.
#include <stddef.h>

#include "kernels/nn/nn_direct.h"
#include "tile_kernel.h"

static enum kernel_status run(const struct tile_layer *l, const struct tile *t, uint8_t *l1) {
  const uint8_t *filters = l1 + l->w[t->w];
  struct nn_requant_i32 requant = tile_requant_of(l, filters);
  struct nn_direct k = {.in = l1 + l->x[0][t->x],
                        .weights = filters,
                        .bias = (const int32_t *)(const void *)(filters + l->filter_bytes),
                        .out = l1 + l->y[t->y],
                        .in_h = (uint16_t)t->in_rows,
                        .in_w = l->in_w,
                        .in_c = l->in_c,
                        .out_h = (uint16_t)t->rows,
                        .out_w = l->out_w,
                        .out_c = (uint16_t)t->channels,
                        .first = (uint16_t)t->channels_at,
                        .all_c = l->out_c,
                        .groups = l->groups,
                        .kernel_h = l->kernel_h,
                        .kernel_w = l->kernel_w,
                        .stride_h = l->stride_h,
                        .stride_w = l->stride_w,
                        .dilation_h = l->dilation_h,
                        .dilation_w = l->dilation_w,
                        .pad_top = (uint8_t)t->top,
                        .pad_left = l->pad_left,
                        .in_bits = l->in_bits,
                        .weight_bits = l->weight_bits,
                        .out_bits = l->out_bits,
                        .in_signed = l->in_signed,
                        .pad_value = l->pad_value};
  if (l->requant.used) {
    k.requant = &requant;
    k.bias = NULL;
  }
  enum kernel_status status = nn_direct(&k);
  return status == KERNEL_OK && l->clip ? tile_clip(l, t, l1) : status;
}

const struct tile_kernel tile_direct = {"tile_direct", run, NULL, NULL};
