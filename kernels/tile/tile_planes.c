// kernels/tile/tile_planes.c: depthwise layers of 8 bits, three rows of up to three taps, columns
// one apart: planes and their inner loop (nn_planes.h, nn_dw_3.h), with shares and filters as the
// loop wants them known before. What nn_depthwise.h does for all shapes costs small layers more, as
// it runs cold.
#include <stddef.h>

#include "kernels/nn/nn_dw_3.h"
#include "kernels/nn/nn_planes.h"
#include "kernels/nn/nn_split.h"
#include "kernels/rt/rt.h"
#include "tile.h"

enum { KERNEL_ROWS = 3 };

static uint32_t fours_of(const struct tile *t) {
  return t->channels / 4u;
}

static uint32_t up(uint32_t value, uint32_t to) {
  return (value + to - 1) / to * to;
}

// Planes of as many channels at once as share a core's instruction cache well, and L1.
static uint16_t fours_at_once(uint32_t plane, uint32_t fours) {
  enum { BYTES = 3072, MOST = 8 };
  uint32_t at_once = 1;
  while (at_once < MOST && at_once < fours && 8 * at_once * plane <= BYTES)
    at_once *= 2;
  return (uint16_t)at_once;
}

// A plane has room for the rows of any core's share of any tile.
static void prepare(struct tile_layer *l) {
  uint32_t rows = 0, fours = 0, columns = 0;
  struct tile t = l->first;
  do {
    uint32_t k = nn_split_bands_count(t.rows, fours_of(&t));
    uint32_t here = (t.rows + (1u << k) - 1) >> k, parts = rt_core_count() >> k;
    rows = here > rows ? here : rows;
    here = (fours_of(&t) + parts - 1) / parts;
    fours = here > fours ? here : fours;
    here = (uint32_t)t.left + t.in_columns + t.right;
    columns = here > columns ? here : columns;
  } while (tile_next_shape(l, &t));
  uint32_t row = up(columns, 4) + 4; // words end beyond it
  uint32_t plane = row * ((rows - 1) * l->stride_h + KERNEL_ROWS);
  l->plane_row = (uint16_t)row;
  l->plane = ((plane / 4 + 1) | 1) * 4; // of odd words: other banks
  l->plane_fours = fours_at_once(l->plane, fours);
  tile_shares(l, tile_share_bands);
}

// A core's planes.
static uint32_t planes_bytes(const struct tile_layer *l) {
  return 4 * l->plane * l->plane_fours + 4;
}

static uint32_t scratch(const struct tile_layer *l, const struct tile *t) {
  (void)t;
  return rt_core_count() * planes_bytes(l);
}

static void channels(const struct tile_layer *l, const struct tile *t, uint8_t *l1,
                     const struct tile_share *mine) {
  int32_t top = (int32_t)(mine->begin * l->stride_h) - t->top,
          end = (int32_t)((mine->end - 1u) * l->stride_h) - t->top + KERNEL_ROWS;
  int32_t first = top < 0 ? 0 : top, last = end < t->in_rows ? end : t->in_rows;
  uint8_t *planes = l1 + l->scratch + rt_core_id() * planes_bytes(l);
  uint32_t flip = l->in_signed ? 0x80808080 : 0, pad = (uint8_t)l->pad_value * 0x01010101u;
  if (t->top | t->bottom | t->left | t->right)
    nn_planes_fill((uint32_t *)(void *)planes, l->plane * l->plane_fours, pad ^ flip);
  uint32_t pixel = t->channels;
  struct nn_planes in = {.src = tile_x(l, t, l1, 0) + (size_t)first * t->in_columns * pixel +
                                4 * mine->fours_begin,
                         .rows = last > first ? (uint32_t)(last - first) : 0,
                         .groups = t->in_columns / 4u,
                         .pixel = pixel,
                         .plane = l->plane,
                         .to_next = l->plane_row - up(t->in_columns, 4),
                         .rest = t->in_columns % 4u,
                         .pad = pad,
                         .flip = flip};
  struct nn_dw_3 out = {.row = l->plane_row,
                        .row_next = (uint32_t)l->stride_h * l->plane_row,
                        .plane_next = l->plane,
                        .out = tile_y(l, t, l1) + (size_t)mine->begin * t->columns * pixel +
                               4 * mine->fours_begin,
                        .out_next = 1,
                        .step = pixel,
                        .out_w = t->columns,
                        .out_h = (uint32_t)mine->end - mine->begin,
                        .filters = (const uint32_t *)(const void *)(tile_w(l, t, l1)) +
                                   4 * (size_t)NN_DW_3_WORDS * mine->fours_begin,
                        .shift = l->shift,
                        .most = l->out_signed ? 127 : 255};
  for (uint32_t left = (uint32_t)mine->fours_end - mine->fours_begin; left > 0;) {
    uint32_t now = left < l->plane_fours ? left : l->plane_fours;
    in.to = planes + (uint32_t)(first - top) * l->plane_row + t->left;
    in.fours = now;
    if (in.rows > 0)
      (flip ? nn_planes_8s : nn_planes_8u)(&in);
    in.src += 4 * now;
    out.plane = planes;
    out.count = 4 * now;
    (l->out_signed ? nn_dw_3_s1_s : nn_dw_3_s1_u)(&out); // leaves `out` behind the last channel
    left -= now;
  }
}

static enum kernel_status run(const struct tile_layer *l, const struct tile *t, uint8_t *l1) {
  struct tile_share own;
  const struct tile_share *mine = tile_mine(l, t, tile_share_bands, &own);
  if (mine->begin < mine->end && mine->fours_begin < mine->fours_end)
    channels(l, t, l1, mine);
  return l->clip ? tile_clip(l, t, l1) : KERNEL_OK;
}

const struct tile_kernel tile_planes = {"tile_planes", run, TILE_PLANS(scratch),
                                        TILE_PLANS(prepare)};
