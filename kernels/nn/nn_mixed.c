// kernels/nn/nn_mixed.c: sizes, packing, columns and split of the mixed-precision convolution.
#include "nn_mixed.h"

#include "kernels/rt/rt.h"
#include "nn_expand.h"
#include "nn_spread.h"
#include "nn_strip_mixed.h"

#ifndef __riscv
#include <string.h>

static void expand(uint32_t *dst, const uint8_t *src, uint32_t words, uint32_t from, uint32_t to,
                   uint32_t mask) {
  for (uint32_t i = 0; i < words * (to / from); i++) {
    uint32_t word;
    memcpy(&word, src + i / (to / from) * 4, 4);
    dst[4 * i] = word >> from * (i % (to / from)) & mask;
  }
}
void nn_expand_4to8(uint32_t *dst, const uint8_t *src, uint32_t words) {
  expand(dst, src, words, 4, 8, 0x0f0f0f0f);
}
void nn_expand_2to8(uint32_t *dst, const uint8_t *src, uint32_t words) {
  expand(dst, src, words, 2, 8, 0x03030303);
}
void nn_expand_2to4(uint32_t *dst, const uint8_t *src, uint32_t words) {
  expand(dst, src, words, 2, 4, 0x33333333);
}
#endif

// What follows from a layer's precisions.
struct plan {
  uint32_t compute;   // bits of a lane
  uint32_t parts;     // compute words per packed word of activations
  uint32_t per_step;  // compute words per word of weights
  uint32_t pixel;     // bytes of an input pixel
  uint32_t run_bytes; // of a row under the kernel
  uint32_t run_words;
  uint32_t words;       // compute words of a column, a multiple of per_step
  nn_expand_fn *expand; // NULL: activations are compute words
};

static struct plan plan_of(const struct nn_mixed *l) {
  struct plan p = {.compute = 8};
  if (l->xpulpnn)
    p.compute = l->in_bits > l->weight_bits ? l->in_bits : l->weight_bits;
  p.parts = p.compute / l->in_bits;
  p.per_step = p.compute / l->weight_bits;
  p.pixel = nn_bits_bytes(l->shape.in_c, l->in_bits);
  p.run_bytes = l->shape.kernel_w * p.pixel;
  p.run_words = (p.run_bytes + 3) / 4;
  p.words = (l->shape.kernel_h * p.run_words * p.parts + p.per_step - 1) / p.per_step * p.per_step;
  if (p.parts > 1)
    p.expand = p.parts == 4 ? nn_expand_2to8 : l->in_bits == 4 ? nn_expand_4to8 : nn_expand_2to4;
  return p;
}

// Scratch of a core: four columns, two words that mac&load reads beyond, one run; an odd number of
// words, so that cores begin at different banks.
static uint32_t core_words(const struct plan *p) {
  return (p->words * 4 + 2 + p->run_words) | 1;
}

uint32_t nn_mixed_buffer_size(const struct nn_mixed *l) {
  struct plan p = plan_of(l);
  return rt_core_count() * core_words(&p) * 4;
}

static uint32_t block_size(const struct plan *p) {
  return nn_mixed_block_size(p->words / p->per_step);
}

uint32_t nn_mixed_packed_size(const struct nn_mixed *l) {
  struct plan p = plan_of(l);
  return (l->shape.out_c + 3u) / 4 * block_size(&p);
}

uint32_t nn_mixed_out_pixel(const struct nn_mixed *l) {
  return l->out_bits == 32 ? l->shape.out_c * 4u : nn_bits_bytes(l->shape.out_c, l->out_bits);
}

// The weight of filter f that meets lane `lane` of compute word `word`; 0 where there is none.
static uint32_t weight_at(const struct nn_mixed *l, const struct plan *p, const uint8_t *weights,
                          uint32_t f, uint32_t word, uint32_t lane) {
  const struct nn_conv2d *s = &l->shape;
  uint32_t row_words = p->run_words * p->parts;
  uint32_t row = word / row_words, in_row = word % row_words;
  uint32_t element = in_row / p->parts * (32u / l->in_bits) + lane * p->parts + in_row % p->parts;
  uint32_t per_pixel = p->pixel * 8 / l->in_bits;
  uint32_t x = element / per_pixel, c = element % per_pixel;
  if (f >= s->out_c || row >= s->kernel_h || x >= s->kernel_w || c >= s->in_c)
    return 0;
  uint32_t tap = (f * s->kernel_h + row) * s->kernel_w + x;
  return nn_bits_unsigned(weights + (size_t)tap * nn_bits_bytes(s->in_c, l->weight_bits), c,
                          l->weight_bits);
}

