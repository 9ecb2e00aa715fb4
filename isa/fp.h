// isa/fp.h: float arithmetic as RISC-V and the PULP extensions define it, bit for bit.
//
// Formats: fp32 (binary32), fp16 (binary16), bf16 (bfloat16: 8 exponent and 7 mantissa bits).
// A number travels as its encoding in a uint32_t; the upper half is ignored in 16-bit operands
// and zero in 16-bit results (FP16_BOX adds what a register holds). Functions named fp16x2_ and
// bf16x2_ work on both lanes of a register, lane 0 in the low half.
//
// Every function is pure: it reads its operands and `rm`, an enum fp_rounding, and ORs the
// exceptions raised, FP_NX ... FP_NV, into *flags.
//  - A NaN result is the canonical quiet NaN (0x7fc00000, 0x7e00, 0x7fc0).
//  - Tininess is detected after rounding; subnormals are never flushed.
//  - Small formats are not checked for NaN boxing, and results are boxed with ones: the FPU of
//    the PULP cores is built with EnableNanBox = 0 (cv32e40p_fp_wrapper.sv), and its results
//    extend with ones also when floats live in x registers.
//
//  - What FPnew 0.6 does otherwise is in isa/fp_fpnew06.h.
//  - Where cvfpu departs from IEEE 754 this follows the standard: integers that overflow binary16
//    raise OF (there NV), and a narrowing that rounds up to the least normal number raises UF if it
//    is tiny (fpnew_cast_multi.sv; read, not measured).
//
// Results do not depend on the host: everything is computed in integers (isa/fp_generic.h), except
// that common binary32 cases in round-to-nearest-even use the host's arithmetic where that is
// provably the same (isa/fp_fast.h).
//
// Sources: The RISC-V Instruction Set Manual, volume I, 20191213, chapter 11; IEEE 754-2019;
// S. Mach et al., "FPnew", IEEE TVLSI 29(4), 2021 (the FPU of the cores); L. Bertaccini et al.,
// "MiniFloat-NN and ExSdotp", ARITH 2022 (dot products).
#ifndef PULPSIM_FP_H
#define PULPSIM_FP_H

#include <stdint.h>

// Rounding modes as encoded in an instruction's rm field and in the frm CSR.
enum fp_rounding {
  FP_RNE = 0, // to nearest, ties to even
  FP_RTZ = 1, // towards zero
  FP_RDN = 2, // down
  FP_RUP = 3, // up
  FP_RMM = 4, // to nearest, ties away from zero
  FP_DYN = 7, // in an instruction only: as frm says
};

// Exceptions as encoded in the fflags CSR.
enum {
  FP_NX = 1,  // inexact
  FP_UF = 2,  // underflow
  FP_OF = 4,  // overflow
  FP_DZ = 8,  // division by zero
  FP_NV = 16, // invalid
};

// The sign bits; to negate an operand is to flip its sign bit, NaNs included.
#define FP32_SIGN   UINT32_C(0x80000000)
#define FP16_SIGN   UINT32_C(0x8000)
#define FP16X2_SIGN UINT32_C(0x80008000)

// What every format has. `name`_fma(a, b, c) is a * b + c; subtraction and the negated forms
// negate operands. _class returns the ten-bit mask of fclass. The comparisons return 0 or 1; eq
// is quiet, the others signal every NaN. _avg is half the sum, with one rounding. _to_* saturate.
// Integers are passed as uint32_t, int16 results are sign-extended. The _soft forms are all
// integers; the same names without the suffix are in isa/fp_fast.h.
#define FP_DECLARE_ARITHMETIC(name)                                                                \
  uint32_t name##_add_soft(uint32_t a, uint32_t b, unsigned rm, unsigned *flags);                  \
  uint32_t name##_mul_soft(uint32_t a, uint32_t b, unsigned rm, unsigned *flags);                  \
  uint32_t name##_div_soft(uint32_t a, uint32_t b, unsigned rm, unsigned *flags);                  \
  uint32_t name##_fma_soft(uint32_t a, uint32_t b, uint32_t c, unsigned rm, unsigned *flags);      \
  uint32_t name##_sqrt(uint32_t a, unsigned rm, unsigned *flags);                                  \
  uint32_t name##_avg(uint32_t a, uint32_t b, unsigned rm, unsigned *flags);                       \
  uint32_t name##_class(uint32_t a);

