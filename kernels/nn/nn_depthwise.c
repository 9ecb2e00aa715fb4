// kernels/nn/nn_depthwise.c: four channels at a time: planes, then dot products along their rows.
//
// Slots: see nn_planes.S (1.4 a value) and nn_dw_3.S (9.25 an output of nine MAC): 10.6 for nine
// MAC with stride 1, 6.8 MAC/clk on 8 cores; 11.5 and four times 1.4 with stride 2, 4.2 MAC/clk.
#include "nn_depthwise.h"

#include <stddef.h>

#include "kernels/rt/rt.h"
#include "nn_bits.h"
#include "nn_dw_3.h"
#include "nn_planes.h"
#include "nn_window.h"
#include "nn_word.h"
#include "xpulp.h"

uint32_t nn_depthwise_out_h(const struct nn_depthwise *l) {
  return nn_window_count(l->in_h, (uint32_t)l->pad_top + l->pad_bottom, l->kernel_h, l->stride_h);
}
uint32_t nn_depthwise_out_w(const struct nn_depthwise *l) {
  return nn_window_count(l->in_w, (uint32_t)l->pad_left + l->pad_right, l->kernel_w, l->stride_w);
}

// A core's scratch: four planes, a filter as words, outputs of four channels before packing.
struct plan {
  uint32_t row;   // bytes of a plane's row, a multiple of 4
  uint32_t rows;  // of a plane
  uint32_t plane; // bytes; odd in words: the planes of cores lie at different banks
  uint32_t taps;  // words of a filter's row
  uint32_t out_h, out_w;
  uint32_t core_bytes;
  nn_dw_3_fn *three; // NULL: another kernel
};

static struct plan plan_of(const struct nn_depthwise *l) {
  struct plan p = {.out_h = nn_depthwise_out_h(l), .out_w = nn_depthwise_out_w(l)};
  p.taps = (l->kernel_w + 3u) / 4;
  if (l->kernel_h == 3 && l->kernel_w <= 4 && l->stride_w >= 1 && l->stride_w <= 2 &&
      (p.out_w >= 2 || l->stride_w == 2))
    p.three = nn_dw_3_find(l->kernel_w, l->stride_w, l->in_signed, l->out_signed);
  p.row = (uint32_t)l->in_w + l->pad_left + l->pad_right;
  p.row = (p.row + 3) / 4 * 4 + 4; // the last words read reach beyond the padding
  p.rows = (uint32_t)l->in_h + l->pad_top + l->pad_bottom;
  p.plane = ((p.row * p.rows / 4 + 1) | 1) * 4;
  uint32_t packing = l->out_bits < 8 ? p.out_h * p.out_w * 4 : 0;
  p.core_bytes = ((4 * p.plane + l->kernel_h * p.taps * 4 + packing) / 4 | 1) * 4;
  return p;
}

uint32_t nn_depthwise_buffer_size(const struct nn_depthwise *l) {
  return rt_core_count() * plan_of(l).core_bytes;
}

static enum kernel_status check(const struct nn_depthwise *l) {
  if (!l->in_h || !l->in_w || !l->channels || !l->kernel_h || !l->kernel_w || !l->stride_h ||
      !l->stride_w || l->shift > 31 || !nn_depthwise_out_h(l) || !nn_depthwise_out_w(l) ||
      !nn_bits_valid(l->in_bits) || !nn_bits_valid(l->weight_bits) || !nn_bits_valid(l->out_bits) ||
      (l->in_chw && l->in_bits != 8) || (l->out_chw && l->out_bits != 8))
    return KERNEL_BAD_SHAPE;
  if (!l->in || !l->weights || !l->kappa || !l->lambda || !l->out || !l->scratch ||
      (uintptr_t)l->scratch % 4)
    return KERNEL_BAD_POINTER;
  return KERNEL_OK;
}

// ---- planes

