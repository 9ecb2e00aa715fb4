// isa/fp_generic.h: IEEE 754-2019 binary arithmetic in integers, for every format that fits 32
// bits and every RISC-V rounding mode. Private to isa/fp*.c; users include isa/fp.h.
//
// A format is its two field widths (exponent E, stored mantissa M, with M <= 23), passed as
// constants to functions that are always inlined, so each instance is specialized by the
// compiler. A finite number is held as sig * 2^exp with an integer sig; results are rounded in
// one place, fpg_round(). Exactness is kept by "jamming": bits shifted out are ORed into the
// lowest bit that is kept, which no rounding can tell from the exact tail as long as at least
// two bits below the rounding position are kept.
#ifndef PULPSIM_FP_GENERIC_H
#define PULPSIM_FP_GENERIC_H

#include <stdbool.h>
#include <stdint.h>

#include "fp.h"

#define FPG_INLINE static inline __attribute__((always_inline))

__extension__ typedef unsigned __int128 fpg_u128;

enum fpg_kind { FPG_ZERO, FPG_FINITE, FPG_INF, FPG_QNAN, FPG_SNAN };

struct fpg_num {
  enum fpg_kind kind;
  bool sign;
  int exp;      // value = (-1)^sign * sig * 2^exp
  uint32_t sig; // FPG_FINITE: not zero, at most M + 1 bits, of a product twice as many
};

FPG_INLINE int fpg_bias(int E) {
  return (1 << (E - 1)) - 1;
}
FPG_INLINE uint32_t fpg_sign_bit(int E, int M) {
  return UINT32_C(1) << (E + M);
}
FPG_INLINE uint32_t fpg_inf(int E, int M) {
  return ((UINT32_C(1) << E) - 1) << M;
}
FPG_INLINE uint32_t fpg_nan(int E, int M) {
  return fpg_inf(E, M) | UINT32_C(1) << (M - 1);
}
FPG_INLINE bool fpg_is_nan(const struct fpg_num *n) {
  return n->kind >= FPG_QNAN;
}

FPG_INLINE uint32_t fpg_signed(bool sign, uint32_t magnitude, int E, int M) {
  return (sign ? fpg_sign_bit(E, M) : 0) | magnitude;
}

// Callers may leave anything above the format's bits.
FPG_INLINE uint32_t fpg_trim(uint32_t a, int E, int M) {
  return a & (fpg_sign_bit(E, M) | (fpg_sign_bit(E, M) - 1));
}

// Splits a number into its parts.
FPG_INLINE struct fpg_num fpg_unpack(uint32_t a, int E, int M) {
  uint32_t field = a >> M & ((UINT32_C(1) << E) - 1);
  uint32_t man = a & ((UINT32_C(1) << M) - 1);
  struct fpg_num n = {FPG_FINITE, (a & fpg_sign_bit(E, M)) != 0, 0, man};
  if (field == (UINT32_C(1) << E) - 1) {
    n.kind = man == 0 ? FPG_INF : man >> (M - 1) ? FPG_QNAN : FPG_SNAN;
  } else if (field == 0) {
    n.kind = man == 0 ? FPG_ZERO : FPG_FINITE;
    n.exp = 1 - fpg_bias(E) - M;
  } else {
    n.sig |= UINT32_C(1) << M;
    n.exp = (int)field - fpg_bias(E) - M;
  }
  return n;
}

// The exact product of two numbers. What is no number but for the multiplication, 0 * infinity, is
// a signalling NaN.
FPG_INLINE struct fpg_num fpg_product(uint32_t a, uint32_t b, int E, int M) {
  struct fpg_num x = fpg_unpack(a, E, M), y = fpg_unpack(b, E, M);
  bool sign = x.sign != y.sign, zero = x.kind == FPG_ZERO || y.kind == FPG_ZERO;
  enum fpg_kind worse = x.kind > y.kind ? x.kind : y.kind;
  if (zero && worse <= FPG_INF)
    worse = worse == FPG_INF ? FPG_SNAN : FPG_ZERO;
  return (struct fpg_num){worse, sign, x.exp + y.exp, x.sig * y.sig};
}

FPG_INLINE uint64_t fpg_jam64(uint64_t v, int shift) {
  if (shift <= 0)
    return v;
  if (shift > 63)
    return v != 0;
  return v >> shift | ((v << (64 - shift)) != 0);
}

FPG_INLINE fpg_u128 fpg_jam128(fpg_u128 v, int shift) {
  if (shift <= 0)
    return v;
  if (shift > 127)
    return v != 0;
  return v >> shift | ((v << (128 - shift)) != 0);
}

// Whether a magnitude whose discarded part is `rest` of 2 * `half` is to be rounded away from
// zero; `odd` says that the kept part is odd.
FPG_INLINE bool fpg_round_up(bool sign, bool odd, uint64_t rest, uint64_t half, unsigned rm) {
  switch (rm) {
  case FP_RNE:
    return rest > half || (rest == half && odd);
  case FP_RTZ:
    return false;
  case FP_RDN:
    return rest != 0 && sign;
  case FP_RUP:
    return rest != 0 && !sign;
  default:
    return rest >= half; // FP_RMM
  }
}

