// isa/fp_generic_ops.h: the operations on the numbers of isa/fp_generic.h: arithmetic, comparisons,
// conversions. Private to isa/fp.c.
#ifndef PULPSIM_FP_GENERIC_OPS_H
#define PULPSIM_FP_GENERIC_OPS_H

#include <stdbool.h>
#include <stdint.h>

#include "fp.h"
#include "fp_generic.h"

FPG_INLINE uint32_t fpg_add(uint32_t a, uint32_t b, int E, int M, unsigned rm, unsigned *flags) {
  struct fpg_num x = fpg_unpack(a, E, M), y = fpg_unpack(b, E, M);
  if (fpg_is_nan(&x) || fpg_is_nan(&y))
    return fpg_propagate(&x, &y, E, M, flags);
  if (x.kind == FPG_INF && y.kind == FPG_INF && x.sign != y.sign)
    return fpg_invalid(E, M, flags);
  if (x.kind == FPG_INF || y.kind == FPG_INF)
    return fpg_signed(x.kind == FPG_INF ? x.sign : y.sign, fpg_inf(E, M), E, M);
  return fpg_add_terms(x.sign, x.exp, x.sig, y.sign, y.exp, y.sig, E, M, rm, flags);
}

// (a + b) / 2
FPG_INLINE uint32_t fpg_average(uint32_t a, uint32_t b, int E, int M, unsigned rm,
                                unsigned *flags) {
  struct fpg_num x = fpg_unpack(a, E, M), y = fpg_unpack(b, E, M);
  if (x.kind > FPG_FINITE || y.kind > FPG_FINITE)
    return fpg_add(a, b, E, M, rm, flags);
  return fpg_add_terms(x.sign, x.exp - 1, x.sig, y.sign, y.exp - 1, y.sig, E, M, rm, flags);
}

FPG_INLINE uint32_t fpg_mul(uint32_t a, uint32_t b, int E, int M, unsigned rm, unsigned *flags) {
  struct fpg_num x = fpg_unpack(a, E, M), y = fpg_unpack(b, E, M);
  bool sign = x.sign != y.sign;
  if (fpg_is_nan(&x) || fpg_is_nan(&y))
    return fpg_propagate(&x, &y, E, M, flags);
  if (x.kind == FPG_INF || y.kind == FPG_INF)
    return x.kind == FPG_ZERO || y.kind == FPG_ZERO ? fpg_invalid(E, M, flags)
                                                    : fpg_signed(sign, fpg_inf(E, M), E, M);
  if (x.kind == FPG_ZERO || y.kind == FPG_ZERO)
    return fpg_signed(sign, 0, E, M);
  return fpg_round(sign, x.exp + y.exp, (uint64_t)x.sig * y.sig, E, M, rm, flags);
}

// a * b + c with one rounding. Infinity times zero is invalid even when c is a quiet NaN
// (RISC-V Manual vol. I, 11.6).
FPG_INLINE uint32_t fpg_fma(uint32_t a, uint32_t b, uint32_t c, int E, int M, unsigned rm,
                            unsigned *flags) {
  struct fpg_num x = fpg_unpack(a, E, M), y = fpg_unpack(b, E, M), z = fpg_unpack(c, E, M);
  bool sign = x.sign != y.sign;
  if ((x.kind == FPG_INF && y.kind == FPG_ZERO) || (x.kind == FPG_ZERO && y.kind == FPG_INF))
    return fpg_invalid(E, M, flags);
  if (fpg_is_nan(&x) || fpg_is_nan(&y) || fpg_is_nan(&z)) {
    fpg_propagate(&x, &y, E, M, flags);
    return fpg_propagate(&z, &z, E, M, flags);
  }
  if (x.kind == FPG_INF || y.kind == FPG_INF)
    return z.kind == FPG_INF && z.sign != sign ? fpg_invalid(E, M, flags)
                                               : fpg_signed(sign, fpg_inf(E, M), E, M);
  if (z.kind == FPG_INF)
    return fpg_signed(z.sign, fpg_inf(E, M), E, M);
  return fpg_add_terms(sign, x.exp + y.exp, (uint64_t)x.sig * y.sig, z.sign, z.exp, z.sig, E, M, rm,
                       flags);
}

