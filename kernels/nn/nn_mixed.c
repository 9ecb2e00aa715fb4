// kernels/nn/nn_mixed.c: sizes, and the split of the mixed-precision convolution into strips.
#include "nn_mixed.h"

#include "kernels/rt/rt.h"
#include "nn_conv2d_filters.h"
#include "nn_im2col.h"
#include "nn_mixed_plan.h"
#include "nn_split.h"
#include "nn_strip_mixed.h"
#include "nn_word.h"

// Words of a core's scratch: sums of four pixels, if a scheme wants them; one run.
static uint32_t sums_words(const struct nn_mixed *l, const struct nn_mixed_plan *p) {
  return l->requant ? p->blocks * 16 : 0;
}
// The columns of as many strips, and two words that mac&load reads beyond.
static uint32_t columns_words(const struct nn_mixed_plan *p) {
  return p->words * 4 * p->strips + 2;
}
// What each core has for itself: columns too, unless all use the same. An odd number of words, so
// that cores begin at different banks.
static uint32_t core_words(const struct nn_mixed *l, const struct nn_mixed_plan *p) {
  return ((p->by_filters ? 0 : columns_words(p)) + sums_words(l, p) + p->run_words) | 1;
}

uint32_t nn_mixed_buffer_size(const struct nn_mixed *l) {
  struct nn_mixed_plan p;
  nn_mixed_plan_of(&p, l);
  return ((p.by_filters ? columns_words(&p) : 0) + rt_core_count() * core_words(l, &p)) * 4;
}

uint32_t nn_mixed_packed_size(const struct nn_mixed *l) {
  struct nn_mixed_plan p;
  nn_mixed_plan_of(&p, l);
  return p.blocks * p.block_bytes;
}

uint32_t nn_mixed_out_pixel(const struct nn_mixed *l) {
  return l->out_bits == 32 ? l->shape.out_c * 4u : nn_bits_bytes(l->shape.out_c, l->out_bits);
}

// All but whether the kernel fits the input, which the plan says.
static enum kernel_status check(const struct nn_mixed *l) {
  const struct nn_conv2d *s = &l->shape;
  if (!s->in_h || !s->in_w || !s->in_c || !s->out_c || !s->kernel_h || !s->kernel_w ||
      !s->stride_h || !s->stride_w || s->shift > 31 ||
      (uint32_t)s->kernel_h * s->kernel_w * s->in_c > 1 << 16 || !nn_bits_valid(l->in_bits) ||
      !nn_bits_valid(l->weight_bits) || !(nn_bits_valid(l->out_bits) || l->out_bits == 32) ||
      (l->out_signed && !l->requant && l->out_bits < 32 && s->shift + l->out_bits > 31) ||
      (l->requant &&
       (l->requant->bits != l->out_bits || l->requant->out_signed != l->out_signed)) ||
      !nn_bits_holds(l->pad_value, l->in_bits, l->in_signed))
    return KERNEL_BAD_SHAPE;
  if (!s->in || !s->filters || (uintptr_t)s->filters % 4 || !s->out || !s->scratch ||
      (uintptr_t)s->scratch % 4 || (l->out_bits == 32 && (uintptr_t)s->out % 4))
    return KERNEL_BAD_POINTER;
  return l->requant ? nn_requant_i32_check(l->requant) : KERNEL_OK;
}

// A core's work: where its columns, sums and run are, and which blocks of filters it computes.
struct job {
  const struct nn_mixed *layer;
  struct nn_mixed_plan plan;
  struct nn_strip_mixed strip;
  struct rt_range blocks;
  struct rt_range groups; // of four pixels, as rows
  uint32_t out_pixel;     // bytes
  struct nn_im2col_place at;
  uint32_t *columns, *sums, *run;
  nn_strip_mixed_fn *four; // pixels; NULL: no such strips
  void (*finish)(struct job *j, uint32_t pixels, uint8_t *out);
  const void *last; // a block that is not whole, and to be cut; or NULL
};

