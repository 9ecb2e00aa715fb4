// kernels/nn/nn_conv2d_filters.c
#include "nn_conv2d_filters.h"

#include <stddef.h>

#include "nn_im2col.h"

// `count` pixels from `first` on, this core's filters of them.
static void strip(const struct nn_conv2d *l, struct nn_strip_u8 *s, const struct nn_split *split,
                  nn_strip_u8_fn *run, nn_strip_u8_fn *one, uint32_t first, uint32_t count) {
  s->out = l->out + (size_t)first * l->out_c + split->blocks.begin * 4;
  if (s->count > 0)
    run(s);
  if (split->blocks.end * 4 > l->out_c)
    nn_conv2d_last(s, run, one, count, l->out_c % 4u);
}

// Pointwise: whole groups of four at once.
static void by_rows(const struct nn_conv2d *l, struct nn_strip_u8 *s, const struct nn_split *split,
                    uint32_t pixels) {
  uint32_t end = split->groups.end * 4;
  end = end < pixels ? end : pixels;
  for (uint32_t at = split->groups.begin * 4; at < end;) {
    uint32_t left = end - at, count = left < 4 ? left : 4;
    s->a = l->in + (size_t)at * l->in_c;
    s->strips = left < 4 ? 1 : left / 4;
    strip(l, s, split, nn_strip_u8_i8_u8_rows[count - 1], nn_strip_u8_one_rows, at, count);
    at += count * s->strips;
  }
}

// This core's share of the columns of `count` pixels: whole ones, or if they are few rows of the
// kernel.
static void make_columns(const struct nn_conv2d *l, const struct nn_split *split, uint32_t first,
                         uint32_t count, uint32_t out_w, uint32_t *columns) {
  bool is_27 = nn_im2col_is_27(l);
  if (2 * count >= split->members || is_27) {
    for (uint32_t i = split->member; i < count; i += split->members) {
      uint32_t y = (first + i) / out_w, x = first + i - y * out_w;
      if (is_27)
        nn_im2col_27_of(l, y, x, columns + i);
      else
        nn_im2col_u8(l, y, x, columns + i);
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
      strip(l, s, split, nn_strip_u8_i8_u8_columns[count - 1], nn_strip_u8_one_columns, first,
            count);
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

// Taps begin..end - 1 of `kernel`, the first at `at` of `size`, are inside.
static struct rt_range inside(int32_t at, uint32_t size, uint32_t kernel) {
  int32_t begin = at < 0 ? -at : 0, most = (int32_t)size - at;
  int32_t end = most < (int32_t)kernel ? most : (int32_t)kernel;
  return (struct rt_range){(uint32_t)begin, end > begin ? (uint32_t)end : (uint32_t)begin};
}

bool nn_conv2d_one_pixel(const struct nn_conv2d *l, struct nn_strip_u8 *s) {
  struct rt_range rows = inside(-l->pad_top, l->in_h, l->kernel_h);
  struct rt_range taps = inside(-l->pad_left, l->in_w, l->kernel_w);
  uint32_t high = rows.end - rows.begin, wide = taps.end - taps.begin, pixel = l->in_c;
  bool whole = wide == l->kernel_w && wide == l->in_w; // rows follow one another, in both
  uint32_t first = taps.begin * pixel, bytes = high * wide * pixel;
  if (bytes < 8 || (high > 1 && !whole) || (first | bytes | (whole ? wide * pixel : 0)) % 4 ||
      nn_im2col_is_27(l))
    return false;
  uint32_t all = s->words, begin = (rows.begin * nn_im2col_run(l) + first) / 4;
  struct rt_range mine = rt_share((l->out_c + 3u) / 4);
  if (mine.begin == mine.end)
    return true;
  uint32_t y = rows.begin - l->pad_top, x = taps.begin - l->pad_left;
  s->a = l->in + (y * l->in_w + x) * pixel;
  s->words = bytes / 4;
  s->before = begin * 16;
  s->behind = (all - begin - s->words) * 16;
  s->blocks = (const uint8_t *)s->blocks + (size_t)mine.begin * nn_block_size(all) + s->before;
  s->out = l->out + mine.begin * 4;
  s->count = mine.end - mine.begin - (mine.end * 4 > l->out_c);
  nn_strip_u8_fn *run = nn_strip_u8_i8_u8_rows[0];
  if (s->count > 0)
    run(s);
  if (mine.end * 4 > l->out_c)
    nn_conv2d_last(s, run, NULL, 1, l->out_c % 4u);
  return true;
}
