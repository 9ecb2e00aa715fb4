// kernels/nn/nn_depthwise.c: four channels at a time: planes, then dot products along their rows.
//
// Slots: see nn_planes.S (1.4 a value) and nn_dw_3.S (13.25 an output of nine MAC): 14.6 for nine
// MAC with stride 1, 4.9 MAC/clk on 8 cores.
#include "nn_depthwise.h"

#include <stddef.h>

#include "kernels/rt/rt.h"
#include "nn_bits.h"
#include "nn_dw_3.h"
#include "nn_planes.h"
#include "nn_requant.h"
#include "nn_word.h"
#include "xpulp.h"

static uint32_t out_size(uint32_t in, uint32_t pads, uint32_t kernel, uint32_t stride) {
  return in + pads < kernel ? 0 : (in + pads - kernel) / stride + 1;
}
uint32_t nn_depthwise_out_h(const struct nn_depthwise *l) {
  return out_size(l->in_h, (uint32_t)l->pad_top + l->pad_bottom, l->kernel_h, l->stride_h);
}
uint32_t nn_depthwise_out_w(const struct nn_depthwise *l) {
  return out_size(l->in_w, (uint32_t)l->pad_left + l->pad_right, l->kernel_w, l->stride_w);
}

// A core's scratch: four planes, a filter as words, outputs of four channels before packing.
struct plan {
  uint32_t row;   // bytes of a plane's row, a multiple of 4
  uint32_t rows;  // of a plane
  uint32_t plane; // bytes; odd in words: the planes of cores lie at different banks
  uint32_t taps;  // words of a filter's row
  uint32_t out_h, out_w;
  uint32_t core_bytes;
};