// The word of four channels at `at`, `bytes` of which exist, as bytes.
static inline uint32_t channels_at(const uint8_t *at, uint32_t bits, uint32_t bytes,
                                   bool is_signed) {
  if (bits == 8)
    return bytes == 4 ? nn_word_load(at) : nn_word_load_part(at, bytes);
  uint32_t v = nn_word_load_part(at, bytes);
  if (bits == 2)
    v = (v & 3) | (v & 12) << 2 | (v & 48) << 4 | (v & 192) << 6; // crumbs to nibbles
  v = (v | v << 8) & 0x00ff00ff;
  v = (v | v << 4) & 0x0f0f0f0f;
  uint32_t sign = (1u << (bits - 1)) * 0x01010101;
  return is_signed ? (uint32_t)pv_sub_b(v ^ sign, sign) : v;
}

// Four pixels of four channels to four channels of four pixels.
static inline void transpose(uint32_t w[4]) {
  uint32_t a = (uint32_t)pv_shuffle2_b((int32_t)w[0], w[1], 0x05010400);
  uint32_t b = (uint32_t)pv_shuffle2_b((int32_t)w[0], w[1], 0x07030602);
  uint32_t c = (uint32_t)pv_shuffle2_b((int32_t)w[2], w[3], 0x05010400);
  uint32_t d = (uint32_t)pv_shuffle2_b((int32_t)w[2], w[3], 0x07030602);
  w[0] = (uint32_t)pv_pack(c, a);
  w[1] = (uint32_t)pv_pack_h(c, a);
  w[2] = (uint32_t)pv_pack(d, b);
  w[3] = (uint32_t)pv_pack_h(d, b);
}

#ifndef __riscv
void nn_planes(const struct nn_planes *s) {
  uint32_t width = s->groups * 4;
  for (uint32_t i = 0; i < s->rows * width; i++) {
    uint32_t y = i / width, x = i % width;
    for (uint32_t c = 0; c < 4; c++)
      s->to[c * s->plane + y * (width + s->to_next) + x] =
          s->src[y * (width * s->pixel + s->src_next) + x * s->pixel + c];
  }
}
#endif

// The pixels of a row from x on, a group of `bytes` bytes each; `src` is the row's first one. The
// zeros that the last pixels bring along stay in the row.
static void row_hwc(const struct nn_depthwise *l, const struct plan *p, uint8_t *to,
                    const uint8_t *src, uint32_t x, uint32_t bytes) {
  uint32_t pixel = nn_bits_bytes(l->channels, l->in_bits);
  for (; x < l->in_w; x += 4) {
    uint32_t w[4] = {0, 0, 0, 0};
    for (uint32_t j = 0; j < 4 && x + j < l->in_w; j++)
      w[j] = channels_at(src + (x + j) * pixel, l->in_bits, bytes, l->in_signed);
    transpose(w);
    for (uint32_t i = 0; i < 4; i++)
      nn_word_store(to + i * p->plane + x, w[i]);
  }
}

// Whole groups of four whole bytes by nn_planes(); what is left the slower way.
static void planes_hwc(const struct nn_depthwise *l, const struct plan *p, uint8_t *to, uint32_t c,
                       uint32_t count) {
  uint32_t pixel = nn_bits_bytes(l->channels, l->in_bits), x = 0;
  const uint8_t *src = l->in + c * l->in_bits / 8;
  if (l->in_bits == 8 && count == 4 && l->in_w >= 4) {
    x = l->in_w / 4u * 4;
    const struct nn_planes whole = {to,    src,      l->in_h,    x / 4,
                                    pixel, p->plane, p->row - x, (l->in_w - x) * pixel};
    nn_planes(&whole);
  }
  for (uint32_t y = 0; y < l->in_h && x < l->in_w; y++)
    row_hwc(l, p, to + y * p->row, src + (size_t)y * l->in_w * pixel, x,
            nn_bits_bytes(count, l->in_bits));
}