// Filter f's word of a step: in each lane the step's first compute word on top.
static uint32_t weight_word(const struct nn_mixed *l, const struct plan *p, const uint8_t *weights,
                            uint32_t f, uint32_t step) {
  uint32_t result = 0;
  for (uint32_t lane = 0; lane < 32 / p->compute; lane++) {
    for (uint32_t j = 0; j < p->per_step; j++) {
      uint32_t at = lane * p->compute + p->compute - l->weight_bits * (j + 1);
      result |= weight_at(l, p, weights, f, step * p->per_step + j, lane) << at;
    }
  }
  return result;
}

void nn_mixed_pack(const struct nn_mixed *l, void *packed, const void *weights,
                   const int32_t *kappa, const int32_t *lambda) {
  struct plan p = plan_of(l);
  uint32_t steps = p.words / p.per_step;
  struct rt_range blocks = rt_split((l->shape.out_c + 3u) / 4, 1);
  for (uint32_t f = blocks.begin * 4; f < blocks.end * 4; f++) {
    uint32_t *block = (uint32_t *)packed + f / 4 * block_size(&p) / 4;
    for (uint32_t i = 0; i < steps; i++)
      block[i * 4 + f % 4] = weight_word(l, &p, weights, f, i);
    bool used = kappa && f < l->shape.out_c;
    block[steps * 4 + f % 4 * 2] = used ? (uint32_t)kappa[f] : 0;
    block[steps * 4 + f % 4 * 2 + 1] = used ? (uint32_t)lambda[f] : 0;
  }
}

static enum kernel_status check(const struct nn_mixed *l) {
  const struct nn_conv2d *s = &l->shape;
  if (!s->in_h || !s->in_w || !s->in_c || !s->out_c || !s->kernel_h || !s->kernel_w ||
      !s->stride_h || !s->stride_w || s->shift > 31 || !nn_conv2d_out_h(s) || !nn_conv2d_out_w(s) ||
      (uint32_t)s->kernel_h * s->kernel_w * s->in_c > 1 << 16 || !nn_bits_valid(l->in_bits) ||
      !nn_bits_valid(l->weight_bits) || !(nn_bits_valid(l->out_bits) || l->out_bits == 32))
    return KERNEL_BAD_SHAPE;
  if (!s->in || !s->filters || (uintptr_t)s->filters % 4 || !s->out || !s->scratch ||
      (uintptr_t)s->scratch % 4 || (l->out_bits == 32 && (uintptr_t)s->out % 4))
    return KERNEL_BAD_POINTER;
  return KERNEL_OK;
}

static void spread(const struct plan *p, uint32_t *dst, const uint8_t *src) {
  if (p->expand)
    p->expand(dst, src, p->run_words);
  else
    nn_spread_rows(dst, src, p->run_words, 1, 0);
}

// The packed bytes of a run of which pixels left..right - 1 are inside, zeros elsewhere, in `run`.
static void fill_run(const struct plan *p, uint8_t *run, const uint8_t *src, uint32_t left,
                     uint32_t right) {
  uint32_t count = (right - left) * p->pixel, words = count / 4;
  if (count < p->run_words * 4)
    rt_zero_words(run, p->run_words);
  run += left * p->pixel;
  if (words > 0)
    rt_copy_words(run, src, words);
  for (uint32_t i = words * 4; i < count; i++)
    run[i] = src[i];
}

