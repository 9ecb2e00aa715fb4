// isa/fp_lanes.h: two 16-bit floats in a register, and how one is boxed. Part of isa/fp.h.
#ifndef PULPSIM_FP_LANES_H
#define PULPSIM_FP_LANES_H

#include <stdint.h>

// A scalar 16-bit result in a register.
#define FP16_BOX(a) (UINT32_C(0xffff0000) | (a))

// Lane 0 in both lanes: the second operand of the `.r` forms.
#define FP16_REPLICATE(a) (((a)&UINT32_C(0xffff)) * UINT32_C(0x10001))

// Two lane results, of which the upper halves do not count.
static inline uint32_t fp_lanes(uint32_t lane0, uint32_t lane1) {
  return (lane0 & 0xffff) | lane1 << 16;
}
// An int16 lane, sign-extended.
static inline uint32_t fp_int_lane(uint32_t a, int lane) {
  return (uint32_t)(int32_t)(int16_t)(a >> (16 * lane));
}

#define FP_LANES_2_ROUNDED(name, op)                                                               \
  static inline uint32_t name##x2_##op(uint32_t a, uint32_t b, unsigned rm, unsigned *flags) {     \
    uint32_t lane0 = name##_##op(a, b, rm, flags);                                                 \
    return fp_lanes(lane0, name##_##op(a >> 16, b >> 16, rm, flags));                              \
  }
#define FP_LANES_2(name, op)                                                                       \
  static inline uint32_t name##x2_##op(uint32_t a, uint32_t b, unsigned *flags) {                  \
    uint32_t lane0 = name##_##op(a, b, flags);                                                     \
    return fp_lanes(lane0, name##_##op(a >> 16, b >> 16, flags));                                  \
  }
#define FP_LANES_1_ROUNDED(result, op, operand)                                                    \
  static inline uint32_t result##x2_##op(uint32_t a, unsigned rm, unsigned *flags) {               \
    uint32_t lane0 = result##_##op(operand(a, 0), rm, flags);                                      \
    return fp_lanes(lane0, result##_##op(operand(a, 1), rm, flags));                               \
  }
#define FP_LANE(a, lane)      ((a) >> (16 * (lane)))
#define FP_INT_LANE(a, lane)  fp_int_lane(a, lane)
#define FP_UINT_LANE(a, lane) (FP_LANE(a, lane) & 0xffff)

// The lane forms of one format. The comparisons leave 0 or 1 in each lane. class packs eight bits
// per lane: negative, positive, quiet NaN, signalling NaN, zero, subnormal, normal, infinite, from
// bit 7 down (cvfpu, fpnew_opgroup_fmt_slice.sv).
#define FP_DEFINE_LANES(name)                                                                      \
  FP_LANES_2_ROUNDED(name, add)                                                                    \
  FP_LANES_2_ROUNDED(name, mul)                                                                    \
  FP_LANES_2_ROUNDED(name, div)                                                                    \
  FP_LANES_2_ROUNDED(name, avg)                                                                    \
  FP_LANES_2(name, min)                                                                            \
  FP_LANES_2(name, max)                                                                            \
  FP_LANES_2(name, eq)                                                                             \
  FP_LANES_2(name, lt)                                                                             \
  FP_LANES_2(name, le)                                                                             \
  FP_LANES_1_ROUNDED(name, sqrt, FP_LANE)                                                          \
  FP_LANES_1_ROUNDED(name, to_i16, FP_LANE)                                                        \
  FP_LANES_1_ROUNDED(name, to_u16, FP_LANE)                                                        \
  FP_LANES_1_ROUNDED(name, from_i32, FP_INT_LANE)                                                  \
  FP_LANES_1_ROUNDED(name, from_u32, FP_UINT_LANE)                                                 \
  static inline uint32_t name##x2_fma(uint32_t a, uint32_t b, uint32_t c, unsigned rm,             \
                                      unsigned *flags) {                                           \
    uint32_t lane0 = name##_fma(a, b, c, rm, flags);                                               \
    return fp_lanes(lane0, name##_fma(a >> 16, b >> 16, c >> 16, rm, flags));                      \
  }                                                                                                \
  static inline uint32_t name##x2_ne(uint32_t a, uint32_t b, unsigned *flags) {                    \
    return name##x2_eq(a, b, flags) ^ 0x00010001;                                                  \
  }                                                                                                \
  static inline uint32_t name##x2_class(uint32_t a) {                                              \
    return fp_class_bits(name##_class(a)) | fp_class_bits(name##_class(a >> 16)) << 8;             \
  }

// The eight-bit form of an fclass mask.
static inline uint32_t fp_class_bits(uint32_t mask) {
  uint32_t sign = mask & 0x0f ? 0x80 : 0x40;
  uint32_t kind = (mask & 0x81 ? 1u : 0) | (mask & 0x42 ? 2u : 0) | (mask & 0x24 ? 4u : 0) |
                  (mask & 0x18 ? 8u : 0) | (mask & 0x100 ? 16u : 0) | (mask & 0x200 ? 32u : 0);
  return sign | kind;
}

