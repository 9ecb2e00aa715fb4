#include <stdbool.h>

#include "fp.h"

// A format: widths, how many bits of a result the unit works out (three a round), and how many of
// the places behind normalization rounding does not see.
struct format {
  unsigned exponent, fraction, digits, unseen;
};

static const struct format fp32 = {8, 23, 27, 0}, fp16 = {5, 10, 15, 30}, bf16 = {8, 7, 12, 30};

struct operand {
  bool negative, zero, infinite, nan, signalling;
  int exponent;      // biased; subnormals go on below 1
  uint32_t mantissa; // with its leading one at bit `fraction`
};

static struct operand take_apart(const struct format *f, uint32_t x) {
  uint32_t ones = (UINT32_C(1) << f->exponent) - 1, hidden = UINT32_C(1) << f->fraction;
  uint32_t fraction = x & (hidden - 1), exponent = x >> f->fraction & ones;
  struct operand o = {.negative = x >> (f->fraction + f->exponent) & 1,
                      .zero = !exponent && !fraction,
                      .infinite = exponent == ones && !fraction,
                      .nan = exponent == ones && fraction,
                      .exponent = (int)exponent,
                      .mantissa = exponent ? fraction | hidden : fraction};
  o.signalling = o.nan && !(fraction & hidden >> 1);
  if (exponent || !fraction)
    return o;
  o.exponent = 1;
  for (; !(o.mantissa & hidden); o.exponent--)
    o.mantissa <<= 1;
  return o;
}

static uint32_t put_together(const struct format *f, bool negative, uint32_t exponent,
                             uint32_t fraction) {
  uint32_t ones = (UINT32_C(1) << f->exponent) - 1;
  return (uint32_t)negative << (f->exponent + f->fraction) | (exponent & ones) << f->fraction |
         (fraction & ((UINT32_C(1) << f->fraction) - 1));
}

static uint32_t infinity(const struct format *f, bool negative) {
  return put_together(f, negative, UINT32_MAX, 0);
}

static uint32_t not_a_number(const struct format *f, bool invalid, unsigned *flags) {
  *flags |= invalid ? FP_NV : 0;
  return put_together(f, false, UINT32_MAX, UINT32_C(1) << (f->fraction - 1));
}

// Up and down are exchanged, and ties away from zero truncate.
static bool rounds_up(unsigned rm, bool negative, bool odd, uint32_t half, bool rest) {
  switch (rm) {
  case FP_RNE:
    return half && (rest || odd);
  case FP_RDN:
    return (half || rest) && !negative;
  case FP_RUP:
    return (half || rest) && negative;
  default:
    return false;
  }
}

enum { TOP = 56, PLACES = 53 }; // of the mantissa in front of and behind normalization

// `digits` of the result, the first of weight one, and its biased exponent.
static uint32_t round_off(const struct format *f, bool negative, int exponent, uint64_t digits,
                          unsigned rm, unsigned *flags) {
  uint64_t mantissa = digits << (TOP + 1 - f->digits);
  bool one = mantissa >> TOP & 1;
  int most = (1 << f->exponent) - 1;
  uint64_t kept;
  if (exponent <= 0 || (exponent == 1 && !one)) { // subnormal; what is shifted out is lost
    unsigned by = (unsigned)(TOP - PLACES + 1) + (exponent < 1 ? (unsigned)(1 - exponent) : 0);
    kept = by < 64 ? mantissa >> by : 0;
    exponent = 0;
    *flags |= FP_UF;
  } else if (exponent > most || (exponent == most && one)) {
    *flags |= FP_OF;
    return infinity(f, negative);
  } else {
    kept = mantissa >> (TOP - PLACES + one);
    exponent -= !one;
  }
  unsigned below = PLACES - 1 - f->fraction;
  uint64_t upper = kept >> below, lower = kept & ((UINT64_C(1) << below) - 1);
  lower = lower >> f->unseen << f->unseen;
  bool half = lower >> (below - 1) & 1, rest = lower & ((UINT64_C(1) << (below - 1)) - 1);
  *flags |= half || rest ? FP_NX : 0;
  upper += rounds_up(rm, negative, upper & 1, half, rest);
  // What is carried out of a subnormal's fraction is lost.
  exponent += upper >> (f->fraction + 1) & 1;
  return put_together(f, negative, (uint32_t)exponent, (uint32_t)upper);
}

