// kernels/nn/nn_planes.c: channels into planes, from any layout and precision.
#include "nn_planes.h"

#include <stddef.h>

#include "kernels/rt/rt.h"
#include "nn_bits.h"
#include "nn_word.h"

#ifndef __riscv
static void run_four(const struct nn_planes *s, uint8_t *to, const uint8_t *src, uint32_t bits) {
  uint32_t width = s->groups * 4 + s->rest, stored = (width + 3) / 4 * 4;
  uint32_t flip = s->flip & ((1u << bits) - 1);
  for (uint32_t i = 0; i < s->rows * stored * 4; i++) {
    uint32_t c = i % 4, x = i / 4 % stored, y = i / 4 / stored;
    const uint8_t *pixel = src + (size_t)(y * width + x) * s->pixel;
    uint32_t pad = nn_bits_unsigned(&s->pad, c, bits);
    to[c * s->plane + y * (stored + s->to_next) + x] =
        (uint8_t)((x < width ? nn_bits_unsigned(pixel, c, bits) : pad) ^ flip);
  }
}
static void run(const struct nn_planes *s, uint32_t bits) {
  for (size_t i = 0; i < s->fours; i++)
    run_four(s, s->to + i * 4 * s->plane, s->src + i * bits / 2, bits);
}
void nn_planes_fill(uint32_t *to, uint32_t words, uint32_t value) {
  for (uint32_t i = 0; i < words; i++)
    to[i] = value;
}
void nn_planes_8u(const struct nn_planes *s) {
  run(s, 8);
}
void nn_planes_8s(const struct nn_planes *s) {
  run(s, 8);
}
void nn_planes_4(const struct nn_planes *s) {
  run(s, 4);
}
void nn_planes_2(const struct nn_planes *s) {
  run(s, 2);
}
#endif

// Less than four channels in all: value by value.
static __attribute__((noinline)) void planes_few(const struct nn_depthwise *l,
                                                 const struct nn_planes_at *at, uint8_t *to) {
  uint32_t pixel = nn_bits_bytes(l->channels, l->in_bits), flip = nn_planes_flip(l);
  const uint8_t *src = l->in + (size_t)at->first * l->in_w * pixel;
  for (uint32_t y = 0; y < at->rows; y++, to += at->row) {
    for (uint32_t x = 0; x < l->in_w; x++, src += pixel) {
      for (uint32_t i = 0; i < l->channels; i++)
        to[i * at->plane + x] = (uint8_t)(nn_bits_unsigned(src, i, l->in_bits) ^ flip);
    }
  }
}

// Channels beyond c that a word of four would have to begin at, for all of it to be in the pixel.
static uint32_t beyond(uint32_t bits, uint32_t count) {
  return bits == 8 ? 4 - count : bits == 4 && count <= 2 ? 2 : 0;
}

// Four channels at a time. If a word of them would reach beyond the pixel, the four that end with
// it, the first of which are there already.
static uint8_t *planes_hwc(const struct nn_depthwise *l, const struct nn_planes_at *at,
                           uint8_t *planes, uint32_t c, uint32_t end) {
  uint32_t bits = l->in_bits, pixel = nn_bits_bytes(l->channels, bits);
  uint32_t inside = at->above * at->row + l->pad_left;
  uint8_t *first = planes;
  nn_planes_fn *four = bits == 4 ? nn_planes_4 : bits == 2 ? nn_planes_2 : nn_planes_8u;
  struct nn_planes s = {.rows = at->rows,
                        .groups = l->in_w / 4u,
                        .pixel = pixel,
                        .plane = at->plane,
                        .to_next = at->row - (l->in_w + 3u) / 4 * 4,
                        .rest = l->in_w % 4u,
                        .pad = nn_bits_all(l->pad_value, bits),
                        .flip = l->in_signed ? nn_bits_signs(bits) : 0};
  if (bits == 8 && l->in_signed)
    four = nn_planes_8s;
  uint32_t count = end - c, left = count % 4;
  s.src = l->in + (size_t)at->first * l->in_w * pixel + c * bits / 8;
  s.to = planes + inside;
  s.fours = count / 4;
  if (s.fours > 0)
    four(&s);
  if (left > 0) {
    uint32_t back = beyond(bits, left);
    s.src += s.fours * bits / 2;
    s.src -= back * bits / 8;
    s.to += s.fours * 4 * at->plane;
    if (s.fours > 0)
      s.to -= back * at->plane;
    else
      first += back * at->plane;
    s.fours = 1;
    four(&s);
  }
  return first;
}

static void planes_chw(const struct nn_depthwise *l, const struct nn_planes_at *at, uint8_t *to,
                       uint32_t c, uint32_t end) {
  uint32_t words = l->in_w / 4u, flip = nn_planes_flip(l) * 0x01010101;
  to += at->above * at->row + l->pad_left;
  for (; c < end; c++, to += at->plane) {
    const uint8_t *src = l->in + (c * (size_t)l->in_h + at->first) * l->in_w;
    if (words > 0)
      rt_copy_rows(to, src, words, at->rows, at->row, l->in_w);
    uint8_t *row = to;
    for (uint32_t y = 0; y < at->rows; y++, src += l->in_w, row += at->row) {
      for (uint32_t x = 0; x < words * 4 && flip; x += 4)
        nn_word_store(row + x, nn_word_load(row + x) ^ flip);
      for (uint32_t x = words * 4; x < l->in_w; x++)
        row[x] = (uint8_t)(src[x] ^ (flip & 0xff));
    }
  }
}

uint8_t *nn_planes_of(const struct nn_depthwise *l, const struct nn_planes_at *at, uint8_t *planes,
                      uint32_t c, uint32_t end) {
  if (at->rows == 0)
    return planes;
  if (!l->in_chw && l->channels >= 4)
    return planes_hwc(l, at, planes, c, end);
  if (l->in_chw)
    planes_chw(l, at, planes, c, end);
  else
    planes_few(l, at, planes + at->above * at->row + l->pad_left);
  return planes;
}
