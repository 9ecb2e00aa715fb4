// kernels/nn/nn_conv2d.c: sizes, packing, and the split of a convolution into strips.
#include "nn_conv2d.h"

#include <stdbool.h>
#include <stddef.h>

#include "kernels/rt/rt.h"
#include "nn_im2col.h"
#include "nn_strip_u8.h"

static uint32_t out_size(uint32_t in, uint32_t pads, uint32_t kernel, uint32_t stride) {
  return in + pads < kernel ? 0 : (in + pads - kernel) / stride + 1;
}

uint32_t nn_conv2d_out_h(const struct nn_conv2d *l) {
  return out_size(l->in_h, (uint32_t)l->pad_top + l->pad_bottom, l->kernel_h, l->stride_h);
}

uint32_t nn_conv2d_out_w(const struct nn_conv2d *l) {
  return out_size(l->in_w, (uint32_t)l->pad_left + l->pad_right, l->kernel_w, l->stride_w);
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

// Four columns (nn_im2col.h).
static uint32_t columns_words(const struct nn_conv2d *l) {
  return nn_im2col_words(l) * 4;
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
  uint32_t run = nn_im2col_run(l), used = (uint32_t)l->kernel_w * l->in_c;
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

static enum kernel_status check(const struct nn_conv2d *l) {
  if (!l->in_h || !l->in_w || !l->in_c || !l->out_c || !l->kernel_h || !l->kernel_w ||
      !l->stride_h || !l->stride_w || l->shift > 31 || !nn_conv2d_out_h(l) || !nn_conv2d_out_w(l))
    return KERNEL_BAD_SHAPE;
  if (!l->in || !l->filters || !l->out || (uintptr_t)l->filters % 4 != 0)
    return KERNEL_BAD_POINTER;
  if (!pointwise(l) && (!l->scratch || (uintptr_t)l->scratch % 4 != 0))
    return KERNEL_BAD_POINTER;
  return KERNEL_OK;
}

// `pixels` pixels times all filters. The last filters, if not four, are computed as four, into a
// buffer of their own, and copied as far as they exist.
static void strip(const struct nn_conv2d *l, struct nn_strip_u8 *s, nn_strip_u8_fn *run,
                  uint32_t pixels) {
  if (s->count > 0)
    run(s);
  uint32_t rest = l->out_c % 4;
  if (rest == 0)
    return;
  uint32_t block[4]; // one word per pixel
  struct nn_strip_u8 last = *s;
  last.blocks = (const uint8_t *)s->blocks + (size_t)s->count * nn_block_size(s->words);
  last.out = (uint8_t *)block;
  last.out_stride = 4;
  last.count = 1;
  run(&last);
  for (uint32_t p = 0; p < pixels; p++) {
    for (uint32_t f = 0; f < rest; f++)
      s->out[(size_t)p * s->out_stride + s->count * 4 + f] = ((uint8_t *)block)[p * 4 + f];
  }
}

// Output pixels begin..end, four at a time.
static void pixels(const struct nn_conv2d *l, struct nn_strip_u8 *s, struct rt_range mine) {
  bool direct = pointwise(l);
  uint32_t *columns =
      direct ? NULL : (uint32_t *)l->scratch + (size_t)rt_core_id() * columns_words(l);
  uint32_t out_w = nn_conv2d_out_w(l);
  uint32_t y = mine.begin / out_w, x = mine.begin % out_w;
  for (uint32_t p = mine.begin; p < mine.end; p += 4) {
    uint32_t count = mine.end - p < 4 ? mine.end - p : 4;
    for (uint32_t i = 0; i < count && !direct; i++) {
      nn_im2col_u8(l, y, x, columns + i);
      if (++x == out_w) {
        x = 0;
        y++;
      }
    }
    s->a = direct ? l->in + (size_t)p * l->in_c : (const void *)columns;
    s->out = l->out + (size_t)p * l->out_c;
    strip(l, s, (direct ? nn_strip_u8_i8_u8_rows : nn_strip_u8_i8_u8_columns)[count - 1], count);
  }
}

enum kernel_status nn_conv2d_u8_i8_u8(const struct nn_conv2d *l) {
  KERNEL_CHECK(check(l));
  struct nn_strip_u8 s = {
      .a_stride = l->in_c,
      .blocks = l->filters,
      .out_stride = l->out_c,
      .words = nn_im2col_words(l),
      .count = l->out_c / 4u,
      .shift = l->shift,
  };
  pixels(l, &s, rt_split(nn_conv2d_out_h(l) * nn_conv2d_out_w(l), 4));
  return KERNEL_OK;
}
