// kernels/nn/nn_planes.c: channels into planes, from any layout and precision.
#include "nn_planes.h"

#include <stddef.h>

#include "kernels/rt/rt.h"
#include "nn_bits.h"
#include "nn_word.h"
#include "xpulp.h"

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

// The pixels of a row from x on, a group of `bytes` bytes each; `src` is the row's first one. What
// stands behind the last pixels is outside, and stays in the row.
static void row_hwc(const struct nn_depthwise *l, const struct nn_planes_at *p, uint8_t *to,
                    const uint8_t *src, uint32_t x, uint32_t bytes) {
  uint32_t pixel = nn_bits_bytes(l->channels, l->in_bits), pad = nn_bits_all(l->pad_value, 8);
  for (; x < l->in_w; x += 4) {
    uint32_t w[4] = {pad, pad, pad, pad};
    for (uint32_t j = 0; j < 4 && x + j < l->in_w; j++)
      w[j] = channels_at(src + (x + j) * pixel, l->in_bits, bytes, l->in_signed);
    transpose(w);
    for (uint32_t i = 0; i < 4; i++)
      nn_word_store(to + i * p->plane + x, w[i]);
  }
}

// Whole groups of four whole bytes by nn_planes(); what is left the slower way.
static void planes_hwc(const struct nn_depthwise *l, const struct nn_planes_at *p, uint8_t *to,
                       uint32_t c, uint32_t count) {
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

void nn_planes_of(const struct nn_depthwise *l, const struct nn_planes_at *p, uint8_t *planes,
                  uint32_t c, uint32_t count) {
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