static void row_chw(const struct nn_depthwise *l, uint8_t *to, const uint8_t *src) {
  uint32_t words = l->in_w / 4u;
  if (words > 0)
    rt_copy_words(to, src, words);
  for (uint32_t x = words * 4; x < l->in_w; x++)
    to[x] = src[x];
}

// Planes of channels c..c + count - 1. What is outside the input is zero, and stays it from one
// group of channels to the next.
static __attribute__((noinline)) void planes_of(const struct nn_depthwise *l, const struct plan *p,
                                                uint8_t *planes, uint32_t c, uint32_t count) {
  uint8_t *to = planes + l->pad_top * p->row + l->pad_left;
  if (!l->in_chw) {
    planes_hwc(l, p, to, c, count);
    return;
  }
  const uint8_t *src = l->in + (size_t)c * l->in_h * l->in_w;
  for (uint32_t i = 0; i < count; i++) {
    for (uint32_t y = 0; y < l->in_h; y++, src += l->in_w)
      row_chw(l, to + i * p->plane + y * p->row, src);
  }
}

// ---- dot products

// `count` (1..4) weights from `at` on, as bytes. Bytes that end a word inside the filter are loaded
// as that word, so that nothing outside is read.
static inline uint32_t weights_at(const uint8_t *w, uint32_t at, uint32_t count, uint32_t bits) {
  if (bits == 8 && at + count >= 4)
    return nn_word_load(w + at + count - 4) >> (32 - 8 * count);
  uint32_t word = 0;
#pragma GCC unroll 1
  for (uint32_t j = 0; j < count; j++)
    word |= ((uint32_t)nn_bits_signed(w, at + j, bits) & 0xff) << 8 * j;
  return word;
}

// Channel c's filter, rows padded with zeros to words. Small code: see group().
static __attribute__((noinline)) void filter_of(const struct nn_depthwise *l, const struct plan *p,
                                                uint32_t *filter, uint32_t c) {
  uint32_t count = (uint32_t)l->kernel_h * l->kernel_w;
  const uint8_t *w = (const uint8_t *)l->weights + c * nn_bits_bytes(count, l->weight_bits);
  uint32_t at = 0, columns = l->kernel_w;
#pragma GCC unroll 1
  for (uint32_t i = l->kernel_h * p->taps; i > 0; i--) {
    uint32_t here = columns < 4 ? columns : 4;
    *filter++ = weights_at(w, at, here, l->weight_bits);
    at += here;
    columns = columns > 4 ? columns - 4 : l->kernel_w;
  }
}

// A channel: its requantization, and where its outputs go.
struct channel {
  int32_t kappa, lambda;
  uint32_t shift;
  uint8_t *out;
  uint32_t step; // bytes from output to output
};

static inline uint8_t finish(const struct channel *ch, int32_t sum, bool is_signed) {
  uint32_t scaled = (uint32_t)sum * (uint32_t)ch->kappa;
  uint32_t y = (uint32_t)p_addnr((int32_t)scaled, (uint32_t)ch->lambda, ch->shift);
  return (uint8_t)(is_signed ? p_clip(y, 8) : p_clipu(y, 9));
}

static __attribute__((noinline)) void row_any(const struct nn_depthwise *l, const struct plan *p,
                                              const struct channel *ch, const uint32_t *filter,
                                              const uint8_t *at) {
  uint8_t *out = ch->out;
  for (uint32_t x = 0; x < p->out_w; x++, out += ch->step, at += l->stride_w) {
    const uint32_t *w = filter;
    int32_t sum = 0;
    for (uint32_t i = 0; i < l->kernel_h; i++) {
      for (uint32_t j = 0; j < p->taps; j++, w++) {
        uint32_t word = nn_word_load(at + i * p->row + 4 * j);
        sum = l->in_signed ? pv_sdotsp_b(sum, word, *w) : pv_sdotusp_b(sum, word, *w);
      }
    }
    *out = finish(ch, sum, l->out_signed);
  }
}

