// kernels/ref/ref_depthwise.c
#include "ref_depthwise.h"

#include "kernels/nn/nn_bits.h"
#include "ref_requant.h"

static uint32_t element(const uint8_t *data, bool chw, uint32_t bits, uint32_t h, uint32_t w,
                        uint32_t n, const uint32_t yxc[3]) {
  if (chw)
    return data[(yxc[2] * h + yxc[0]) * w + yxc[1]];
  const uint8_t *pixel = data + (yxc[0] * w + yxc[1]) * nn_bits_bytes(n, bits);
  return nn_bits_unsigned(pixel, yxc[2], bits);
}

static uint32_t output(const struct nn_depthwise *l, uint32_t sum, uint32_t c) {
  uint32_t lambda = l->lambda ? (uint32_t)l->lambda[c] : 0;
  if (l->requant)
    return ref_requant_i32(l->requant, (int32_t)(sum + lambda), c);
  if (l->out_bits == 32)
    return sum + lambda;
  int32_t v = (int32_t)(sum * (uint32_t)l->kappa[c] + lambda) >> l->shift;
  int32_t least = l->out_signed ? -(1 << (l->out_bits - 1)) : 0;
  int32_t most = least + (1 << l->out_bits) - 1;
  return (uint32_t)(v < least ? least : v > most ? most : v) & (uint32_t)((1 << l->out_bits) - 1);
}

uint32_t ref_depthwise(const struct nn_depthwise *l, uint32_t y, uint32_t x, uint32_t c) {
  uint32_t taps = (uint32_t)l->kernel_h * l->kernel_w, sum = 0;
  const uint8_t *w = (const uint8_t *)l->weights + c * nn_bits_bytes(taps, l->weight_bits);
  for (uint32_t i = 0; i < taps; i++) {
    uint32_t row = y * l->stride_h + i / l->kernel_w - l->pad_top;
    uint32_t column = x * l->stride_w + i % l->kernel_w - l->pad_left;
    uint32_t x8 = (uint32_t)l->pad_value;
    bool outside = row >= l->in_h || column >= l->in_w; // negative ones are huge
    if (!outside)
      x8 = element(l->in, l->in_chw, l->in_bits, l->in_h, l->in_w, l->channels,
                   (const uint32_t[3]){row, column, c});
    if (!outside && l->in_signed && x8 >> (l->in_bits - 1))
      x8 -= 1u << l->in_bits;
    sum += x8 * (uint32_t)nn_bits_signed(w, i, l->weight_bits);
  }
  return output(l, sum, c);
}

uint32_t ref_depthwise_got(const struct nn_depthwise *l, uint32_t y, uint32_t x, uint32_t c) {
  if (l->out_bits == 32)
    return (
        (const uint32_t *)(const void *)l->out)[(y * nn_depthwise_out_w(l) + x) * l->channels + c];
  return element(l->out, l->out_chw, l->out_bits, nn_depthwise_out_h(l), nn_depthwise_out_w(l),
                 l->channels, (const uint32_t[3]){y, x, c});
}