static nn_strip_mixed_fn *find(const struct job *j, uint32_t pixels) {
  return nn_strip_mixed(j->plan.compute, j->plan.is_signed, j->layer->weight_bits,
                        j->plan.rows ? NN_STRIP_ROWS : j->plan.strip_bits, pixels);
}
static nn_strip_mixed_fn *strip_of(const struct job *j, uint32_t pixels) {
  return pixels == 4 ? j->four : find(j, pixels);
}

// Flips the sign bits of `bytes` bytes.
static __attribute__((noinline)) void flip(uint8_t *at, uint32_t bytes, uint32_t signs) {
  for (; bytes >= 4; bytes -= 4, at += 4)
    nn_word_store(at, nn_word_load(at) ^ signs);
  for (; bytes > 0; bytes--, at++)
    *at ^= (uint8_t)signs;
}

// Whether outputs have their sign bits flipped in the strips.
static bool flipped(const struct nn_mixed *l) {
  return l->out_signed && l->out_bits < 32 && !l->requant;
}

// The last filters, not four, of `pixels` pixels, as four into a block of their own, of which the
// bytes that exist are copied.
static __attribute__((noinline)) void last_block(struct job *j, nn_strip_mixed_fn *run,
                                                 uint32_t pixels, uint8_t *to) {
  const struct nn_mixed *l = j->layer;
  uint32_t block_bytes = l->out_bits / 2u, rest = l->shape.out_c % 4u;
  uint32_t block[16];
  struct nn_strip_mixed last = j->strip;
  last.blocks = j->last;
  last.out = block;
  last.out_stride = block_bytes;
  last.count = 1;
  if (j->plan.strip_bits == 0)
    last.row = (const uint8_t *)last.row + last.row_step * j->strip.count * 4;
  run(&last);
  uint32_t bytes = l->out_bits == 32 ? rest * 4 : nn_bits_bytes(rest, l->out_bits);
  uint32_t signs = 0; // of the filters that exist
  if (flipped(l))
    signs = nn_bits_signs(l->out_bits) & (0xffffffffu >> (32 - rest * l->out_bits));
  for (uint32_t p = 0; p < pixels; p++, to += j->out_pixel) {
    for (uint32_t i = 0; i < bytes; i++)
      to[i] = (uint8_t)(((const uint8_t *)block)[p * block_bytes + i] ^ signs >> 8 * i % 32);
  }
}

// `pixels` pixels, the first of which goes to `out`, times this core's filters: by kappa and
// lambda, or by a scheme of nn_finish.h.
static void scaled(struct job *j, uint32_t pixels, uint8_t *out) {
  const struct nn_mixed *l = j->layer;
  nn_strip_mixed_fn *run = strip_of(j, pixels);
  uint32_t bytes = j->strip.count * (l->out_bits / 2u);
  j->strip.out = out + j->blocks.begin * (l->out_bits / 2u);
  if (j->plan.strip_bits == 0 && pixels < 4)
    j->strip.finish = nn_finish(j->plan.end.kind, l->out_bits, pixels);
  if (bytes > 0)
    run(&j->strip);
  for (uint32_t p = 0; p < pixels && flipped(l); p++)
    flip((uint8_t *)j->strip.out + p * j->out_pixel, bytes, nn_bits_signs(l->out_bits));
  if (j->last)
    last_block(j, run, pixels, (uint8_t *)j->strip.out + bytes);
}

// The same by a scheme that nn_finish.h has not: sums first, of whole blocks.
static void schemed(struct job *j, uint32_t pixels, uint8_t *out) {
  const struct nn_mixed *l = j->layer;
  uint32_t begin = j->blocks.begin * 4, end = j->blocks.end * 4;
  j->strip.out = j->sums;
  strip_of(j, pixels)(&j->strip);
  for (uint32_t p = 0; p < pixels; p++)
    nn_requant_i32_pixel(l->requant, (const int32_t *)j->sums + p * (end - begin),
                         out + p * j->out_pixel, begin,
                         end < l->shape.out_c ? end : l->shape.out_c);
}

