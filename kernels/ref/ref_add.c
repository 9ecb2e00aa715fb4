// kernels/ref/ref_add.c
#include "ref_add.h"

#include "kernels/nn/nn_bits.h"
#include "ref_requant.h"

static uint32_t element(const struct nn_add *l, const uint8_t *data, uint32_t bits, uint32_t p,
                        uint32_t c) {
  const uint8_t *pixel = data + p * nn_bits_bytes(l->channels, bits);
  return l->in_signed ? (uint32_t)nn_bits_signed(pixel, c, bits) : nn_bits_unsigned(pixel, c, bits);
}

static int32_t tflite_input(const struct nn_add_rescale *by, uint32_t left, uint32_t x) {
  return ref_scaled_twice(((int32_t)x - by->zero) * (1 << left), by->factor, by->shift);
}

uint32_t ref_add(const struct nn_add *l, uint32_t p, uint32_t c) {
  uint32_t a = element(l, l->a, l->a_bits, p, c), b = element(l, l->b, l->b_bits, p, c);
  uint32_t sum = a * (uint32_t)l->scale_a + b * (uint32_t)l->scale_b + (uint32_t)l->lambda;
  int32_t y = (int32_t)sum >> l->shift, half = l->out_signed ? 1 << (l->out_bits - 1) : 0;
  int32_t top = (1 << l->out_bits) - 1 - half;
  return (uint32_t)(y < -half ? -half : y > top ? top : y) & ((1u << l->out_bits) - 1);
}

uint32_t ref_add_tflite(const struct nn_add *l, const struct nn_add_tflite *t, uint32_t p,
                        uint32_t c) {
  uint32_t a = element(l, l->a, l->a_bits, p, c), b = element(l, l->b, l->b_bits, p, c);
  int64_t sum = (int64_t)tflite_input(&t->a, t->left, a) + tflite_input(&t->b, t->left, b);
  int64_t y =
      t->out.zero + (int64_t)ref_scaled_twice((int32_t)(uint32_t)sum, t->out.factor, t->out.shift);
  return (uint32_t)(y < t->low ? t->low : y > t->high ? t->high : y) & ((1u << l->out_bits) - 1);
}
