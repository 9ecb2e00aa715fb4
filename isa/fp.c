// isa/fp.c: the operations of isa/fp_generic_ops.h for each format. See isa/fp.h.

#include "fp.h"

#include <math.h>

#include "fp_generic_ops.h"

#define DEFINE_ARITHMETIC(name, E, M)                                                              \
  uint32_t name##_add_soft(uint32_t a, uint32_t b, unsigned rm, unsigned *flags) {                 \
    return fpg_add(a, b, E, M, rm, flags);                                                         \
  }                                                                                                \
  uint32_t name##_mul_soft(uint32_t a, uint32_t b, unsigned rm, unsigned *flags) {                 \
    return fpg_mul(a, b, E, M, rm, flags);                                                         \
  }                                                                                                \
  uint32_t name##_div_soft(uint32_t a, uint32_t b, unsigned rm, unsigned *flags) {                 \
    return fpg_div(a, b, E, M, rm, flags);                                                         \
  }                                                                                                \
  uint32_t name##_fma_soft(uint32_t a, uint32_t b, uint32_t c, unsigned rm, unsigned *flags) {     \
    return fpg_fma(a, b, c, E, M, rm, flags);                                                      \
  }                                                                                                \
  uint32_t name##_avg(uint32_t a, uint32_t b, unsigned rm, unsigned *flags) {                      \
    return fpg_average(a, b, E, M, rm, flags);                                                     \
  }                                                                                                \
  uint32_t name##_class(uint32_t a) {                                                              \
    return fpg_class(a, E, M);                                                                     \
  }

#define DEFINE_COMPARISONS(name, suffix, E, M)                                                     \
  uint32_t name##_min##suffix(uint32_t a, uint32_t b, unsigned *flags) {                           \
    return fpg_min_max(a, b, false, E, M, flags);                                                  \
  }                                                                                                \
  uint32_t name##_max##suffix(uint32_t a, uint32_t b, unsigned *flags) {                           \
    return fpg_min_max(a, b, true, E, M, flags);                                                   \
  }                                                                                                \
  uint32_t name##_eq##suffix(uint32_t a, uint32_t b, unsigned *flags) {                            \
    return !fpg_unordered(a, b, true, E, M, flags) && fpg_equal(a, b, E, M);                       \
  }                                                                                                \
  uint32_t name##_lt##suffix(uint32_t a, uint32_t b, unsigned *flags) {                            \
    return !fpg_unordered(a, b, false, E, M, flags) && fpg_less(a, b, false, E, M);                \
  }                                                                                                \
  uint32_t name##_le##suffix(uint32_t a, uint32_t b, unsigned *flags) {                            \
    return !fpg_unordered(a, b, false, E, M, flags) && fpg_less(a, b, true, E, M);                 \
  }

#define DEFINE_INTEGERS(name, E, M)                                                                \
  uint32_t name##_to_i32(uint32_t a, unsigned rm, unsigned *flags) {                               \
    return fpg_to_int(a, 32, true, E, M, rm, flags);                                               \
  }                                                                                                \
  uint32_t name##_to_u32(uint32_t a, unsigned rm, unsigned *flags) {                               \
    return fpg_to_int(a, 32, false, E, M, rm, flags);                                              \
  }                                                                                                \
  uint32_t name##_to_i16(uint32_t a, unsigned rm, unsigned *flags) {                               \
    return fpg_to_int(a, 16, true, E, M, rm, flags);                                               \
  }                                                                                                \
  uint32_t name##_to_u16(uint32_t a, unsigned rm, unsigned *flags) {                               \
    return fpg_to_int(a, 16, false, E, M, rm, flags);                                              \
  }                                                                                                \
  uint32_t name##_from_i32(uint32_t a, unsigned rm, unsigned *flags) {                             \
    bool negative = a >> 31;                                                                       \
    return fpg_from_int(negative, negative ? -a : a, E, M, rm, flags);                             \
  }                                                                                                \
  uint32_t name##_from_u32(uint32_t a, unsigned rm, unsigned *flags) {                             \
    return fpg_from_int(false, a, E, M, rm, flags);                                                \
  }

DEFINE_ARITHMETIC(fp32, 8, 23)
DEFINE_COMPARISONS(fp32, _soft, 8, 23)
DEFINE_INTEGERS(fp32, 8, 23)
DEFINE_ARITHMETIC(fp16, 5, 10)
DEFINE_COMPARISONS(fp16, , 5, 10)
DEFINE_INTEGERS(fp16, 5, 10)
DEFINE_ARITHMETIC(bf16, 8, 7)
DEFINE_COMPARISONS(bf16, , 8, 7)
DEFINE_INTEGERS(bf16, 8, 7)

// The host's square root is correctly rounded (C17, annex F). A root is never tiny.
uint32_t fp32_sqrt(uint32_t a, unsigned rm, unsigned *flags) {
  if (FP_USUAL(rm, a - 0x00800000 < 0x7f000000)) {
    float x = fp_float(a), root = sqrtf(x);
    *flags |= (double)root * (double)root == (double)x ? 0 : FP_NX;
    return fp_bits(root);
  }
  return fpg_sqrt(a, 8, 23, rm, flags);
}
uint32_t fp16_sqrt(uint32_t a, unsigned rm, unsigned *flags) {
  return fpg_sqrt(a, 5, 10, rm, flags);
}
uint32_t bf16_sqrt(uint32_t a, unsigned rm, unsigned *flags) {
  return fpg_sqrt(a, 8, 7, rm, flags);
}

// A widening is exact: the rounding mode does not matter.
uint32_t fp32_from_fp16(uint32_t a, unsigned *flags) {
  return fpg_convert(a, 5, 10, 8, 23, FP_RNE, flags);
}
uint32_t fp32_from_bf16(uint32_t a, unsigned *flags) {
  return fpg_convert(a, 8, 7, 8, 23, FP_RNE, flags);
}
uint32_t fp16_from_fp32(uint32_t a, unsigned rm, unsigned *flags) {
  return fpg_convert(a, 8, 23, 5, 10, rm, flags);
}
uint32_t fp16_from_bf16(uint32_t a, unsigned rm, unsigned *flags) {
  return fpg_convert(a, 8, 7, 5, 10, rm, flags);
}
uint32_t bf16_from_fp32(uint32_t a, unsigned rm, unsigned *flags) {
  return fpg_convert(a, 8, 23, 8, 7, rm, flags);
}
uint32_t bf16_from_fp16(uint32_t a, unsigned rm, unsigned *flags) {
  return fpg_convert(a, 5, 10, 8, 7, rm, flags);
}
