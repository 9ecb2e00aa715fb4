// kernels/nn/nn_mixed_plan.c: the plan, and the columns (nn_im2col.h) of packed activations.
#include "nn_mixed_plan.h"

#include "kernels/rt/rt.h"
#include "nn_spread.h"
#include "nn_strip_mixed.h"

#ifndef __riscv
#include <string.h>

static void expand(uint32_t *dst, const uint8_t *src, uint32_t words, uint32_t from, uint32_t to,
                   uint32_t flip) {
  uint32_t parts = to / from, mask = 0;
  for (uint32_t lane = 0; lane < 32; lane += to)
    mask |= ((1u << from) - 1) << lane;
  for (uint32_t i = 0; i < words * parts; i++) {
    uint32_t word;
    memcpy(&word, src + i / parts * 4, 4);
    dst[4 * i] = (word ^ flip) >> from * (i % parts) & mask;
  }
}
#define EXPAND(name, from, to, flip)                                                               \
  void name(uint32_t *dst, const uint8_t *src, uint32_t words) {                                   \
    expand(dst, src, words, from, to, flip);                                                       \
  }
EXPAND(nn_expand_4to8, 4, 8, 0)
EXPAND(nn_expand_2to8, 2, 8, 0)
EXPAND(nn_expand_2to4, 2, 4, 0)
EXPAND(nn_flip_4to8, 4, 8, 0x88888888)
EXPAND(nn_flip_2to8, 2, 8, 0xaaaaaaaa)
EXPAND(nn_flip_4to4, 4, 4, 0x88888888)
EXPAND(nn_flip_2to4, 2, 4, 0xaaaaaaaa)
EXPAND(nn_flip_2to2, 2, 2, 0xaaaaaaaa)
#endif

static nn_expand_fn *expand_of(uint32_t from, uint32_t to, bool flip) {
  if (from == 8)
    return NULL;
  if (from == 4 && to == 4)
    return flip ? nn_flip_4to4 : NULL;
  if (from == 4)
    return flip ? nn_flip_4to8 : nn_expand_4to8;
  if (to == 2)
    return flip ? nn_flip_2to2 : NULL;
  if (to == 4)
    return flip ? nn_flip_2to4 : nn_expand_2to4;
  return flip ? nn_flip_2to8 : nn_expand_2to8;
}

// A 1x1 layer of bytes in whole words with a scheme's end.
static bool rows_of(const struct nn_mixed_plan *p, const struct nn_mixed *l) {
  const struct nn_conv2d *s = &l->shape;
  return p->strip_bits == 0 && l->in_bits == 8 && l->weight_bits == 8 && s->kernel_h == 1 &&
         s->kernel_w == 1 && s->stride_h == 1 && s->stride_w == 1 &&
         !(s->pad_top | s->pad_bottom | s->pad_left | s->pad_right) && p->steps * 4 == s->in_c;
}

// Sharing pixels is best, unless some cores would have none.
static bool by_filters(const struct nn_mixed_plan *p) {
  uint32_t cores = rt_core_count(), groups = (p->out_h * p->out_w + 3) / 4;
  return groups < cores && groups * ((p->blocks + cores - 1) / cores) < p->blocks;
}

// As many as have columns of 1152 bytes, those of 3x3 windows of 32 bytes; four at most.
static uint32_t strips_of(const struct nn_mixed_plan *p, const struct nn_mixed *l) {
  if (!nn_strip_mixed_repeats(p->compute, l->weight_bits, p->strip_bits) || p->by_filters ||
      l->out_signed || l->shape.out_c % 4 > 0)
    return 1;
  return p->words <= 18 ? 4 : p->words <= 36 ? 2 : 1;
}

// 1, 2 or 4: a division would take ten times as long.
static uint32_t ratio(uint32_t wide, uint32_t narrow) {
  return wide == narrow ? 1 : wide == 2 * narrow ? 2 : 4;
}

static struct nn_end end_of(const struct nn_mixed *l) {
  const struct nn_conv2d *s = &l->shape;
  uint32_t weights = (uint32_t)s->kernel_h * s->kernel_w * s->in_c;
  if (l->requant->end.kind != NN_END_ASK)
    return l->requant->end;
  return nn_end_of(l->requant, s->out_c, nn_end_sums(weights, l->in_bits, l->weight_bits));
}

void nn_mixed_plan_of(struct nn_mixed_plan *p, const struct nn_mixed *l) {
  p->compute = 8;
  if (l->xpulpnn)
    p->compute = l->in_bits > l->weight_bits ? l->in_bits : l->weight_bits;
  p->is_signed = l->in_signed && l->in_bits == 8;
  p->flipped = l->in_signed && !p->is_signed;
  p->parts = ratio(p->compute, l->in_bits);
  p->per_step = ratio(p->compute, l->weight_bits);
  p->pixel = nn_bits_bytes(l->shape.in_c, l->in_bits);
  p->run_bytes = l->shape.kernel_w * p->pixel;
  p->run_words = (p->run_bytes + 3) / 4;
  p->words = (l->shape.kernel_h * p->run_words * p->parts + p->per_step - 1) & ~(p->per_step - 1);
  if (p->words < 2 && p->per_step == 1) // nn_strip_macload.S takes two steps
    p->words = 2;
  p->steps = p->words >> p->per_step / 2;
  p->pad = nn_bits_all(l->pad_value, l->in_bits);
  p->zero = (uint32_t)l->pad_value & ((1u << l->in_bits) - 1);
  p->zero = nn_bits_all((int32_t)(p->zero ^ (uint32_t)p->flipped << (l->in_bits - 1)), p->compute);
  p->strip_bits = l->out_bits;
  if (l->requant) {
    p->end = end_of(l);
    p->strip_bits = p->end.kind == NN_END_NONE ? 32 : 0;
  }
  p->blocks = (l->shape.out_c + 3u) / 4;
  p->block_bytes = nn_mixed_block_size(p->steps);
  p->out_h = nn_conv2d_out_h(&l->shape);
  p->out_w = nn_conv2d_out_w(&l->shape);
  p->expand = expand_of(l->in_bits, p->compute, p->flipped);
  p->rows = rows_of(p, l);
  p->by_filters = by_filters(p) && !p->rows;
  p->strips = strips_of(p, l);
}

