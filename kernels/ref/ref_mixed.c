// kernels/ref/ref_mixed.c
#include "ref_mixed.h"

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
      if (row < 0 || row >= s->in_h || column < 0 || column >= s->in_w)
        continue;
      const uint8_t *pixel = s->in + ((uint32_t)row * s->in_w + (uint32_t)column) * pixel_bytes;
      uint32_t tap = (f * s->kernel_h + (uint32_t)i) * s->kernel_w + (uint32_t)j;
      const uint8_t *w = (const uint8_t *)ref->weights + (size_t)tap * tap_bytes;
      for (uint32_t c = 0; c < s->in_c; c++)
        sum +=
            nn_bits_unsigned(pixel, c, l->in_bits) * (uint32_t)nn_bits_signed(w, c, l->weight_bits);
    }
  }
  if (l->out_bits == 32)
    return sum;
  int32_t v = (int32_t)(sum * (uint32_t)ref->kappa[f] + (uint32_t)ref->lambda[f]) >> s->shift;
  int32_t top = (1 << l->out_bits) - 1;
  return (uint32_t)(v < 0 ? 0 : v > top ? top : v);
}
