// kernels/ref/ref_add.c
#include "ref_add.h"

#include "kernels/nn/nn_bits.h"

static uint32_t element(const struct nn_add *l, const uint8_t *data, uint32_t bits, uint32_t p,
                        uint32_t c) {
  const uint8_t *pixel = data + p * nn_bits_bytes(l->channels, bits);
  return l->in_signed ? (uint32_t)nn_bits_signed(pixel, c, bits) : nn_bits_unsigned(pixel, c, bits);
}

uint32_t ref_add(const struct nn_add *l, uint32_t p, uint32_t c) {
  uint32_t a = element(l, l->a, l->a_bits, p, c), b = element(l, l->b, l->b_bits, p, c);
  uint32_t sum = a * (uint32_t)l->scale_a + b * (uint32_t)l->scale_b + (uint32_t)l->lambda;
  int32_t y = (int32_t)sum >> l->shift, half = l->out_signed ? 1 << (l->out_bits - 1) : 0;
  int32_t top = (1 << l->out_bits) - 1 - half;
  return (uint32_t)(y < -half ? -half : y > top ? top : y) & ((1u << l->out_bits) - 1);
}