FPG_INLINE uint32_t fpg_div(uint32_t a, uint32_t b, int E, int M, unsigned rm, unsigned *flags) {
  struct fpg_num x = fpg_unpack(a, E, M), y = fpg_unpack(b, E, M);
  bool sign = x.sign != y.sign;
  if (fpg_is_nan(&x) || fpg_is_nan(&y))
    return fpg_propagate(&x, &y, E, M, flags);
  if (x.kind == y.kind && x.kind != FPG_FINITE) // 0 / 0, inf / inf
    return fpg_invalid(E, M, flags);
  if (x.kind == FPG_INF || y.kind == FPG_ZERO) {
    if (x.kind != FPG_INF)
      *flags |= FP_DZ;
    return fpg_signed(sign, fpg_inf(E, M), E, M);
  }
  if (x.kind == FPG_ZERO || y.kind == FPG_INF)
    return fpg_signed(sign, 0, E, M);
  // A numerator of 64 bits over at most 24: a quotient of at least 40 bits, and a sticky bit.
  int shift = __builtin_clzll(x.sig);
  uint64_t num = (uint64_t)x.sig << shift, quotient = num / y.sig;
  quotient |= num % y.sig != 0;
  return fpg_round(sign, x.exp - shift - y.exp, quotient, E, M, rm, flags);
}

// floor(sqrt(v)) bit by bit, for a radicand of at least 62 bits; the lowest bit is sticky.
FPG_INLINE uint64_t fpg_isqrt_jam(uint64_t v) {
  uint64_t root = 0, rest = v;
  for (uint64_t bit = UINT64_C(1) << 62; bit != 0; bit >>= 2) {
    uint64_t trial = root + bit;
    root >>= 1;
    if (rest >= trial) {
      rest -= trial;
      root += bit;
    }
  }
  return root << 1 | (rest != 0);
}

FPG_INLINE uint32_t fpg_sqrt(uint32_t a, int E, int M, unsigned rm, unsigned *flags) {
  struct fpg_num x = fpg_unpack(a, E, M);
  if (fpg_is_nan(&x))
    return fpg_propagate(&x, &x, E, M, flags);
  if (x.kind == FPG_ZERO)
    return fpg_signed(x.sign, 0, E, M);
  if (x.sign)
    return fpg_invalid(E, M, flags);
  if (x.kind == FPG_INF)
    return fpg_inf(E, M);
  int shift = __builtin_clzll(x.sig) - 1;
  shift -= (x.exp - shift) & 1; // even exponent; the radicand keeps 62 or 63 bits
  uint64_t root = fpg_isqrt_jam((uint64_t)x.sig << shift);
  return fpg_round(false, (x.exp - shift) / 2 - 1, root, E, M, rm, flags);
}

// --- comparisons. The encoding orders as sign and magnitude.

FPG_INLINE bool fpg_less(uint32_t a, uint32_t b, bool or_equal, int E, int M) {
  uint32_t sign = fpg_sign_bit(E, M);
  a = fpg_trim(a, E, M);
  b = fpg_trim(b, E, M);
  if (((a | b) & (sign - 1)) == 0) // zeros are equal whatever their signs
    return or_equal;
  if ((a ^ b) & sign)
    return (a & sign) != 0;
  return a == b ? or_equal : (a < b) != ((a & sign) != 0);
}

FPG_INLINE bool fpg_equal(uint32_t a, uint32_t b, int E, int M) {
  return fpg_trim(a ^ b, E, M) == 0 || fpg_trim((a | b) << 1, E, M) == 0;
}

// The quiet comparison (feq) signals only signalling NaNs; the others signal every NaN
// (RISC-V Manual vol. I, 11.8).
FPG_INLINE bool fpg_unordered(uint32_t a, uint32_t b, bool quiet, int E, int M, unsigned *flags) {
  struct fpg_num x = fpg_unpack(a, E, M), y = fpg_unpack(b, E, M);
  if (!fpg_is_nan(&x) && !fpg_is_nan(&y))
    return false;
  if (!quiet || x.kind == FPG_SNAN || y.kind == FPG_SNAN)
    *flags |= FP_NV;
  return true;
}

