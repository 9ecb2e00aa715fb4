// kernels/nn/nn_conv2d_filters.c
#include "nn_conv2d_filters.h"

#include <stddef.h>

#include "nn_im2col.h"

// `count` pixels from `first` on, this core's filters of them.
static void strip(const struct nn_conv2d *l, struct nn_strip_u8 *s, const struct nn_split *split,
                  nn_strip_u8_fn *run, uint32_t first, uint32_t count) {
  s->out = l->out + (size_t)first * l->out_c + split->blocks.begin * 4;
  if (s->count > 0)
    run(s);
  if (split->blocks.end * 4 > l->out_c)
    nn_conv2d_last(s, run, count, l->out_c % 4u);
}

// Pointwise: whole groups of four at once, unless the last filters are not four.
static void by_rows(const struct nn_conv2d *l, struct nn_strip_u8 *s, const struct nn_split *split,
                    uint32_t pixels) {
  uint32_t end = split->groups.end * 4;
  end = end < pixels ? end : pixels;
  bool rest = split->blocks.end * 4 > l->out_c;
  for (uint32_t at = split->groups.begin * 4; at < end;) {
    uint32_t left = end - at, count = left < 4 ? left : 4;
    s->a = l->in + (size_t)at * l->in_c;
    s->strips = rest || left < 4 ? 1 : left / 4;
    strip(l, s, split, nn_strip_u8_i8_u8_rows[count - 1], at, count);
    at += count * s->strips;
  }
}

// This core's share of the columns of `count` pixels: whole ones, or if they are few rows of the
// kernel.
static void make_columns(const struct nn_conv2d *l, const struct nn_split *split, uint32_t first,
                         uint32_t count, uint32_t out_w, uint32_t *columns) {
  if (2 * count >= split->members) {
    for (uint32_t i = split->member; i < count; i += split->members) {
      uint32_t y = (first + i) / out_w;
      nn_im2col_u8(l, y, first + i - y * out_w, columns + i);
    }
    return;
  }
  struct nn_conv2d row = *l; // of the kernel, as one of its own
  row.kernel_h = row.stride_h = 1;
  for (uint32_t i = split->member; i < count * l->kernel_h; i += split->members) {
    uint32_t p = i / l->kernel_h, k = i - p * l->kernel_h, y = (first + p) / out_w;
    nn_im2col_u8(&row, y * l->stride_h + k, first + p - y * out_w,
                 columns + p + k * nn_im2col_run(l));
  }
}

// Cores of a part make the columns of four pixels together, and each computes its filters of them.
// All parts take as many turns, as they wait for each other.
static void by_columns(const struct nn_conv2d *l, struct nn_strip_u8 *s,
                       const struct nn_split *split, uint32_t pixels, uint32_t out_w) {
  uint32_t *columns = (uint32_t *)l->scratch + (size_t)split->part * s->words * 4;
  s->a = columns;
  for (uint32_t turn = 0; turn < split->turns; turn++) {
    uint32_t group = split->groups.begin + turn, first = group * 4, count = 0;
    if (group < split->groups.end)
      count = pixels - first < 4 ? pixels - first : 4;
    if (turn > 0)
      rt_barrier(); // all are done with the columns
    if (count > 0)
      make_columns(l, split, first, count, out_w, columns);
    rt_barrier();
    if (count > 0 && split->blocks.begin < split->blocks.end)
      strip(l, s, split, nn_strip_u8_i8_u8_columns[count - 1], first, count);
  }
}

bool nn_conv2d_by_filters(const struct nn_conv2d *l, struct nn_strip_u8 *s, uint32_t pixels,
                          uint32_t out_w, bool direct) {
  const struct nn_split split =
      nn_split_of((pixels + 3) / 4, (l->out_c + 3u) / 4, direct ? 0 : NN_SPLIT_MADE);
  if (split.members == 1)
    return false;
  s->blocks = (const uint8_t *)s->blocks + (size_t)split.blocks.begin * nn_block_size(s->words);
  s->count = split.blocks.end - split.blocks.begin - (split.blocks.end * 4 > l->out_c);
  if (!direct)
    by_columns(l, s, &split, pixels, out_w);
  else if (split.blocks.begin < split.blocks.end)
    by_rows(l, s, &split, pixels);
  return true;
}
