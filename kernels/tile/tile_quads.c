// kernels/tile/tile_quads.c: depthwise layers of 8 bits, 3 x 3, columns two apart, with shares that
// were known before.
#include <stddef.h>

#include "kernels/nn/nn_dw_quad.h"
#include "tile_kernel.h"

static void prepare(struct tile_layer *l) {
  tile_shares(l, tile_share_bands);
}

static enum kernel_status run(const struct tile_layer *l, const struct tile *t, uint8_t *l1) {
  struct tile_share own;
  const struct tile_share *mine = tile_mine(l, t, tile_share_bands, &own);
  const int32_t *kappa = (const int32_t *)(const void *)(tile_w(l, t, l1) + l->filter_bytes);
  const struct nn_depthwise k = {.in = tile_x(l, t, l1, 0),
                                 .weights = tile_w(l, t, l1),
                                 .kappa = kappa,
                                 .lambda = kappa + l->tile_c,
                                 .out = tile_y(l, t, l1),
                                 .in_h = t->in_rows,
                                 .in_w = t->in_columns,
                                 .channels = t->channels,
                                 .kernel_h = l->kernel_h,
                                 .kernel_w = l->kernel_w,
                                 .stride_h = l->stride_h,
                                 .stride_w = l->stride_w,
                                 .pad_top = t->top,
                                 .pad_bottom = t->bottom,
                                 .pad_left = t->left,
                                 .pad_right = t->right,
                                 .shift = l->shift,
                                 .in_bits = l->in_bits,
                                 .weight_bits = l->weight_bits,
                                 .out_bits = l->out_bits,
                                 .in_signed = l->in_signed,
                                 .out_signed = l->out_signed};
  if (mine->begin < mine->end && mine->fours_begin < mine->fours_end)
    nn_dw_quads(&k, t->columns, (struct rt_range){mine->begin, mine->end},
                (struct rt_range){4u * mine->fours_begin, 4u * mine->fours_end});
  return l->clip ? tile_clip(l, t, l1) : KERNEL_OK;
}

const struct tile_kernel tile_quads = {"tile_quads", run, NULL, TILE_PLANS(prepare)};