// minimumNumber and maximumNumber (IEEE 754-2019, 9.6): -0 is less than +0; one NaN yields the
// other operand.
FPG_INLINE uint32_t fpg_min_max(uint32_t a, uint32_t b, bool max, int E, int M, unsigned *flags) {
  struct fpg_num x = fpg_unpack(a, E, M), y = fpg_unpack(b, E, M);
  if (fpg_is_nan(&x) || fpg_is_nan(&y)) {
    uint32_t nan = fpg_propagate(&x, &y, E, M, flags);
    return fpg_trim(!fpg_is_nan(&x) ? a : !fpg_is_nan(&y) ? b : nan, E, M);
  }
  bool less = x.sign != y.sign ? x.sign : fpg_less(a, b, false, E, M);
  return fpg_trim(less != max ? a : b, E, M);
}

// The mask of fclass (RISC-V Manual vol. I, table 11.5).
FPG_INLINE uint32_t fpg_class(uint32_t a, int E, int M) {
  struct fpg_num x = fpg_unpack(a, E, M);
  if (fpg_is_nan(&x))
    return x.kind == FPG_SNAN ? 1 << 8 : 1 << 9;
  unsigned magnitude = x.kind == FPG_INF ? 3 : x.kind == FPG_ZERO ? 0 : x.sig >> M ? 2 : 1;
  return UINT32_C(1) << (x.sign ? 3 - magnitude : 4 + magnitude);
}

// --- conversions

// To a two's-complement integer of `width` bits (at most 32), signed or not; sign-extended (signed)
// or zero-extended to 32 bits. Out of range and NaN are invalid and saturate; a NaN counts as
// positive (RISC-V Manual vol. I, table 11.4).
FPG_INLINE uint32_t fpg_to_int(uint32_t a, int width, bool is_signed, int E, int M, unsigned rm,
                               unsigned *flags) {
  struct fpg_num x = fpg_unpack(a, E, M);
  uint64_t most = (UINT64_C(1) << (is_signed ? width - 1 : width)) - 1;
  uint64_t least = is_signed ? most + 1 : 0; // magnitude of the most negative number
  uint64_t limit = fpg_is_nan(&x) || !x.sign ? most : least;
  if (x.kind == FPG_ZERO)
    return 0;
  if (x.kind != FPG_FINITE || x.exp > 40) {
    *flags |= FP_NV;
    return (uint32_t)(fpg_is_nan(&x) || !x.sign ? limit : -limit);
  }
  // Two fraction bits (and sticky) are enough: shift so that the unit is at bit 2 or higher.
  uint64_t fixed = x.exp >= 0 ? (uint64_t)x.sig << x.exp : 0, rest = 0;
  if (x.exp < 0) {
    uint64_t quarters = fpg_jam64((uint64_t)x.sig << 2, -x.exp);
    fixed = quarters >> 2;
    rest = quarters & 3;
  }
  fixed += fpg_round_up(x.sign, fixed & 1, rest, 2, rm);
  if (fixed > limit) {
    *flags |= FP_NV;
    fixed = limit;
  } else if (rest != 0) {
    *flags |= FP_NX;
  }
  return (uint32_t)(x.sign ? -fixed : fixed);
}

FPG_INLINE uint32_t fpg_from_int(bool sign, uint32_t magnitude, int E, int M, unsigned rm,
                                 unsigned *flags) {
  return magnitude == 0 ? 0 : fpg_round(sign, 0, magnitude, E, M, rm, flags);
}

// From one format (E, M) to another (F, N).
FPG_INLINE uint32_t fpg_convert(uint32_t a, int E, int M, int F, int N, unsigned rm,
                                unsigned *flags) {
  struct fpg_num x = fpg_unpack(a, E, M);
  if (fpg_is_nan(&x))
    return fpg_propagate(&x, &x, F, N, flags);
  if (x.kind == FPG_INF)
    return fpg_signed(x.sign, fpg_inf(F, N), F, N);
  if (x.kind == FPG_ZERO)
    return fpg_signed(x.sign, 0, F, N);
  return fpg_round(x.sign, x.exp, x.sig, F, N, rm, flags);
}

#endif