// What an overflow delivers: infinity, or the largest finite number when rounding towards zero
// (IEEE 754, 7.4).
FPG_INLINE uint32_t fpg_overflow(bool sign, int E, int M, unsigned rm, unsigned *flags) {
  *flags |= FP_OF | FP_NX;
  bool finite = rm == FP_RTZ || (rm == FP_RDN && !sign) || (rm == FP_RUP && sign);
  return fpg_signed(sign, fpg_inf(E, M) - (finite ? 1 : 0), E, M);
}

// Rounds sig * 2^exp (sig not zero) to the format. Tininess is detected after rounding, as RISC-V
// requires: a result is tiny if, with an unbounded exponent, it would be below the least normal.
FPG_INLINE uint32_t fpg_round(bool sign, int exp, uint64_t sig, int E, int M, unsigned rm,
                              unsigned *flags) {
  int zeros = __builtin_clzll(sig);
  sig <<= zeros;
  int field = exp - zeros + 63 + fpg_bias(E); // biased exponent of the leading one
  int cut = 63 - M;                           // bits to round away
  uint64_t half = UINT64_C(1) << (cut - 1), mask = (half << 1) - 1;
  bool tiny = field < 1;
  if (tiny) {
    bool odd = sig >> cut & 1;
    bool carries = (sig | mask) == UINT64_MAX && fpg_round_up(sign, odd, sig & mask, half, rm);
    tiny = !(field == 0 && carries);
    sig = fpg_jam64(sig, 1 - field);
    field = 0;
  }
  uint64_t rest = sig & mask;
  uint32_t kept = (uint32_t)(sig >> cut);
  kept += fpg_round_up(sign, kept & 1, rest, half, rm);
  if (rest != 0)
    *flags |= tiny ? FP_NX | FP_UF : FP_NX;
  // The leading one, when there is one, adds 1 to the exponent field.
  uint32_t magnitude = kept + ((uint32_t)(field > 0 ? field - 1 : 0) << M);
  if (field >= (1 << E) - 1 || magnitude >= fpg_inf(E, M))
    return fpg_overflow(sign, E, M, rm, flags);
  return fpg_signed(sign, magnitude, E, M);
}

FPG_INLINE uint32_t fpg_round128(bool sign, int exp, fpg_u128 sig, int E, int M, unsigned rm,
                                 unsigned *flags) {
  uint64_t high = (uint64_t)(sig >> 64);
  if (high == 0)
    return fpg_round(sign, exp, (uint64_t)sig, E, M, rm, flags);
  int shift = 64 - __builtin_clzll(high);
  return fpg_round(sign, exp + shift, (uint64_t)fpg_jam128(sig, shift), E, M, rm, flags);
}

FPG_INLINE uint32_t fpg_invalid(int E, int M, unsigned *flags) {
  *flags |= FP_NV;
  return fpg_nan(E, M);
}

// Result of an operation with a NaN operand: the canonical NaN; invalid if one was signalling.
FPG_INLINE uint32_t fpg_propagate(const struct fpg_num *a, const struct fpg_num *b, int E, int M,
                                  unsigned *flags) {
  if (a->kind == FPG_SNAN || b->kind == FPG_SNAN)
    *flags |= FP_NV;
  return fpg_nan(E, M);
}

// The zero that an exact cancellation, or a sum of zeros of different signs, delivers.
FPG_INLINE uint32_t fpg_sum_zero(bool a, bool b, int E, int M, unsigned rm) {
  return fpg_signed(a == b ? a : rm == FP_RDN, 0, E, M);
}

// Adds two finite or zero terms: xs * 2^xe and ys * 2^ye, each at most 64 bits wide.
FPG_INLINE uint32_t fpg_add_terms(bool xsign, int xe, uint64_t xs, bool ysign, int ye, uint64_t ys,
                                  int E, int M, unsigned rm, unsigned *flags) {
  if (xs == 0 && ys == 0)
    return fpg_sum_zero(xsign, ysign, E, M, rm);
  if (xs == 0 || ys == 0)
    return xs == 0 ? fpg_round(ysign, ye, ys, E, M, rm, flags)
                   : fpg_round(xsign, xe, xs, E, M, rm, flags);
  // Anchored at bit 62 + 63: the leading ones are normalized, so that the one with the smaller
  // exponent may be shifted right. 62 bits remain below the larger one's least bit.
  int xz = __builtin_clzll(xs), yz = __builtin_clzll(ys);
  fpg_u128 x = (fpg_u128)(xs << xz) << 62, y = (fpg_u128)(ys << yz) << 62;
  xe -= xz + 62;
  ye -= yz + 62;
  int exp = xe > ye ? xe : ye;
  x = fpg_jam128(x, exp - xe);
  y = fpg_jam128(y, exp - ye);
  if (xsign == ysign)
    return fpg_round128(xsign, exp, x + y, E, M, rm, flags);
  if (x == y)
    return fpg_sum_zero(xsign, ysign, E, M, rm);
  return x > y ? fpg_round128(xsign, exp, x - y, E, M, rm, flags)
               : fpg_round128(ysign, exp, y - x, E, M, rm, flags);
}

#endif