static uint32_t divide(const struct format *f, uint32_t a, uint32_t b, unsigned rm,
                       unsigned *flags) {
  struct operand x = take_apart(f, a), y = take_apart(f, b);
  bool negative = x.negative != y.negative;
  if (x.nan || y.nan)
    return not_a_number(f, x.signalling || y.signalling, flags);
  if (x.infinite && y.infinite)
    return not_a_number(f, true, flags);
  if (x.infinite || y.infinite) {
    *flags |= FP_OF;
    return x.infinite ? infinity(f, negative) : put_together(f, negative, 0, 0);
  }
  *flags |= y.zero ? FP_DZ : 0;
  if (x.zero && y.zero)
    return not_a_number(f, true, flags);
  if (x.zero || y.zero)
    return y.zero ? infinity(f, negative) : put_together(f, negative, 0, 0);
  int bias = (1 << (f->exponent - 1)) - 1;
  uint64_t digits = ((uint64_t)x.mantissa << (f->digits - 1)) / y.mantissa;
  return round_off(f, negative, x.exponent - y.exponent + bias, digits, rm, flags);
}

static uint64_t root_of(uint64_t x) {
  uint64_t root = 0;
  for (uint64_t bit = UINT64_C(1) << 31; bit; bit >>= 1)
    if ((root | bit) * (root | bit) <= x)
      root |= bit;
  return root;
}

static uint32_t take_root(const struct format *f, uint32_t a, uint32_t beside, unsigned rm,
                          unsigned *flags) {
  struct operand x = take_apart(f, a), y = take_apart(f, beside);
  if (x.nan || y.nan)
    return not_a_number(f, x.signalling || y.signalling, flags);
  if (x.zero)
    return put_together(f, x.negative, 0, 0);
  if (x.negative)
    return not_a_number(f, true, flags);
  if (x.infinite) {
    *flags |= FP_OF;
    return infinity(f, false);
  }
  bool odd = x.exponent & 1;
  int half_bias = (1 << (f->exponent - 2)) - 1;
  uint64_t radicand = (uint64_t)x.mantissa << (2 * (f->digits - 1) - f->fraction + !odd);
  return round_off(f, false, (x.exponent - odd) / 2 + odd + half_bias, root_of(radicand), rm,
                   flags);
}

uint32_t fp32_div_fpnew06(uint32_t a, uint32_t b, unsigned rm, unsigned *flags) {
  return divide(&fp32, a, b, rm, flags);
}
uint32_t fp16_div_fpnew06(uint32_t a, uint32_t b, unsigned rm, unsigned *flags) {
  return divide(&fp16, a, b, rm, flags);
}
uint32_t bf16_div_fpnew06(uint32_t a, uint32_t b, unsigned rm, unsigned *flags) {
  return divide(&bf16, a, b, rm, flags);
}
uint32_t fp32_sqrt_fpnew06(uint32_t a, uint32_t beside, unsigned rm, unsigned *flags) {
  return take_root(&fp32, a, beside, rm, flags);
}
uint32_t fp16_sqrt_fpnew06(uint32_t a, uint32_t beside, unsigned rm, unsigned *flags) {
  return take_root(&fp16, a, beside, rm, flags);
}
uint32_t bf16_sqrt_fpnew06(uint32_t a, uint32_t beside, unsigned rm, unsigned *flags) {
  return take_root(&bf16, a, beside, rm, flags);
}