static void spread(const struct nn_mixed_plan *p, uint32_t *dst, const uint8_t *src,
                   uint32_t words) {
  if (p->expand)
    p->expand(dst, src, words);
  else
    nn_spread_rows(dst, src, words, 1, 0, 0);
}

// `count` packed bytes at `at` in a run of `words` words that are `pad` elsewhere.
static void fill_run(uint32_t *words_of_run, uint32_t words, uint32_t pad, uint32_t at,
                     const uint8_t *src, uint32_t count) {
  for (uint32_t i = 0; i < words; i++)
    words_of_run[i] = pad;
  uint8_t *run = (uint8_t *)words_of_run + at;
  if (count / 4 > 0)
    rt_copy_words(run, src, count / 4);
  for (uint32_t i = count / 4 * 4; i < count; i++)
    run[i] = src[i];
}

// A row under the kernel of which pixels left..right - 1 are inside; `src` is the first of them.
static void row_of(const struct nn_mixed_plan *p, uint32_t kernel_w, uint32_t left, uint32_t right,
                   const uint8_t *src, uint32_t *column, uint32_t *run) {
  uint32_t words = p->pixel / 4;
  if (p->pixel % 4 == 0) {
    uint32_t before = left * words * p->parts, inside = (right - left) * words * p->parts;
    if (left > 0)
      nn_spread_fill(column, before, p->zero);
    spread(p, column + 4 * before, src, (right - left) * words);
    if (right < kernel_w)
      nn_spread_fill(column + 4 * (before + inside), (kernel_w - right) * words * p->parts,
                     p->zero);
  } else {
    fill_run(run, p->run_words, p->pad, left * p->pixel, src, (right - left) * p->pixel);
    spread(p, column, (const uint8_t *)run, p->run_words);
  }
}

void nn_mixed_column(const struct nn_mixed *l, const struct nn_mixed_plan *p, uint32_t y,
                     uint32_t x, uint32_t *column, uint32_t *run) {
  const struct nn_conv2d *s = &l->shape;
  int32_t y0 = (int32_t)(y * s->stride_h) - s->pad_top, kernel_h = s->kernel_h;
  int32_t x0 = (int32_t)(x * s->stride_w) - s->pad_left, kernel_w = s->kernel_w;
  int32_t top = y0 < 0 ? -y0 : 0, bottom = s->in_h - y0 < kernel_h ? s->in_h - y0 : kernel_h;
  int32_t left = x0 < 0 ? -x0 : 0, right = s->in_w - x0 < kernel_w ? s->in_w - x0 : kernel_w;
  uint32_t words = p->run_words * p->parts, row_bytes = s->in_w * p->pixel;
  if (left >= right || top >= bottom) {
    nn_spread_fill(column, words * (uint32_t)kernel_h, p->zero);
    return;
  }
  if (top > 0) {
    nn_spread_fill(column, words * (uint32_t)top, p->zero);
    column += words * 4 * (uint32_t)top;
  }
  const uint8_t *src = s->in + (((y0 + top) * s->in_w) + x0 + left) * (int32_t)p->pixel;
  uint32_t rows = (uint32_t)(bottom - top);
  // Words of the last row may not reach beyond the input; what they read too much meets zeros.
  const uint8_t *end = src + (rows - 1) * row_bytes + p->run_words * 4;
  bool whole = right - left == kernel_w && end <= s->in + s->in_h * row_bytes;
  if (whole && !p->expand) {
    nn_spread_rows(column, src, p->run_words, rows, row_bytes, 0);
    column += words * 4 * rows;
  } else {
    for (; rows > 0; rows--, column += words * 4, src += row_bytes) {
      if (whole)
        p->expand(column, src, p->run_words);
      else
        row_of(p, (uint32_t)kernel_w, (uint32_t)left, (uint32_t)right, src, column, run);
    }
  }
  if (bottom < kernel_h)
    nn_spread_fill(column, words * (uint32_t)(kernel_h - bottom), p->zero);
}

void nn_mixed_column_part(const struct nn_mixed *l, const struct nn_mixed_plan *p, uint32_t begin,
                          uint32_t end, uint32_t *column, uint32_t *run) {
  uint32_t whole = p->run_bytes / 4;
  uint32_t words = (end < whole ? end : whole) - (begin < whole ? begin : whole);
  column += begin * p->parts * 4;
  if (words > 0)
    spread(p, column, l->shape.in + begin * 4, words);
  if (begin + words < end) { // the last, partial word
    fill_run(run, 1, 0, 0, l->shape.in + whole * 4, p->run_bytes % 4);
    spread(p, column + words * p->parts * 4, (const uint8_t *)run, 1);
  }
}