static void channel(const struct nn_depthwise *l, const struct plan *p, struct channel ch,
                    const uint32_t *filter, const uint8_t *plane) {
  if (p->three) {
    const struct nn_dw_3 three = {plane,
                                  p->row,
                                  l->stride_h * p->row - p->out_w * l->stride_w,
                                  ch.out,
                                  ch.step,
                                  p->out_w,
                                  p->out_h,
                                  {filter[0], filter[1], filter[2]},
                                  ch.kappa,
                                  ch.lambda,
                                  ch.shift};
    p->three(&three);
    return;
  }
  for (uint32_t y = 0; y < p->out_h; y++) {
    row_any(l, p, &ch, filter, plane);
    ch.out += p->out_w * ch.step;
    plane += l->stride_h * p->row;
  }
}

// Bytes of four channels, clipped again, to nibbles or crumbs of theirs.
static __attribute__((noinline)) void pack(const struct nn_depthwise *l, const struct plan *p,
                                           const uint32_t *words, uint32_t c, uint32_t count) {
  uint32_t pixel = nn_bits_bytes(l->channels, l->out_bits), bits = l->out_bits;
  uint32_t bytes = nn_bits_bytes(count, bits), mask = ((1u << bits) - 1) * 0x01010101;
  uint32_t high = mask >> l->out_signed & mask, low = ~high; // the latter of signed outputs
  uint8_t *out = l->out + c * bits / 8;
  for (uint32_t i = 0; i < p->out_h * p->out_w; i++, out += pixel) {
    uint32_t w = l->out_signed ? (uint32_t)pv_max_b((uint32_t)pv_min_b(words[i], high), low) & mask
                               : (uint32_t)pv_minu_b(words[i], high);
    w |= w >> (8 - bits);
    w = (w & ((1u << 2 * bits) - 1)) | (w >> 16 & ((1u << 2 * bits) - 1)) << 2 * bits;
    nn_word_store_part(out, w, bytes);
  }
}

// Channels c..c + count - 1 with this core's scratch. What is called for each channel is to fit
// 512 bytes of instruction cache, so nothing is inlined or unrolled here.
static void group(const struct nn_depthwise *l, const struct plan *p, uint8_t *scratch, uint32_t c,
                  uint32_t count) {
  uint32_t *filter = (uint32_t *)(void *)(scratch + 4 * p->plane);
  uint32_t *words = filter + l->kernel_h * p->taps;
  planes_of(l, p, scratch, c, count);
  for (uint32_t i = 0; i < 4 && l->out_bits < 8 && count < 4; i++) { // no leftovers in outputs
    for (uint32_t j = 0; j < p->out_h * p->out_w; j++)
      words[j] = 0;
  }
#pragma GCC unroll 1
  for (uint32_t i = 0; i < count; i++) {
    struct channel ch = {l->kappa[c + i], l->lambda[c + i], l->shift, l->out + c + i, l->channels};
    if (l->out_chw) {
      ch.out = l->out + (size_t)(c + i) * p->out_h * p->out_w;
      ch.step = 1;
    } else if (l->out_bits < 8) {
      ch.out = (uint8_t *)words + i;
      ch.step = 4;
    }
    filter_of(l, p, filter, c + i);
    channel(l, p, ch, filter, scratch + i * p->plane);
  }
  if (l->out_bits < 8)
    pack(l, p, words, c, count);
}

enum kernel_status nn_depthwise(const struct nn_depthwise *given) {
  KERNEL_CHECK(check(given));
  const struct nn_depthwise layer = *given, *l = &layer;
  struct plan p = plan_of(l);
  uint8_t *scratch = (uint8_t *)l->scratch + rt_core_id() * p.core_bytes;
  struct rt_range mine = rt_split(l->channels, 4);
  if (mine.begin < mine.end)
    rt_zero_words(scratch, p.plane); // bytes of one plane, words of four
  for (uint32_t c = mine.begin; c < mine.end; c += 4)
    group(l, &p, scratch, c, mine.end - c < 4 ? mine.end - c : 4);
  return KERNEL_OK;
}
