// isa/fp_fpnew06.h: where FPnew 0.6 departs from IEEE 754, bit for bit. Part of isa/fp.h.
//
// A product that is zero is -0 if rounded down: it is added to -0. (A fused one is not.) Underflow
// is raised where an inexact result is subnormal or zero, and so not where it is rounded up to the
// least normal number.
//
// The serial unit for division and square root (div_sqrt_mvp 1.0.4) works out a result to 27 binary
// digits (binary32), 15 (binary16) or 12 (bfloat16), without a look at what remains:
//  - to nearest, what looks like a tie may be none: results are one unit in the last place off;
//  - up and down are exchanged; ties away from zero truncate;
//  - a result is called exact when those digits are enough; infinite operands raise OF, and zero by
//    zero raises DZ beside NV; a subnormal result raises UF, and is zero if it is rounded up to the
//    least normal number;
//  - a root looks at the register of the field that is no operand: `beside`, f0's, and is NaN if
//    that is.
//
// Facts: pulp-platform/fpnew v0.6.1, fpu_div_sqrt_mvp v1.0.4; measured under Verilator, divisions
// and roots with 400,000 operations a format.
#ifndef PULPSIM_FP_FPNEW06_H
#define PULPSIM_FP_FPNEW06_H

#include <stdint.h>

uint32_t fp32_div_fpnew06(uint32_t a, uint32_t b, unsigned rm, unsigned *flags);
uint32_t fp16_div_fpnew06(uint32_t a, uint32_t b, unsigned rm, unsigned *flags);
uint32_t bf16_div_fpnew06(uint32_t a, uint32_t b, unsigned rm, unsigned *flags);
uint32_t fp32_sqrt_fpnew06(uint32_t a, uint32_t beside, unsigned rm, unsigned *flags);
uint32_t fp16_sqrt_fpnew06(uint32_t a, uint32_t beside, unsigned rm, unsigned *flags);
uint32_t bf16_sqrt_fpnew06(uint32_t a, uint32_t beside, unsigned rm, unsigned *flags);

#define FPNEW06_LANES(name)                                                                        \
  static inline uint32_t name##x2_div_fpnew06(uint32_t a, uint32_t b, unsigned rm,                 \
                                              unsigned *flags) {                                   \
    uint32_t lane0 = name##_div_fpnew06(a, b, rm, flags);                                          \
    return fp_lanes(lane0, name##_div_fpnew06(a >> 16, b >> 16, rm, flags));                       \
  }                                                                                                \
  static inline uint32_t name##x2_sqrt_fpnew06(uint32_t a, uint32_t beside, unsigned rm,           \
                                               unsigned *flags) {                                  \
    uint32_t lane0 = name##_sqrt_fpnew06(a, beside, rm, flags);                                    \
    return fp_lanes(lane0, name##_sqrt_fpnew06(a >> 16, beside >> 16, rm, flags));                 \
  }
FPNEW06_LANES(fp16)
FPNEW06_LANES(bf16)
#undef FPNEW06_LANES

// `exponent`: the field, all ones.
#define FPNEW06_PRODUCTS(name, sign, exponent)                                                     \
  static inline uint32_t name##_fma_fpnew06(uint32_t a, uint32_t b, uint32_t c, unsigned rm,       \
                                            unsigned *flags) {                                     \
    unsigned fl = *flags & ~(unsigned)FP_UF;                                                       \
    uint32_t result = name##_fma(a, b, c, rm, &fl);                                                \
    *flags |= result & (exponent) ? fl & ~(unsigned)FP_UF : fl;                                    \
    return result;                                                                                 \
  }                                                                                                \
  static inline uint32_t name##_mul_fpnew06(uint32_t a, uint32_t b, unsigned rm,                   \
                                            unsigned *flags) {                                     \
    unsigned fl = *flags & ~(unsigned)FP_UF;                                                       \
    uint32_t result = rm == FP_RDN ? name##_fma(a, b, sign, rm, &fl) : name##_mul(a, b, rm, &fl);  \
    *flags |= result & (exponent) ? fl & ~(unsigned)FP_UF : fl;                                    \
    return result;                                                                                 \
  }
FPNEW06_PRODUCTS(fp32, FP32_SIGN, 0x7f800000)
FPNEW06_PRODUCTS(fp16, FP16_SIGN, 0x7c00)
FPNEW06_PRODUCTS(bf16, FP16_SIGN, 0x7f80)
#undef FPNEW06_PRODUCTS

#define FPNEW06_PRODUCT_LANES(name)                                                                \
  static inline uint32_t name##x2_fma_fpnew06(uint32_t a, uint32_t b, uint32_t c, unsigned rm,     \
                                              unsigned *flags) {                                   \
    uint32_t lane0 = name##_fma_fpnew06(a, b, c, rm, flags);                                       \
    return fp_lanes(lane0, name##_fma_fpnew06(a >> 16, b >> 16, c >> 16, rm, flags));              \
  }                                                                                                \
  static inline uint32_t name##x2_mul_fpnew06(uint32_t a, uint32_t b, unsigned rm,                 \
                                              unsigned *flags) {                                   \
    uint32_t lane0 = name##_mul_fpnew06(a, b, rm, flags);                                          \
    return fp_lanes(lane0, name##_mul_fpnew06(a >> 16, b >> 16, rm, flags));                       \
  }
FPNEW06_PRODUCT_LANES(fp16)
FPNEW06_PRODUCT_LANES(bf16)
#undef FPNEW06_PRODUCT_LANES

#endif