static struct plan plan_of(const struct nn_depthwise *l) {
  struct plan p = {.out_h = nn_depthwise_out_h(l), .out_w = nn_depthwise_out_w(l)};
  p.taps = (l->kernel_w + 3u) / 4;
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
static inline uint32_t channels_at(const uint8_t *at, uint32_t bits, uint32_t bytes) {
  if (bits == 8)
    return bytes == 4 ? nn_word_load(at) : nn_word_load_part(at, bytes);
  uint32_t v = nn_word_load_part(at, bytes);
  if (bits == 2)
    v = (v & 3) | (v & 12) << 2 | (v & 48) << 4 | (v & 192) << 6; // crumbs to nibbles
  v = (v | v << 8) & 0x00ff00ff;
  return (v | v << 4) & 0x0f0f0f0f;
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
void nn_planes(uint8_t *planes, const uint8_t *src, uint32_t groups, uint32_t pixel,
               uint32_t plane) {
  for (uint32_t x = 0; x < groups * 4; x++) {
    for (uint32_t c = 0; c < 4; c++)
      planes[c * plane + x] = src[x * pixel + c];
  }
}
#endif

// A row of input into the planes, from `to` on: `src` is its first pixel's group of channels.
// The last pixels, and what is not four whole bytes, go the slower way; the zeros that they
// bring along stay in the row.
static void row_hwc(const struct nn_depthwise *l, const struct plan *p, uint8_t *to,
                    const uint8_t *src, uint32_t bytes) {
  uint32_t pixel = nn_bits_bytes(l->channels, l->in_bits), bits = l->in_bits;
  uint32_t x = bits == 8 && bytes == 4 ? l->in_w / 4u * 4 : 0;
  if (x > 0)
    nn_planes(to, src, x / 4, pixel, p->plane);
  for (; x < l->in_w; x += 4) {
    uint32_t w[4] = {0, 0, 0, 0};
    for (uint32_t j = 0; j < 4 && x + j < l->in_w; j++)
      w[j] = channels_at(src + (x + j) * pixel, bits, bytes);
    transpose(w);
    for (uint32_t i = 0; i < 4; i++)
      nn_word_store(to + i * p->plane + x, w[i]);
  }
}

static void row_chw(const struct nn_depthwise *l, uint8_t *to, const uint8_t *src) {
  uint32_t words = l->in_w / 4u;
  to += l->pad_left;
  if (words > 0)
    rt_copy_words(to, src, words);
  for (uint32_t x = words * 4; x < l->in_w; x++)
    to[x] = src[x];
}

// Planes of channels c..c + count - 1.
static void planes_of(const struct nn_depthwise *l, const struct plan *p, uint8_t *planes,
                      uint32_t c, uint32_t count) {
  if (l->in_chw || l->pad_left || l->pad_right || l->pad_top || l->pad_bottom)
    rt_zero_words(planes, p->plane);
  uint32_t pixel = nn_bits_bytes(l->channels, l->in_bits);
  for (uint32_t y = 0; y < l->in_h; y++) {
    uint8_t *to = planes + (y + l->pad_top) * p->row;
    if (!l->in_chw)
      row_hwc(l, p, to + l->pad_left, l->in + (size_t)y * l->in_w * pixel + c * l->in_bits / 8,
              nn_bits_bytes(count, l->in_bits));
    for (uint32_t i = 0; i < count && l->in_chw; i++)
      row_chw(l, to + i * p->plane, l->in + ((size_t)(c + i) * l->in_h + y) * l->in_w);
  }
}

// ---- dot products

static void filter_of(const struct nn_depthwise *l, const struct plan *p, uint32_t *filter,
                      uint32_t c) {
  uint32_t count = (uint32_t)l->kernel_h * l->kernel_w, at = 0;
  const uint8_t *w = (const uint8_t *)l->weights + c * nn_bits_bytes(count, l->weight_bits);
  rt_zero_words(filter, l->kernel_h * p->taps);
  for (uint32_t i = 0; i < l->kernel_h; i++, filter += p->taps) {
    for (uint32_t j = 0; j < l->kernel_w; j++)
      ((int8_t *)filter)[j] = (int8_t)nn_bits_signed(w, at++, l->weight_bits);
  }
}

// A channel: its requantization, and where its outputs go.
struct channel {
  int32_t kappa, lambda;
  uint32_t shift;
  uint8_t *out;
  uint32_t step; // bytes from output to output
};

static inline uint8_t finish(const struct channel *ch, int32_t sum) {
  uint32_t scaled = (uint32_t)sum * (uint32_t)ch->kappa;
  return (uint8_t)p_clipu((uint32_t)p_addnr((int32_t)scaled, (uint32_t)ch->lambda, ch->shift), 9);
}

#ifndef __riscv
static void dw_3(const struct nn_dw_3 *s, uint32_t stride) {
  for (uint32_t i = 0; i < s->out_h * s->out_w; i++) {
    uint32_t y = i / s->out_w, x = i % s->out_w, sum = 0;
    for (uint32_t j = 0; j < 3; j++) {
      const uint8_t *at = s->plane + y * (s->next + s->out_w * stride) + j * s->row + x * stride;
      sum += (uint32_t)pv_dotusp_b(nn_word_load(at), s->filter[j]);
    }
    s->out[i * s->step] = nn_requant_u8((int32_t)sum, s->kappa, s->lambda, s->shift);
  }
}
void nn_dw_3_s1(const struct nn_dw_3 *channel) {
  dw_3(channel, 1);
}
void nn_dw_3_s2(const struct nn_dw_3 *channel) {
  dw_3(channel, 2);
}
#endif

static void row_any(const struct nn_depthwise *l, const struct plan *p, const struct channel *ch,
                    const uint32_t *filter, const uint8_t *at) {
  uint8_t *out = ch->out;
  for (uint32_t x = 0; x < p->out_w; x++, out += ch->step, at += l->stride_w) {
    const uint32_t *w = filter;
    int32_t sum = 0;
    for (uint32_t i = 0; i < l->kernel_h; i++) {
      for (uint32_t j = 0; j < p->taps; j++)
        sum = pv_sdotusp_b(sum, nn_word_load(at + i * p->row + 4 * j), *w++);
    }
    *out = finish(ch, sum);
  }
}

static void channel(const struct nn_depthwise *l, const struct plan *p, struct channel ch,
                    const uint32_t *filter, const uint8_t *plane) {
  if (l->kernel_h == 3 && l->kernel_w <= 4 && l->stride_w <= 2) {
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
    (l->stride_w == 1 ? nn_dw_3_s1 : nn_dw_3_s2)(&three);
    return;
  }
  for (uint32_t y = 0; y < p->out_h; y++) {
    row_any(l, p, &ch, filter, plane);
    ch.out += p->out_w * ch.step;
    plane += l->stride_h * p->row;
  }
}

// Bytes of four channels to nibbles or crumbs of theirs.
static void pack(const struct nn_depthwise *l, const struct plan *p, const uint32_t *words,
                 uint32_t c, uint32_t count) {
  uint32_t pixel = nn_bits_bytes(l->channels, l->out_bits), bits = l->out_bits;
  uint32_t bytes = nn_bits_bytes(count, bits), top = ((1u << bits) - 1) * 0x01010101;
  uint8_t *out = l->out + c * bits / 8;
  for (uint32_t i = 0; i < p->out_h * p->out_w; i++, out += pixel) {
    uint32_t w = (uint32_t)pv_minu_b(words[i], top);
    w |= w >> (8 - bits);
    w = (w & ((1u << 2 * bits) - 1)) | (w >> 16 & ((1u << 2 * bits) - 1)) << 2 * bits;
    nn_word_store_part(out, w, bytes);
  }
}

// Channels c..c + count - 1 with this core's scratch.
static void group(const struct nn_depthwise *l, const struct plan *p, uint8_t *scratch, uint32_t c,
                  uint32_t count) {
  uint32_t *filter = (uint32_t *)(void *)(scratch + 4 * p->plane);
  uint32_t *words = filter + l->kernel_h * p->taps;
  planes_of(l, p, scratch, c, count);
  for (uint32_t i = 0; i < 4 && l->out_bits < 8 && count < 4; i++) { // no leftovers in outputs
    for (uint32_t j = 0; j < p->out_h * p->out_w; j++)
      words[j] = 0;
  }
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
  enum kernel_status status = check(given);
  if (status != KERNEL_OK)
    return status;
  const struct nn_depthwise layer = *given, *l = &layer;
  struct plan p = plan_of(l);
  uint8_t *scratch = (uint8_t *)l->scratch + rt_core_id() * p.core_bytes;
  struct rt_range mine = rt_split(l->channels, 4);
  for (uint32_t c = mine.begin; c < mine.end; c += 4)
    group(l, &p, scratch, c, mine.end - c < 4 ? mine.end - c : 4);
  return KERNEL_OK;
}
