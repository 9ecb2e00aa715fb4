// kernels/ref/ref_conv2d.c
#include "ref_conv2d.h"

#include "kernels/nn/nn_requant.h"

uint8_t ref_conv2d_u8(const struct nn_conv2d *l, const struct ref_conv2d *ref, uint32_t y,
                      uint32_t x, uint32_t f) {
  const int8_t *w = ref->weights + (uint32_t)l->kernel_h * l->kernel_w * l->in_c * f;
  uint32_t sum = 0;
  for (int32_t i = 0; i < l->kernel_h; i++) {
    for (int32_t j = 0; j < l->kernel_w; j++, w += l->in_c) {
      int32_t row = (int32_t)y * l->stride_h + i - l->pad_top;
      int32_t column = (int32_t)x * l->stride_w + j - l->pad_left;
      if (row < 0 || row >= l->in_h || column < 0 || column >= l->in_w)
        continue;
      const uint8_t *pixel = l->in + ((uint32_t)row * l->in_w + (uint32_t)column) * l->in_c;
      for (uint32_t c = 0; c < l->in_c; c++)
        sum += (uint32_t)(pixel[c] * w[c]);
    }
  }
  return nn_requant_u8((int32_t)sum, ref->kappa[f], ref->lambda[f], l->shift);
}
