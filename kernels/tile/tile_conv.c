// kernels/tile/tile_conv.c
#include <stddef.h>

#include "kernels/nn/nn_conv2d_filters.h"
#include "kernels/nn/nn_im2col.h"
#include "kernels/nn/nn_split.h"
#include "kernels/rt/rt.h"
#include "tile_kernel.h"

static struct nn_conv2d conv_of(const struct tile_layer *l, const struct tile *t) {
  return (struct nn_conv2d){.in_h = (uint16_t)t->in_rows,
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
                            .shift = l->shift,
                            .fours = l->fours};
}

static void place(const struct tile_layer *l, const struct tile *t, uint8_t *l1,
                  struct nn_conv2d *k) {
  k->in = tile_x(l, t, l1, 0), k->filters = tile_w(l, t, l1), k->out = tile_y(l, t, l1);
  k->scratch = l1 + l->scratch;
}

// Straight to the columns, with shares of the pixels that were known before.
static __attribute__((noinline)) void columns(const struct nn_conv2d *k, const struct tile_layer *l,
                                              const struct tile_share *mine) {
  struct nn_strip_u8 s = {.a_stride = l->in_c,
                          .blocks = k->filters,
                          .out_stride = l->out_c,
                          .words = l->plane,
                          .count = l->out_c / 4u,
                          .shift = l->shift};
  if (mine->begin < mine->end)
    nn_conv2d_by_columns(k, &s, (struct rt_range){mine->begin, mine->end}, l->out_w);
}

static enum kernel_status run(const struct tile_layer *l, const struct tile *t, uint8_t *l1) {
  struct nn_conv2d k = conv_of(l, t);
  place(l, t, l1, &k);
  if (!l->plane || !t->only || rt_core_count() != TILE_CORES)
    return nn_conv2d_u8_i8_u8(&k);
  columns(&k, l, &l->share[rt_core_id()]);
  return KERNEL_OK;
}

// The pixels' shares, and the words of a column, unless the cores are to share filters.
static void share(const struct tile_layer *l, const struct tile *t, uint32_t core,
                  struct tile_share *s) {
  (void)l;
  uint32_t pixels = (uint32_t)t->rows * t->columns, cores = rt_core_count();
  struct rt_range groups = nn_split_share((pixels + 3) / 4, cores, (pixels + 3) / 4 / cores, core);
  *s = (struct tile_share){(uint16_t)(groups.begin * 4), (uint16_t)(groups.end * 4), 0, 0};
  s->end = (uint16_t)(s->end < pixels ? s->end : pixels);
}

static void prepare(struct tile_layer *l) {
  struct nn_conv2d k = conv_of(l, &l->first);
  l->plane = 0;
  if ((uint32_t)l->first.rows * l->first.columns <= NN_SPLIT_COLUMNS * rt_core_count() ||
      !nn_conv2d_buffer_size(&k))
    return;
  l->plane = nn_im2col_words(&k);
  tile_shares(l, share);
}

static uint32_t scratch(const struct tile_layer *l, const struct tile *t) {
  struct nn_conv2d k = conv_of(l, t);
  return nn_conv2d_buffer_size(&k);
}

const struct tile_kernel tile_conv = {"tile_conv", run, TILE_PLANS(scratch), TILE_PLANS(prepare)};
