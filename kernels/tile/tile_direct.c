// kernels/tile/tile_direct.c: 8- or 16-bit weights, then lambda alone before sums, or a
// requantization's parameters.
#include <stddef.h>

#include "kernels/nn/nn_direct.h"
#include "tile_kernel.h"

static enum kernel_status run(const struct tile_layer *l, const struct tile *t, uint8_t *l1) {
  const uint8_t *filters = tile_w(l, t, l1);
  struct nn_requant_i32 requant = tile_requant_of(l, filters);
  struct nn_direct k = {.in = tile_x(l, t, l1, 0),
                        .weights = filters,
                        .bias = (const int32_t *)(const void *)(filters + l->filter_bytes),
                        .out = tile_y(l, t, l1),
                        .in_h = (uint16_t)t->in_rows,
                        .in_w = t->in_columns,
                        .in_c = l->in_c,
                        .out_h = (uint16_t)t->rows,
                        .out_w = t->columns,
                        .out_c = (uint16_t)t->channels,
                        .first = (uint16_t)tile_channels_at(l, t),
                        .all_c = l->out_c,
                        .groups = l->groups,
                        .kernel_h = l->kernel_h,
                        .kernel_w = l->kernel_w,
                        .stride_h = l->stride_h,
                        .stride_w = l->stride_w,
                        .dilation_h = l->dilation_h,
                        .dilation_w = l->dilation_w,
                        .pad_top = (uint8_t)t->top,
                        .pad_left = t->left,
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