// Everything but the plan; not by initializers, which would clear all first.
static void job_of(struct job *j, const struct nn_mixed *l) {
  const struct nn_mixed_plan *p = &j->plan;
  uint32_t *own = (uint32_t *)l->shape.scratch + rt_core_id() * core_words(l, p);
  j->layer = l;
  j->out_pixel = nn_mixed_out_pixel(l);
  j->at.y = j->at.x = j->at.rows = 0;
  j->at.out_w = p->out_w;
  j->at.outside = p->zero;
  j->at.pixel = p->expand || p->by_filters ? 0 : p->pixel;
  j->columns = own;
  j->blocks = (struct rt_range){0, p->blocks};
  if (p->rows) {
    struct nn_split split = nn_split_of((p->out_h * p->out_w + 3) / 4, p->blocks, 0);
    j->blocks = split.blocks;
    j->groups = split.groups;
  } else if (p->by_filters) {
    j->columns = (uint32_t *)l->shape.scratch;
    j->blocks = rt_split(p->blocks, 1);
  }
  j->sums = own + columns_words(p); // behind all's columns, or its own
  j->run = j->sums + sums_words(l, p);
  j->strip.columns = j->columns;
  bool sums = l->requant && p->strip_bits == 32;
  j->strip.out_stride = sums ? (j->blocks.end - j->blocks.begin) * 16 : j->out_pixel;
  j->strip.blocks = (const uint8_t *)l->shape.filters + j->blocks.begin * p->block_bytes;
  j->strip.count = j->blocks.end - j->blocks.begin;
  j->strip.steps = p->steps;
  j->strip.shift = l->shape.shift;
  j->strip.strips = 1;
  j->last = NULL;
  if (p->strip_bits == 0) {
    nn_finish_prepare(&j->strip, l->requant, p->end, j->blocks.begin * 4, l->shape.out_c);
    j->strip.finish = nn_finish(p->end.kind, l->out_bits, 4);
  }
  if (l->shape.out_c % 4 > 0 && !sums && j->strip.count > 0 && j->blocks.end == p->blocks) {
    j->strip.count--;
    j->last = (const uint8_t *)j->strip.blocks + j->strip.count * p->block_bytes;
  }
  j->finish = sums ? schemed : scaled;
  j->four = find(j, 4);
}

// The columns of the next `count` pixels: each core its own, or all together. Small, as its loop
// and the strips' share 512 bytes of instruction cache: hence neither inlined nor unrolled.
static __attribute__((noinline)) void columns(struct job *j, uint32_t count) {
  const struct nn_mixed *l = j->layer;
  const struct nn_mixed_plan *p = &j->plan;
  uint32_t *column = j->columns;
#pragma GCC unroll 1
  for (uint32_t i = 0; i < count; i++) {
    if (nn_im2col_is_whole(&l->shape, &j->at))
      nn_im2col_whole(&l->shape, &j->at, column);
    else if (!p->by_filters || i % rt_core_count() == rt_core_id())
      nn_mixed_column(l, p, j->at.y, j->at.x, column, j->run);
    column += i % 4 == 3 ? 4 * p->words - 3 : 1;
    if (++j->at.x == p->out_w) {
      j->at.x = 0;
      j->at.y++;
      nn_im2col_row(&l->shape, &j->at);
    }
  }
}

// The cores share blocks of filters, and the making of the columns, which all of them read.
static void run_by_filters(struct job *j, uint32_t pixels) {
  const struct nn_conv2d *s = &j->layer->shape;
  bool alone = pixels == 1 && !(s->pad_top | s->pad_left);
  bool linear = alone && s->in_h * s->in_w * s->kernel_h * s->kernel_w == 1;
  struct rt_range part = rt_split(j->plan.run_words, 1);
  for (uint32_t at = 0; at < pixels; at += 4) {
    uint32_t count = pixels - at < 4 ? pixels - at : 4;
    if (at > 0)
      rt_barrier(); // all are done with the columns
    if (!linear)
      columns(j, count);
    else if (part.begin < part.end)
      nn_mixed_column_part(j->layer, &j->plan, part.begin, part.end, j->columns, j->run);
    rt_barrier();
    if (j->blocks.begin < j->blocks.end)
      j->finish(j, count, s->out + at * j->out_pixel);
  }
}

