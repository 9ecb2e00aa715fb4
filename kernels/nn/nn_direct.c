// kernels/nn/nn_direct.c
#include "nn_direct.h"

#include <stddef.h>

#include "kernels/rt/rt.h"
#include "nn_bits.h"

enum { GROUP = 16 }; // filters: whole bytes of all precisions

static enum kernel_status check(const struct nn_direct *l) {
  if (!l->in_h || !l->in_w || !l->in_c || !l->out_h || !l->out_w || !l->out_c || !l->groups ||
      l->in_c % l->groups || l->all_c % l->groups || l->first + l->out_c > l->all_c ||
      (l->weight_bits != 8 && l->weight_bits != 16) || !l->kernel_h || !l->kernel_w ||
      !l->stride_h || !l->stride_w || !l->dilation_h || !l->dilation_w ||
      !nn_bits_valid(l->in_bits) ||
      !(l->requant ? nn_bits_valid(l->out_bits) && l->requant->bits == l->out_bits
                   : l->out_bits == 32) ||
      !nn_bits_holds(l->pad_value, l->in_bits, l->in_signed))
    return KERNEL_BAD_SHAPE;
  if (!l->in || !l->weights || (uintptr_t)l->weights % (l->weight_bits / 8u) || !l->out ||
      (l->out_bits == 32 && (uintptr_t)l->out % 4))
    return KERNEL_BAD_POINTER;
  return l->requant ? nn_requant_i32_check(l->requant) : KERNEL_OK;
}

// From number `at` on.
struct weights {
  const void *first;
  bool bytes;
  uint32_t at;
};

static inline __attribute__((always_inline)) int32_t weight(const struct weights *w, uint32_t i) {
  return w->bytes ? ((const int8_t *)w->first)[w->at + i] : ((const int16_t *)w->first)[w->at + i];
}

// Products of `count` channels of a pixel from channel c on.
static inline __attribute__((always_inline)) uint32_t products(const uint8_t *pixel, uint32_t c,
                                                               uint32_t count,
                                                               const struct weights *w,
                                                               uint32_t bits, uint32_t sign) {
  uint32_t sum = 0;
  for (uint32_t i = c; i < c + count; i++) {
    int32_t code = (int32_t)(nn_bits_unsigned(pixel, i, bits) ^ sign) - (int32_t)sign;
    sum += (uint32_t)(code * weight(w, i - c));
  }
  return sum;
}

static uint32_t tap(const struct nn_direct *l, const uint8_t *pixel, uint32_t c, uint32_t count,
                    const struct weights *w) {
  uint32_t sign = l->in_signed ? 1u << (l->in_bits - 1) : 0, sum = 0;
  if (!pixel) { // outside
    for (uint32_t i = 0; i < count; i++)
      sum += (uint32_t)(l->pad_value * weight(w, i));
    return sum;
  }
  return l->in_bits == 8   ? products(pixel, c, count, w, 8, sign)
         : l->in_bits == 4 ? products(pixel, c, count, w, 4, sign)
                           : products(pixel, c, count, w, 2, sign);
}

// Filter f at (y, x), which are the input's under the window's first tap; `c` is its first channel.
static __attribute__((noinline)) uint32_t window(const struct nn_direct *l, int32_t y, int32_t x0,
                                                 uint32_t f, uint32_t c, uint32_t count) {
  uint32_t pixel = nn_bits_bytes(l->in_c, l->in_bits), sum = 0;
  struct weights w = {l->weights, l->weight_bits == 8,
                      (uint32_t)f * l->kernel_h * l->kernel_w * count};
  for (uint32_t i = 0; i < l->kernel_h; i++, y += l->dilation_h) {
    int32_t x = x0;
    for (uint32_t j = 0; j < l->kernel_w; j++, x += l->dilation_w, w.at += count) {
      bool inside = y >= 0 && y < l->in_h && x >= 0 && x < l->in_w;
      const uint8_t *at = inside ? l->in + (uint32_t)(y * l->in_w + x) * pixel : NULL;
      sum += tap(l, at, c, count, &w);
    }
  }
  return sum;
}

// Filters begin..end - 1 of output pixel (y, x).
static void outputs(const struct nn_direct *l, uint32_t y, uint32_t x, uint32_t begin,
                    uint32_t end) {
  uint32_t pixel = y * l->out_w + x, count = l->in_c / l->groups, filters = l->all_c / l->groups;
  int32_t sums[GROUP];
  for (uint32_t f = begin; f < end; f++) {
    uint32_t sum =
        window(l, (int32_t)(y * l->stride_h) - l->pad_top, (int32_t)(x * l->stride_w) - l->pad_left,
               f, (l->first + f) / filters * count, count);
    sums[f - begin] = (int32_t)(sum + (l->bias ? (uint32_t)l->bias[f] : 0));
  }
  if (l->requant) {
    uint8_t *out = l->out + (size_t)pixel * nn_bits_bytes(l->out_c, l->out_bits);
    nn_requant_i32_pixel(l->requant, sums, out, begin, end);
    return;
  }
  int32_t *out = (int32_t *)(void *)l->out + (size_t)pixel * l->out_c;
  for (uint32_t f = begin; f < end; f++)
    out[f] = sums[f - begin];
}

enum kernel_status nn_direct(const struct nn_direct *l) {
  KERNEL_CHECK(check(l));
  uint32_t groups = (l->out_c + GROUP - 1u) / GROUP;
  struct rt_range mine = rt_split((uint32_t)l->out_h * l->out_w * groups, 1);
  for (uint32_t at = mine.begin; at < mine.end; at++) {
    uint32_t pixel = at / groups, begin = (at - pixel * groups) * GROUP;
    uint32_t end = begin + GROUP < l->out_c ? begin + GROUP : l->out_c;
    outputs(l, pixel / l->out_w, pixel % l->out_w, begin, end);
  }
  return KERNEL_OK;
}
