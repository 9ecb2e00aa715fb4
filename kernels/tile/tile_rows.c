// kernels/tile/tile_rows.c: pointwise layers whose channels are whole fours: straight to the
// strips, with shares that were known before. What nn_conv2d.h does for all shapes costs small
// layers more, as it runs cold.
#include <stddef.h>

#include "kernels/nn/nn_split.h"
#include "kernels/nn/nn_strip_u8.h"
#include "kernels/rt/rt.h"
#include "tile_kernel.h"

// As nn_conv2d.h shares pixels and filters.
static void share(const struct tile_layer *l, const struct tile *t, uint32_t core,
                  struct tile_share *s) {
  (void)l;
  uint32_t pixels = (uint32_t)t->rows * t->columns, groups = (pixels + 3) / 4,
           fours = t->channels / 4u, cores = rt_core_count(), k = 0;
  if (pixels <= NN_SPLIT_ROWS * cores)
    k = nn_split_members(groups, fours, 0);
  uint32_t parts = cores >> k, part = core >> k;
  *s = (struct tile_share){0, 0, 0, 0};
  if (part >= parts)
    return; // a core too many
  struct rt_range g = nn_split_share(groups, parts, nn_split_divide(groups, k), part),
                  f = nn_split_share(fours, 1u << k, fours >> k, core & ((1u << k) - 1));
  if (g.begin == g.end)
    return;
  s->begin = (uint16_t)(g.begin * 4);
  s->end = (uint16_t)(g.end * 4 < pixels ? g.end * 4 : pixels);
  s->fours_begin = (uint16_t)f.begin;
  s->fours_end = (uint16_t)f.end;
}

static void prepare(struct tile_layer *l) {
  tile_shares(l, share);
}

static void strips(const struct tile_layer *l, const struct tile *t, uint8_t *l1,
                   const struct tile_share *mine) {
  uint32_t words = l->in_c / 4u, pixels = mine->end - mine->begin;
  struct nn_strip_u8 s = {
      .a = tile_x(l, t, l1, 0) + (size_t)mine->begin * l->in_c,
      .a_stride = l->in_c,
      .blocks = tile_w(l, t, l1) + (size_t)mine->fours_begin * nn_block_size(words),
      .out = tile_y(l, t, l1) + (size_t)mine->begin * t->channels + 4 * mine->fours_begin,
      .out_stride = t->channels,
      .words = words,
      .count = (uint32_t)mine->fours_end - mine->fours_begin,
      .shift = l->shift,
      .strips = pixels / 4};
  if (s.count == 0)
    return;
  if (s.strips > 0)
    nn_strip_u8_i8_u8_rows[3](&s);
  if (pixels % 4 == 0)
    return;
  s.a = (const uint8_t *)s.a + (size_t)(pixels & ~3u) * l->in_c;
  s.out += (size_t)(pixels & ~3u) * t->channels;
  nn_strip_u8_i8_u8_rows[pixels % 4 - 1](&s);
}

static enum kernel_status run(const struct tile_layer *l, const struct tile *t, uint8_t *l1) {
  struct tile_share own;
  strips(l, t, l1, tile_mine(l, t, share, &own));
  return KERNEL_OK;
}

const struct tile_kernel tile_rows = {"tile_rows", run, NULL, TILE_PLANS(prepare)};
