// kernels/nn/nn_conv2d.c: sizes, packing, and the split of a convolution into strips.
#include "nn_conv2d.h"

#include <stdbool.h>
#include <stddef.h>

#include "kernels/rt/rt.h"
#include "nn_conv2d_filters.h"
#include "nn_im2col.h"
#include "nn_strip_u8.h"
#include "nn_window.h"

uint32_t nn_conv2d_out_h(const struct nn_conv2d *l) {
  return nn_window_count(l->in_h, (uint32_t)l->pad_top + l->pad_bottom, l->kernel_h, l->stride_h);
}

uint32_t nn_conv2d_out_w(const struct nn_conv2d *l) {
  return nn_window_count(l->in_w, (uint32_t)l->pad_left + l->pad_right, l->kernel_w, l->stride_w);
}

uint64_t nn_conv2d_macs(const struct nn_conv2d *l) {
  uint32_t outputs = nn_conv2d_out_h(l) * nn_conv2d_out_w(l) * l->out_c;
  return (uint64_t)outputs * ((uint32_t)l->kernel_h * l->kernel_w * l->in_c);
}

// One input pixel per output pixel, usable where it is.
static bool pointwise(const struct nn_conv2d *l) {
  return l->kernel_h == 1 && l->kernel_w == 1 && l->stride_h == 1 && l->stride_w == 1 &&
         !(l->pad_top | l->pad_bottom | l->pad_left | l->pad_right) && l->in_c % 4 == 0 &&
         l->in_c >= 8;
}

// A core's columns (nn_im2col.h), an odd number of words: no core's begin in another's bank.
static uint32_t columns_words(const struct nn_conv2d *l) {
  return nn_im2col_words(l) * 4 * (l->fours ? l->fours : 1u) + 1;
}

uint32_t nn_conv2d_buffer_size(const struct nn_conv2d *l) {
  return pointwise(l) ? 0 : rt_core_count() * columns_words(l) * 4;
}

uint32_t nn_conv2d_packed_size(const struct nn_conv2d *l) {
  return (l->out_c + 3u) / 4 * nn_block_size(nn_im2col_words(l));
}

// Filter f's byte `i` of its column: its weight, or 0 in the padding of a run.
static int8_t filter_byte(const struct nn_conv2d *l, const int8_t *weights, uint32_t f,
                          uint32_t i) {
  uint32_t used = (uint32_t)l->kernel_w * l->in_c;
  uint32_t run = nn_im2col_is_27(l) ? used : nn_im2col_run(l);
  uint32_t row = i / run, at = i % run;
  if (f >= l->out_c || row >= l->kernel_h || at >= used)
    return 0;
  return weights[((size_t)f * l->kernel_h + row) * used + at];
}

void nn_conv2d_pack(const struct nn_conv2d *l, void *packed, const int8_t *weights,
                    const int32_t *kappa, const int32_t *lambda) {
  uint32_t words = nn_im2col_words(l);
  struct rt_range blocks = rt_split((l->out_c + 3u) / 4, 1);
  for (uint32_t f = blocks.begin * 4; f < blocks.end * 4; f++) {
    int8_t *block = (int8_t *)packed + (size_t)(f / 4) * nn_block_size(words);
    for (uint32_t i = 0; i < words * 4; i++)
      block[(i / 4 * 4 + f % 4) * 4 + i % 4] = filter_byte(l, weights, f, i);
    int32_t *scale = (int32_t *)(void *)(block + words * 16) + f % 4 * 2;
    scale[0] = f < l->out_c ? kappa[f] : 0;
    scale[1] = f < l->out_c ? lambda[f] : 0;
  }
}

static enum kernel_status check(const struct nn_conv2d *l, bool outputs, bool direct) {
  if (!l->in_h || !l->in_w || !l->in_c || !l->out_c || !l->kernel_h || !l->kernel_w ||
      l->shift > 31 || !outputs)
    return KERNEL_BAD_SHAPE;
  if (!l->in || !l->filters || !l->out || (uintptr_t)l->filters % 4 != 0)
    return KERNEL_BAD_POINTER;
  if (!direct && (!l->scratch || (uintptr_t)l->scratch % 4 != 0))
    return KERNEL_BAD_POINTER;
  return KERNEL_OK;
}

__attribute__((noinline)) void nn_conv2d_last(const struct nn_strip_u8 *s, nn_strip_u8_fn *run,
                                              nn_strip_u8_fn *one, uint32_t pixels, uint32_t rest) {
  uint32_t block[4]; // one word per pixel
  struct nn_strip_u8 last = *s;
  last.blocks = (const uint8_t *)s->blocks +
                (size_t)s->count * (nn_block_size(s->words) + s->before + s->behind);
  if (pixels == 4) {
    last.out += s->count * 4;
    for (last.count = 0; last.count < rest; last.count++, last.out++)
      one(&last);
    return;
  }
  last.out = (uint8_t *)block;
  last.out_stride = 4;
  last.count = 1;
  run(&last);
  for (uint32_t p = 0; p < pixels; p++) {
    for (uint32_t f = 0; f < rest; f++)
      s->out[(size_t)p * s->out_stride + s->count * 4 + f] = ((uint8_t *)block)[p * 4 + f];
  }
}