// The column of output pixel (y, x), its words four apart. `run` has room for one run.
static void column_of(const struct nn_mixed *l, const struct plan *p, uint32_t y, uint32_t x,
                      uint32_t *column, uint32_t *run) {
  const struct nn_conv2d *s = &l->shape;
  int32_t y0 = (int32_t)(y * s->stride_h) - s->pad_top;
  int32_t x0 = (int32_t)(x * s->stride_w) - s->pad_left;
  int32_t left = x0 < 0 ? -x0 : 0;
  int32_t right = s->in_w - x0 < s->kernel_w ? s->in_w - x0 : s->kernel_w;
  bool whole = left == 0 && right == s->kernel_w && p->run_bytes % 4 == 0;
  uint32_t row_bytes = s->in_w * p->pixel;
  const uint8_t *src = s->in + ((y0 * s->in_w) + x0 + left) * (int32_t)p->pixel;
  if (whole && !p->expand && y0 >= 0 && y0 + s->kernel_h <= s->in_h) {
    nn_spread_rows(column, src, p->run_words, s->kernel_h, row_bytes);
    return;
  }
  uint32_t words = p->run_words * p->parts;
  for (int32_t i = 0; i < s->kernel_h; i++, column += words * 4, src += row_bytes) {
    if (y0 + i < 0 || y0 + i >= s->in_h || left >= right) {
      nn_spread_zeros(column, words);
    } else if (whole) {
      spread(p, column, src);
    } else {
      fill_run(p, (uint8_t *)run, src, (uint32_t)left, (uint32_t)right);
      spread(p, column, (const uint8_t *)run);
    }
  }
}

// `pixels` pixels times all filters; the last filters, if not four, as four into a block of
// their own, of which the bytes that exist are copied.
static void strips(const struct nn_mixed *l, struct nn_strip_mixed *s, nn_strip_mixed_fn *run,
                   uint32_t pixels) {
  uint32_t block_bytes = l->out_bits / 2u, rest = l->shape.out_c % 4;
  if (s->count > 0)
    run(s);
  if (rest == 0)
    return;
  uint32_t block[16];
  struct nn_strip_mixed last = *s;
  last.blocks = (const uint8_t *)s->blocks + s->count * nn_mixed_block_size(s->steps);
  last.out = block;
  last.out_stride = block_bytes;
  last.count = 1;
  run(&last);
  uint32_t bytes = l->out_bits == 32 ? rest * 4 : nn_bits_bytes(rest, l->out_bits);
  for (uint32_t p = 0; p < pixels; p++) {
    uint8_t *to = (uint8_t *)s->out + p * s->out_stride + s->count * block_bytes;
    for (uint32_t i = 0; i < bytes; i++)
      to[i] = ((const uint8_t *)block)[p * block_bytes + i];
  }
}

enum kernel_status nn_mixed_conv2d(const struct nn_mixed *l) {
  enum kernel_status status = check(l);
  if (status != KERNEL_OK)
    return status;
  const struct nn_conv2d *shape = &l->shape;
  struct plan p = plan_of(l);
  uint32_t *columns = (uint32_t *)shape->scratch + rt_core_id() * core_words(&p);
  uint32_t out_w = nn_conv2d_out_w(shape), out_pixel = nn_mixed_out_pixel(l);
  struct nn_strip_mixed s = {columns,     shape->filters,       NULL,
                             out_pixel,   p.words / p.per_step, shape->out_c / 4u,
                             shape->shift};
  nn_strip_mixed_fn *full = nn_strip_mixed(p.compute, l->weight_bits, l->out_bits, 4);
  if (!full)
    return KERNEL_BAD_SHAPE; // XpulpNN asked of a build that has none
  struct rt_range mine = rt_split(nn_conv2d_out_h(shape) * out_w, 4);
  uint32_t y = mine.begin / out_w, x = mine.begin % out_w;
  for (uint32_t at = mine.begin; at < mine.end; at += 4) {
    uint32_t count = mine.end - at < 4 ? mine.end - at : 4;
    for (uint32_t i = 0; i < count; i++) {
      column_of(l, &p, y, x, columns + i, columns + p.words * 4 + 2);
      if (++x == out_w) {
        x = 0;
        y++;
      }
    }
    s.out = shape->out + at * out_pixel;
    strips(l, &s, count == 4 ? full : nn_strip_mixed(p.compute, l->weight_bits, l->out_bits, count),
           count);
  }
  return KERNEL_OK;
}