// Pixels as they stand, as many at once as whole blocks allow.
static void run_rows(struct job *j, uint32_t pixels) {
  const struct nn_conv2d *s = &j->layer->shape;
  uint32_t end = j->groups.end * 4;
  end = end < pixels ? end : pixels;
  j->strip.a_stride = s->in_c;
  for (uint32_t at = j->groups.begin * 4; at < end && j->blocks.begin < j->blocks.end;) {
    uint32_t left = end - at, count = left < 4 ? left : 4;
    j->strip.columns = s->in + (size_t)at * s->in_c;
    j->strip.strips = count < 4 || j->last ? 1 : left / 4;
    j->finish(j, count, s->out + (size_t)at * j->out_pixel);
    at += count * j->strip.strips;
  }
}

static void run_by_pixels(struct job *j, uint32_t pixels) {
  struct rt_range mine = rt_split(pixels, 4);
  j->at.y = mine.begin / j->plan.out_w;
  j->at.x = mine.begin - j->at.y * j->plan.out_w;
  nn_im2col_row(&j->layer->shape, &j->at);
  uint8_t *out = j->layer->shape.out + mine.begin * j->out_pixel;
  for (uint32_t left = mine.end - mine.begin; left > 0;) {
    uint32_t count = left < 4 * j->plan.strips ? left : 4 * j->plan.strips;
    columns(j, count);
    j->strip.columns = j->columns;
    if (count >= 4) {
      j->strip.strips = count / 4;
      j->finish(j, 4, out);
      j->strip.columns = j->columns + count / 4 * 4 * j->plan.words;
      j->strip.strips = 1;
    }
    if (count % 4 > 0)
      j->finish(j, count % 4, out + count / 4 * 4 * j->out_pixel);
    out += count * j->out_pixel;
    left -= count;
  }
}

// A single window of bytes, most taps of which are outside: by nn_conv2d.h, which leaves these out.
// Its packed filters are the same.
static __attribute__((noinline)) bool one_pixel(const struct nn_mixed *l,
                                                const struct nn_mixed_plan *p) {
  const struct nn_conv2d *s = &l->shape;
  if (p->out_h * p->out_w > 1 || s->kernel_h * s->kernel_w == 1 || l->in_bits < 8 ||
      l->out_bits != 8 || l->in_signed || l->out_signed || l->requant || l->pad_value)
    return false;
  struct nn_strip_u8 strip = {.a_stride = s->in_c,
                              .blocks = s->filters,
                              .out_stride = s->out_c,
                              .words = p->words,
                              .shift = s->shift,
                              .strips = 1};
  return nn_conv2d_one_pixel(s, &strip);
}

enum kernel_status nn_mixed_conv2d(const struct nn_mixed *given) {
  KERNEL_CHECK(check(given));
  const struct nn_mixed layer = *given;
  struct job j;
  nn_mixed_plan_of(&j.plan, &layer);
  KERNEL_CHECK(j.plan.out_h && j.plan.out_w ? KERNEL_OK : KERNEL_BAD_SHAPE);
  if (layer.weight_bits == 8 && one_pixel(&layer, &j.plan))
    return KERNEL_OK;
  job_of(&j, &layer);
  KERNEL_CHECK(j.four ? KERNEL_OK : KERNEL_BAD_SHAPE); // XpulpNN asked of a build that has none
  (j.plan.rows         ? run_rows
   : j.plan.by_filters ? run_by_filters
                       : run_by_pixels)(&j, j.plan.out_h * j.plan.out_w);
  return KERNEL_OK;
}