FP_DEFINE_LANES(fp16)
FP_DEFINE_LANES(bf16)

static inline uint32_t fp16x2_from_bf16(uint32_t a, unsigned rm, unsigned *flags) {
  uint32_t lane0 = fp16_from_bf16(a, rm, flags);
  return fp_lanes(lane0, fp16_from_bf16(a >> 16, rm, flags));
}
static inline uint32_t bf16x2_from_fp16(uint32_t a, unsigned rm, unsigned *flags) {
  uint32_t lane0 = bf16_from_fp16(a, rm, flags);
  return fp_lanes(lane0, bf16_from_fp16(a >> 16, rm, flags));
}

// Two binary32 numbers rounded into lanes 0 and 1 (cast and pack).
static inline uint32_t fp16x2_pack(uint32_t a, uint32_t b, unsigned rm, unsigned *flags) {
  uint32_t lane0 = fp16_from_fp32(a, rm, flags);
  return fp_lanes(lane0, fp16_from_fp32(b, rm, flags));
}
static inline uint32_t bf16x2_pack(uint32_t a, uint32_t b, unsigned rm, unsigned *flags) {
  uint32_t lane0 = bf16_from_fp32(a, rm, flags);
  return fp_lanes(lane0, bf16_from_fp32(b, rm, flags));
}

// Sign injection per lane.
static inline uint32_t fp16x2_sgnj(uint32_t a, uint32_t b) {
  return fp_sgnj(a, b, FP16X2_SIGN);
}
static inline uint32_t fp16x2_sgnjn(uint32_t a, uint32_t b) {
  return fp_sgnj(a, ~b, FP16X2_SIGN);
}
static inline uint32_t fp16x2_sgnjx(uint32_t a, uint32_t b) {
  return a ^ (b & FP16X2_SIGN);
}

// Products of 16-bit operands in binary32, and a * b + c; one rounding.
static inline uint32_t fp32_mul_fp16(uint32_t a, uint32_t b, unsigned rm, unsigned *flags) {
  uint32_t x = fp32_from_fp16(a, flags), y = fp32_from_fp16(b, flags);
  return fp32_mul(x, y, rm, flags);
}
static inline uint32_t fp32_mul_bf16(uint32_t a, uint32_t b, unsigned rm, unsigned *flags) {
  uint32_t x = fp32_from_bf16(a, flags), y = fp32_from_bf16(b, flags);
  return fp32_mul(x, y, rm, flags);
}
static inline uint32_t fp32_fma_fp16(uint32_t a, uint32_t b, uint32_t c, unsigned rm,
                                     unsigned *flags) {
  uint32_t x = fp32_from_fp16(a, flags), y = fp32_from_fp16(b, flags);
  return fp32_fma(x, y, c, rm, flags);
}
static inline uint32_t fp32_fma_bf16(uint32_t a, uint32_t b, uint32_t c, unsigned rm,
                                     unsigned *flags) {
  uint32_t x = fp32_from_bf16(a, flags), y = fp32_from_bf16(b, flags);
  return fp32_fma(x, y, c, rm, flags);
}

// What a body does with a result and its flags (isa/rows/all.def has the vocabulary). An executor
// may define FP_RAISED as the flags that are up already: an operation then spares finding out
// whether it is inexact when that flag is among them.
#ifndef FP_RAISED
#define FP_RAISED 0
#endif
// It may define FP_IS_FPNEW06, whether the unit is that of isa/fp_fpnew06.h, and FP_F0, what f0
// holds.
#ifndef FP_IS_FPNEW06
#define FP_IS_FPNEW06 0
#define FP_F0         0
#endif
#define FP_MUL(format, a, b, rm)                                                                   \
  (FP_IS_FPNEW06 ? format##_mul_fpnew06((a), (b), (rm), &fl) : format##_mul((a), (b), (rm), &fl))
#define FP_FMA(format, a, b, c, rm)                                                                \
  (FP_IS_FPNEW06 ? format##_fma_fpnew06((a), (b), (c), (rm), &fl)                                  \
                 : format##_fma((a), (b), (c), (rm), &fl))
#define FP_DIV(format, a, b, rm)                                                                   \
  (FP_IS_FPNEW06 ? format##_div_fpnew06((a), (b), (rm), &fl) : format##_div((a), (b), (rm), &fl))
#define FP_SQRT(format, a, rm)                                                                     \
  (FP_IS_FPNEW06 ? format##_sqrt_fpnew06((a), FP_F0, (rm), &fl) : format##_sqrt((a), (rm), &fl))
#define FP_RD(expression)                                                                          \
  do {                                                                                             \
    unsigned fl = FP_RAISED;                                                                       \
    RD = (expression);                                                                             \
    FFLAGS(fl);                                                                                    \
  } while (0)

#endif
