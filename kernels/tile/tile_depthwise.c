// kernels/tile/tile_depthwise.c
#include <stddef.h>

#include "kernels/nn/nn_depthwise.h"
#include "tile_kernel.h"

static void depthwise_of(const struct tile_layer *l, const struct tile *t, struct nn_depthwise *k) {
  *k = (struct nn_depthwise){.in_h = (uint16_t)t->in_rows,
                             .in_w = t->in_columns,
                             .channels = (uint16_t)t->channels,
                             .kernel_h = l->kernel_h,
                             .kernel_w = l->kernel_w,
                             .stride_h = l->stride_h,
                             .stride_w = l->stride_w,
                             .pad_top = (uint8_t)t->top,
                             .pad_bottom = (uint8_t)t->bottom,
                             .pad_left = t->left,
                             .pad_right = t->right,
                             .shift = l->shift,
                             .in_bits = l->in_bits,
                             .weight_bits = l->weight_bits,
                             .out_bits = l->out_bits,
                             .in_signed = l->in_signed,
                             .out_signed = l->out_signed,
                             .pad_value = l->pad_value};
}

static void place(const struct tile_layer *l, const struct tile *t, uint8_t *l1,
                  struct nn_depthwise *k) {
  depthwise_of(l, t, k);
  k->in = tile_x(l, t, l1, 0), k->weights = tile_w(l, t, l1), k->out = tile_y(l, t, l1);
  k->scratch = l1 + l->scratch;
}

static __attribute__((noinline)) enum kernel_status by_scheme(const struct tile_layer *l,
                                                              const struct tile *t, uint8_t *l1) {
  struct nn_requant_i32 requant = tile_requant_of(l, tile_w(l, t, l1));
  struct nn_depthwise k;
  place(l, t, l1, &k);
  k.requant = &requant;
  return nn_depthwise(&k);
}

static __attribute__((noinline)) enum kernel_status plain(const struct tile_layer *l,
                                                          const struct tile *t, uint8_t *l1) {
  struct nn_depthwise k;
  place(l, t, l1, &k);
  k.kappa = (const int32_t *)(const void *)(tile_w(l, t, l1) + l->filter_bytes);
  k.lambda = k.kappa + (l->out_bits < 32 ? l->tile_c : 0);
  return nn_depthwise(&k);
}

// A tile's filters: the channels' weights, up to a multiple of 4 bytes, then kappa and lambda, or
// lambda alone before sums, or a requantization's parameters.
static enum kernel_status run(const struct tile_layer *l, const struct tile *t, uint8_t *l1) {
  enum kernel_status status = (l->requant.used ? by_scheme : plain)(l, t, l1);
  return status == KERNEL_OK && l->clip ? tile_clip(l, t, l1) : status;
}

static uint32_t scratch(const struct tile_layer *l, const struct tile *t) {
  struct nn_requant_i32 any = {.scheme = NN_FOLDED, .bits = l->out_bits};
  struct nn_depthwise k;
  depthwise_of(l, t, &k);
  k.requant = l->requant.used ? &any : NULL;
  return nn_depthwise_buffer_size(&k);
}

const struct tile_kernel tile_depthwise = {"tile_depthwise", run, TILE_PLANS(scratch), NULL};
