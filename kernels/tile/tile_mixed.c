// kernels/tile/tile_mixed.c
#include <stddef.h>

#include "kernels/nn/nn_mixed.h"
#include "tile_kernel.h"

static struct nn_mixed mixed_of(const struct tile_layer *l, const struct tile *t) {
  return (struct nn_mixed){.shape = {.in_h = (uint16_t)t->in_rows,
                                     .in_w = t->in_columns,
                                     .in_c = l->in_c,
                                     .out_c = (uint16_t)t->channels,
                                     .kernel_h = l->kernel_h,
                                     .kernel_w = l->kernel_w,
                                     .stride_h = l->stride_h,
                                     .stride_w = l->stride_w,
                                     .pad_top = (uint8_t)t->top,
                                     .pad_bottom = (uint8_t)t->bottom,
                                     .pad_left = t->left,
                                     .pad_right = t->right,
                                     .shift = l->shift},
                           .in_bits = l->in_bits,
                           .weight_bits = l->weight_bits,
                           .out_bits = l->out_bits,
                           .in_signed = l->in_signed,
                           .out_signed = l->out_signed,
                           .pad_value = l->pad_value};
}

static enum kernel_status run(const struct tile_layer *l, const struct tile *t, uint8_t *l1) {
  struct nn_mixed k = mixed_of(l, t);
  const uint8_t *filters = tile_w(l, t, l1);
  struct nn_requant_i32 requant = tile_requant_of(l, filters);
  k.requant = l->requant.used ? &requant : NULL;
  k.shape.in = tile_x(l, t, l1, 0), k.shape.filters = filters, k.shape.out = tile_y(l, t, l1);
  k.shape.scratch = l1 + l->scratch;
  enum kernel_status status = nn_mixed_conv2d(&k);
  return status == KERNEL_OK && l->clip ? tile_clip(l, t, l1) : status;
}

// The same for all schemes; this one has no arrays to be looked at.
static uint32_t scratch(const struct tile_layer *l, const struct tile *t) {
  struct nn_requant_i32 any = {.scheme = NN_FOLDED, .bits = l->out_bits};
  struct nn_mixed k = mixed_of(l, t);
  k.requant = l->requant.used ? &any : NULL;
  return nn_mixed_buffer_size(&k);
}

const struct tile_kernel tile_mixed = {"tile_mixed", run, TILE_PLANS(scratch), NULL};