#define FP_DECLARE_COMPARISONS(name, suffix)                                                       \
  uint32_t name##_min##suffix(uint32_t a, uint32_t b, unsigned *flags);                            \
  uint32_t name##_max##suffix(uint32_t a, uint32_t b, unsigned *flags);                            \
  uint32_t name##_eq##suffix(uint32_t a, uint32_t b, unsigned *flags);                             \
  uint32_t name##_lt##suffix(uint32_t a, uint32_t b, unsigned *flags);                             \
  uint32_t name##_le##suffix(uint32_t a, uint32_t b, unsigned *flags);

#define FP_DECLARE_INTEGERS(name)                                                                  \
  uint32_t name##_to_i32(uint32_t a, unsigned rm, unsigned *flags);                                \
  uint32_t name##_to_u32(uint32_t a, unsigned rm, unsigned *flags);                                \
  uint32_t name##_to_i16(uint32_t a, unsigned rm, unsigned *flags);                                \
  uint32_t name##_to_u16(uint32_t a, unsigned rm, unsigned *flags);                                \
  uint32_t name##_from_i32(uint32_t a, unsigned rm, unsigned *flags);                              \
  uint32_t name##_from_u32(uint32_t a, unsigned rm, unsigned *flags);

FP_DECLARE_ARITHMETIC(fp32)
FP_DECLARE_COMPARISONS(fp32, _soft)
FP_DECLARE_INTEGERS(fp32)
FP_DECLARE_ARITHMETIC(fp16)
FP_DECLARE_COMPARISONS(fp16, )
FP_DECLARE_INTEGERS(fp16)
FP_DECLARE_ARITHMETIC(bf16)
FP_DECLARE_COMPARISONS(bf16, )
FP_DECLARE_INTEGERS(bf16)

// Between formats. A widening is exact and has no rounding mode, but signals signalling NaNs.
uint32_t fp32_from_fp16(uint32_t a, unsigned *flags);
uint32_t fp32_from_bf16(uint32_t a, unsigned *flags);
uint32_t fp16_from_fp32(uint32_t a, unsigned rm, unsigned *flags);
uint32_t fp16_from_bf16(uint32_t a, unsigned rm, unsigned *flags);
uint32_t bf16_from_fp32(uint32_t a, unsigned rm, unsigned *flags);
uint32_t bf16_from_fp16(uint32_t a, unsigned rm, unsigned *flags);

// a + b[0] * c[0] + b[1] * c[1] as the unit that has it delivers it (isa/fp_sdotp.c): `a` is
// binary32, b and c hold two binary16 (bfloat16) lanes. Rounded to nearest it is the exact sum
// rounded once, but where tiny terms stand beside others.
uint32_t fp32_dotp_fp16x2_soft(uint32_t a, uint32_t b, uint32_t c, unsigned rm, unsigned *flags);
uint32_t fp32_dotp_bf16x2_soft(uint32_t a, uint32_t b, uint32_t c, unsigned rm, unsigned *flags);

// b[0] * c[0] + b[1] * c[1] in the format of the lanes, with one rounding.
uint32_t fp16_dotp_fp16x2(uint32_t b, uint32_t c, unsigned rm, unsigned *flags);
uint32_t bf16_dotp_bf16x2(uint32_t b, uint32_t c, unsigned rm, unsigned *flags);

#include "fp_fast.h"
#include "fp_lanes.h"

#include "fp_fpnew06.h" // works on the lanes

#endif
