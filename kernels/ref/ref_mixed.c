// kernels/ref/ref_mixed.c
#include "ref_mixed.h"

#include "ref_requant.h"

static uint32_t output(const struct nn_mixed *l, const struct ref_mixed *ref, uint32_t sum,
                       uint32_t f) {
  uint32_t lambda = ref->lambda ? (uint32_t)ref->lambda[f] : 0;
  if (l->requant)
    return ref_requant_i32(l->requant, (int32_t)(sum + lambda), f);
  if (l->out_bits == 32)
    return sum + lambda;
  int32_t y = (int32_t)(sum * (uint32_t)ref->kappa[f] + lambda) >> l->shape.shift;
  int32_t least = l->out_signed ? -(1 << (l->out_bits - 1)) : 0;
  int32_t most = least + (1 << l->out_bits) - 1;
  return (uint32_t)(y < least ? least : y > most ? most : y) & (uint32_t)((1 << l->out_bits) - 1);
}

static uint32_t input(const struct nn_mixed *l, const uint8_t *pixel, uint32_t c) {
  return l->in_signed ? (uint32_t)nn_bits_signed(pixel, c, l->in_bits)
                      : nn_bits_unsigned(pixel, c, l->in_bits);
}

uint32_t ref_mixed(const struct nn_mixed *l, const struct ref_mixed *ref, uint32_t y, uint32_t x,
                   uint32_t f) {
  const struct nn_conv2d *s = &l->shape;
  uint32_t pixel_bytes = nn_bits_bytes(s->in_c, l->in_bits);
  uint32_t tap_bytes = nn_bits_bytes(s->in_c, l->weight_bits);
  uint32_t sum = 0;
  for (int32_t i = 0; i < s->kernel_h; i++) {
    for (int32_t j = 0; j < s->kernel_w; j++) {
      int32_t row = (int32_t)y * s->stride_h + i - s->pad_top;
      int32_t column = (int32_t)x * s->stride_w + j - s->pad_left;
      bool outside = row < 0 || row >= s->in_h || column < 0 || column >= s->in_w;
      const uint8_t *pixel =
          outside ? NULL : s->in + ((uint32_t)row * s->in_w + (uint32_t)column) * pixel_bytes;
      uint32_t tap = (f * s->kernel_h + (uint32_t)i) * s->kernel_w + (uint32_t)j;
      const uint8_t *w = (const uint8_t *)ref->weights + (size_t)tap * tap_bytes;
      for (uint32_t c = 0; c < s->in_c; c++)
        sum += (outside ? (uint32_t)l->pad_value : input(l, pixel, c)) *
               (uint32_t)nn_bits_signed(w, c, l->weight_bits);
    }
  }
  return output(l, ref, sum, f);
}