// The columns of the next `count` pixels, at most four. Small, as its loop and the strips' share
// 512 bytes of instruction cache.
static __attribute__((noinline)) void make_columns(const struct nn_conv2d *l, uint32_t *columns,
                                                   uint32_t count, struct nn_im2col_place *at) {
#pragma GCC unroll 1
  for (uint32_t i = 0; i < count; i++) {
    if (nn_im2col_is_whole(l, at))
      nn_im2col_whole(l, at, columns + i);
    else
      nn_im2col_u8(l, at->y, at->x, columns + i);
    if (++at->x == at->out_w) {
      at->x = 0;
      at->y++;
      nn_im2col_row(l, at);
    }
  }
}

void nn_conv2d_by_columns(const struct nn_conv2d *l, struct nn_strip_u8 *s, struct rt_range mine,
                          uint32_t out_w) {
  uint32_t rest = l->out_c % 4, y = mine.begin / out_w, fours = l->fours ? l->fours : 1u;
  uint32_t *columns = (uint32_t *)l->scratch + rt_core_id() * columns_words(l);
  struct nn_im2col_place at = {
      .y = y, .x = mine.begin - y * out_w, .out_w = out_w, .pixel = l->in_c};
  struct nn_im2col_27 narrow;
  bool is_27 = nn_im2col_is_27(l);
  if (is_27)
    nn_im2col_27_begin(l, &narrow, y, at.x);
  else
    nn_im2col_row(l, &at);
  narrow.out_w = out_w;
  nn_strip_u8_fn *run = nn_strip_u8_i8_u8_columns[3]; // once, as L2 is 20 cycles away
  s->a = columns;
  s->out = l->out + (size_t)mine.begin * l->out_c;
  for (uint32_t left = mine.end - mine.begin; left > 0;) {
    uint32_t each = left < 4 ? left : 4;
    if (each < 4)
      run = nn_strip_u8_i8_u8_columns[each - 1];
    s->strips = left < 4 ? 1 : left / 4 < fours ? left / 4 : fours;
    left -= each * s->strips;
    if (is_27)
      nn_im2col_27(l, &narrow, columns, each * s->strips);
    for (uint32_t i = 0; i < s->strips && !is_27; i++)
      make_columns(l, columns + i * s->words * 4, each, &at);
    if (s->count > 0)
      run(s);
    if (rest > 0)
      nn_conv2d_last(s, run, nn_strip_u8_one_columns, each, rest);
    s->out += s->strips * 4 * (size_t)l->out_c;
  }
}

// Pointwise: all groups of four at once.
static void by_rows(const struct nn_conv2d *l, struct nn_strip_u8 *s, struct rt_range mine) {
  uint32_t rest = l->out_c % 4;
  s->a = l->in + (size_t)mine.begin * l->in_c;
  s->out = l->out + (size_t)mine.begin * l->out_c;
  for (uint32_t left = mine.end - mine.begin; left > 0;) {
    uint32_t count = left < 4 ? left : 4;
    nn_strip_u8_fn *run = nn_strip_u8_i8_u8_rows[count - 1];
    s->strips = left < 4 ? 1 : left / 4;
    if (s->count > 0)
      run(s);
    if (rest > 0)
      nn_conv2d_last(s, run, nn_strip_u8_one_rows, count, rest);
    count *= s->strips;
    s->a = (const uint8_t *)s->a + (size_t)count * l->in_c;
    s->out += (size_t)count * l->out_c;
    left -= count;
  }
}

enum kernel_status nn_conv2d_u8_i8_u8(const struct nn_conv2d *l) {
  KERNEL_CHECK(l->stride_h && l->stride_w ? KERNEL_OK : KERNEL_BAD_SHAPE); // of divisions
  uint32_t out_h = nn_conv2d_out_h(l), out_w = nn_conv2d_out_w(l);
  bool direct = pointwise(l);
  KERNEL_CHECK(check(l, out_h && out_w, direct));
  struct nn_strip_u8 s = {
      .a_stride = l->in_c,
      .blocks = l->filters,
      .out_stride = l->out_c,
      .words = nn_im2col_words(l),
      .count = l->out_c / 4u,
      .shift = l->shift,
      .strips = 1,
  };
  if (out_h * out_w == 1 && !direct && nn_conv2d_one_pixel(l, &s))
    return KERNEL_OK;
  if (out_h * out_w <= (direct ? NN_SPLIT_ROWS : NN_SPLIT_COLUMNS) * rt_core_count() &&
      nn_conv2d_by_filters(l, &s, out_h * out_w, out_w, direct))
    return KERNEL_OK;
  struct rt_range mine = rt_split(out_h * out_w, 4);
  if (direct)
    by_rows(l, &s, mine);
  else
    nn_conv2d_by_columns(l, &s, mine, out_w);
  return KERNEL_OK;
}
