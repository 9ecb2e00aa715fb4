// kernels/ref/ref_train_half.c
#include "ref_train_half.h"

#include <stddef.h>

union bits {
  float f;
  uint32_t u;
};

float ref_half_value(uint16_t half, enum mmt_f16_format format) {
  if (format == MMT_BF16)
    return (union bits){.u = (uint32_t)half << 16}.f;
  uint32_t sign = (uint32_t)(half & 0x8000) << 16, exponent = half >> 10 & 31,
           fraction = half & 0x3ff;
  if (exponent == 31)
    return (union bits){.u = sign | 0x7f800000 | fraction << 13}.f;
  if (exponent == 0) // zero or subnormal: fraction * 2^-24
    return (union bits){.u = sign | (union bits){.f = (float)fraction * 0x1p-24f}.u}.f;
  return (union bits){.u = sign | (exponent + 112) << 23 | fraction << 13}.f;
}

// Adding a power of two far above rounds a float to the step wanted, ties to even, in the float's
// own arithmetic; what remains is exact.
static uint16_t round_fp16(float value) {
  uint32_t bits = (union bits){.f = value}.u, sign = bits >> 16 & 0x8000;
  union bits magnitude = {.u = bits & 0x7fffffff};
  if (magnitude.u > 0x7f800000)
    return 0x7e00;
  if (magnitude.f >= 65520.0f)
    return (uint16_t)(sign | 0x7c00);
  uint32_t exponent = magnitude.u >> 23;
  if (exponent < 113)
    exponent = 113; // subnormal: steps of 2^-24
  volatile float far = (union bits){.u = (exponent + 13) << 23}.f * 1.5f;
  volatile float sum = magnitude.f + far;
  magnitude.f = sum - far;
  if (magnitude.u < 113u << 23)
    return (uint16_t)(sign | (uint32_t)(magnitude.f * 0x1p24f));
  return (uint16_t)(sign | ((magnitude.u >> 23) - 112) << 10 | (magnitude.u >> 13 & 0x3ff));
}

uint16_t ref_half_round(float value, enum mmt_f16_format format) {
  if (format == MMT_FP16)
    return round_fp16(value);
  uint32_t bits = (union bits){.f = value}.u;
  if ((bits & 0x7fffffff) > 0x7f800000)
    return 0x7fc0;
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

struct ref_sum ref_mmt_f16(const struct mmt_f16 *mm, uint32_t i, uint32_t j) {
  struct ref_sum sum = {0};
  for (size_t k = 0; k < mm->k; k++) {
    uint16_t a = mm->layout == MMT_TN ? mm->a[k * mm->lda + i] : mm->a[(size_t)i * mm->lda + k];
    uint16_t b = mm->layout == MMT_NT ? mm->b[(size_t)j * mm->ldb + k] : mm->b[k * mm->ldb + j];
    ref_add_product(&sum, ref_half_value(a, mm->format), ref_half_value(b, mm->format));
  }
  return sum;
}

bool ref_half_near(uint16_t got, enum mmt_f16_format format, const struct ref_sum *want) {
  ref_real value = ref_value(want), bound = ref_bound(want);
  if (!ref_finite(value))
    return ref_same_special(ref_half_value(got, format), value);
  float unit = format == MMT_FP16 ? 0x1p-11f : 0x1p-8f;
  float smallest = format == MMT_FP16 ? 0x1p-25f : 0;
  ref_real size = value < 0 ? -value : value;
  return ref_error(want, ref_half_value(got, format)) <=
         bound + (size + bound) * (ref_real)unit + (ref_real)smallest;
}

static enum mmt_f16_format format_of(enum train_type type) {
  return type == TRAIN_FP16 ? MMT_FP16 : MMT_BF16;
}

float ref_typed(const void *tensor, size_t i, enum train_type type) {
  if (type == TRAIN_F32)
    return ((const float *)tensor)[i];
  return ref_half_value(((const uint16_t *)tensor)[i], format_of(type));
}

bool ref_typed_near(const void *tensor, size_t i, enum train_type type,
                    const struct ref_sum *want) {
  if (type == TRAIN_F32)
    return ref_near(((const float *)tensor)[i], want);
  return ref_half_near(((const uint16_t *)tensor)[i], format_of(type), want);
}
