// kernels/nn/nn_depthwise.c: four channels at a time: planes, then dot products along their rows.
//
// Slots: see nn_planes.S (1.4 a value) and nn_dw_3.S (9.25 an output of nine MAC): 10.6 for nine
// MAC with stride 1, 6.8 MAC/clk on 8 cores; 11.5 and four times 1.4 with stride 2, 4.2 MAC/clk,
// where nn_dw_quad.h is not for it.
#include "nn_depthwise.h"

#include <stddef.h>

#include "kernels/rt/rt.h"
#include "nn_bits.h"
#include "nn_dw_3.h"
#include "nn_dw_filter.h"
#include "nn_dw_quad.h"
#include "nn_planes.h"
#include "nn_requant_i32.h"
#include "nn_window.h"
#include "nn_word.h"
#include "xpulp.h"

uint32_t nn_depthwise_out_h(const struct nn_depthwise *l) {
  return nn_window_count(l->in_h, (uint32_t)l->pad_top + l->pad_bottom, l->kernel_h, l->stride_h);
}
uint32_t nn_depthwise_out_w(const struct nn_depthwise *l) {
  return nn_window_count(l->in_w, (uint32_t)l->pad_left + l->pad_right, l->kernel_w, l->stride_w);
}

// A core's scratch: four planes, a filter as words, outputs or sums of four channels before
// packing.
struct plan {
  struct nn_planes_at at; // planes of odd words: those of cores lie at different banks
  uint32_t taps;          // words of a filter's row
  uint32_t out_h, out_w;
  uint32_t core_bytes;
  nn_dw_3_fn *three; // NULL: another kernel, or sums
};

// Whether dot products end as 32-bit sums: to be the outputs, or for a scheme.
static bool wants_sums(const struct nn_depthwise *l) {
  return l->out_bits == 32 || l->requant;
}

static struct plan plan_of(const struct nn_depthwise *l) {
  struct plan p = {.out_h = nn_depthwise_out_h(l), .out_w = nn_depthwise_out_w(l)};
  p.taps = (l->kernel_w + 3u) / 4;
  if (!wants_sums(l) && l->kernel_h == 3 && l->kernel_w <= 4 && l->stride_w >= 1 &&
      l->stride_w <= 2 && (p.out_w >= 2 || l->stride_w == 2))
    p.three = nn_dw_3_find(l->kernel_w, l->stride_w, l->in_signed, l->out_signed);
  uint32_t row = (uint32_t)l->in_w + l->pad_left + l->pad_right;
  p.at.row = (row + 3) / 4 * 4 + 4; // the last words read reach beyond the padding
  uint32_t rows = (uint32_t)l->in_h + l->pad_top + l->pad_bottom;
  p.at.plane = ((p.at.row * rows / 4 + 1) | 1) * 4;
  uint32_t packing = l->requant ? 16 : l->out_bits < 8 ? 4 : 0; // bytes of a pixel
  packing *= p.out_h * p.out_w;
  p.core_bytes = ((4 * p.at.plane + l->kernel_h * p.taps * 4 + packing) / 4 | 1) * 4;
  return p;
}

uint32_t nn_depthwise_buffer_size(const struct nn_depthwise *l) {
  return rt_core_count() * plan_of(l).core_bytes;
}

static enum kernel_status check(const struct nn_depthwise *l, bool outputs) {
  if (!l->in_h || !l->in_w || !l->channels || !l->kernel_h || !l->kernel_w || l->shift > 31 ||
      !outputs || !nn_bits_valid(l->in_bits) || !nn_bits_valid(l->weight_bits) ||
      !(nn_bits_valid(l->out_bits) || l->out_bits == 32) || (l->in_chw && l->in_bits != 8) ||
      (l->out_chw && l->out_bits != 8) ||
      (l->requant &&
       (l->requant->out_signed != l->out_signed || l->requant->bits != l->out_bits)) ||
      !nn_bits_holds(l->pad_value, l->in_bits, l->in_signed))
    return KERNEL_BAD_SHAPE;
  if (!l->in || !l->weights || (!(l->kappa && l->lambda) && !wants_sums(l)) || !l->out ||
      (l->out_bits == 32 && (uintptr_t)l->out % 4) || !l->scratch || (uintptr_t)l->scratch % 4)
    return KERNEL_BAD_POINTER;
  return l->requant ? nn_requant_i32_check(l->requant) : KERNEL_OK;
}

// ---- dot products

// Channel c's filter, rows padded with zeros to words. Small code: see group().
static __attribute__((noinline)) void filter_of(const struct nn_depthwise *l, const struct plan *p,
                                                uint32_t *filter, uint32_t c) {
  uint32_t count = (uint32_t)l->kernel_h * l->kernel_w;
  const uint8_t *w = (const uint8_t *)l->weights + c * nn_bits_bytes(count, l->weight_bits);
  uint32_t at = 0, columns = l->kernel_w;
#pragma GCC unroll 1
  for (uint32_t i = l->kernel_h * p->taps; i > 0; i--) {
    uint32_t here = columns < 4 ? columns : 4;
    *filter++ = nn_dw_weights(w, at, here, l->weight_bits);
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
  bool sums;     // outputs are sum + lambda, aligned to 4
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
        uint32_t word = nn_word_load(at + i * p->at.row + 4 * j);
        sum = l->in_signed ? pv_sdotsp_b(sum, word, *w) : pv_sdotusp_b(sum, word, *w);
      }
    }
    if (ch->sums)
      *(uint32_t *)(void *)out = (uint32_t)sum + (uint32_t)ch->lambda;
    else
      *out = finish(ch, sum, l->out_signed);
  }
}

static void channel(const struct nn_depthwise *l, const struct plan *p, const struct channel *ch,
                    const uint32_t *filter, const uint8_t *plane) {
  if (p->three) {
    const struct nn_dw_3 three = {plane,
                                  p->at.row,
                                  l->stride_h * p->at.row - p->out_w * l->stride_w,
                                  ch->out,
                                  ch->step,
                                  p->out_w,
                                  p->out_h,
                                  {filter[0], filter[1], filter[2]},
                                  ch->kappa,
                                  ch->lambda,
                                  ch->shift};
    p->three(&three);
    return;
  }
  struct channel row = *ch;
  for (uint32_t y = 0; y < p->out_h; y++) {
    row_any(l, p, &row, filter, plane);
    row.out += p->out_w * ch->step;
    plane += l->stride_h * p->at.row;
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

// Sums of four channels, by a scheme, to outputs.
static __attribute__((noinline)) void requantize(const struct nn_depthwise *l, const struct plan *p,
                                                 const uint32_t *words, uint32_t c,
                                                 uint32_t count) {
  uint32_t pixel = nn_bits_bytes(l->channels, l->out_bits), pixels = p->out_h * p->out_w;
  const int32_t *sums = (const int32_t *)words;
  for (uint32_t i = 0; i < pixels; i++, sums += 4) {
    if (!l->out_chw)
      nn_requant_i32_pixel(l->requant, sums, l->out + i * pixel, c, c + count);
    for (uint32_t j = c; l->out_chw && j < c + count; j++) // as if j were in a pixel of its own
      nn_requant_i32_pixel(l->requant, sums + j - c, l->out + (size_t)j * (pixels - 1) + i, j,
                           j + 1);
  }
}

// Where the outputs of channels c, c + 1 ... go, all but their scale; `words` are the scratch for
// four. Returns the bytes from channel to channel.
static uint32_t outputs_of(const struct nn_depthwise *l, const struct plan *p, uint32_t *words,
                           uint32_t c, struct channel *ch) {
  ch->shift = l->shift;
  ch->sums = wants_sums(l);
  if (l->requant || l->out_bits < 8) {
    ch->out = (uint8_t *)words;
    ch->step = l->requant ? 16 : 4;
    return l->requant ? 4 : 1;
  }
  uint32_t bytes = l->out_bits / 8u, next = l->out_chw ? p->out_h * p->out_w : bytes;
  ch->out = l->out + (size_t)c * next;
  ch->step = l->out_chw ? 1 : l->channels * bytes;
  return next;
}

// Channels c..c + count - 1 with this core's scratch. What is called for each channel is to fit
// 512 bytes of instruction cache, so nothing is inlined or unrolled here.
static void group(const struct nn_depthwise *l, const struct plan *p, uint8_t *scratch, uint32_t c,
                  uint32_t count) {
  uint32_t *filter = (uint32_t *)(void *)(scratch + 4 * p->at.plane);
  uint32_t *words = filter + l->kernel_h * p->taps;
  bool packed = l->out_bits < 8 && !l->requant;
  nn_planes_of(l, &p->at, scratch, c, count);
  for (uint32_t j = 0; j < p->out_h * p->out_w && packed && count < 4; j++)
    words[j] = 0; // no leftovers in outputs
  struct channel ch;
  uint32_t next = outputs_of(l, p, words, c, &ch);
#pragma GCC unroll 1
  for (uint32_t i = 0; i < count; i++, ch.out += next) {
    ch.kappa = l->kappa ? l->kappa[c + i] : 0;
    ch.lambda = l->lambda ? l->lambda[c + i] : 0;
    filter_of(l, p, filter, c + i);
    channel(l, p, &ch, filter, scratch + i * p->at.plane);
  }
  if (l->requant)
    requantize(l, p, words, c, count);
  else if (packed)
    pack(l, p, words, c, count);
}

static __attribute__((noinline)) void fill(uint8_t *scratch, uint32_t words, uint32_t value) {
  for (uint32_t i = 0; i < words; i++)
    ((uint32_t *)(void *)scratch)[i] = value;
}

// Channels begin..end - 1.
static __attribute__((noinline)) void groups(const struct nn_depthwise *given,
                                             struct rt_range mine) {
  const struct nn_depthwise layer = *given, *l = &layer;
  struct plan p = plan_of(l);
  uint8_t *scratch = (uint8_t *)l->scratch + rt_core_id() * p.core_bytes;
  if (l->pad_value == 0)
    rt_zero_words(scratch, p.at.plane); // bytes of one plane, words of four
  else
    fill(scratch, p.at.plane, nn_bits_all(l->pad_value, 8));
  for (uint32_t c = mine.begin; c < mine.end; c += 4)
    group(l, &p, scratch, c, mine.end - c < 4 ? mine.end - c : 4);
}

enum kernel_status nn_depthwise(const struct nn_depthwise *l) {
  KERNEL_CHECK(l->stride_h && l->stride_w ? KERNEL_OK : KERNEL_BAD_SHAPE); // of divisions
  uint32_t out_h = nn_depthwise_out_h(l), out_w = nn_depthwise_out_w(l);
  KERNEL_CHECK(check(l, out_h && out_w));
  struct rt_range mine = rt_split(l->channels, 4);
  if (l->stride_w == 2 && l->pad_value == 0 && nn_dw_quads_fit(l, out_h, out_w)) {
    nn_dw_quads(l, out_h, out_w, mine);
    mine.begin = mine.end - (mine.end - mine.begin) % 4;
  }
  if (mine.begin < mine.end)
    groups(l, mine);
  return KERNEL_OK;
}
