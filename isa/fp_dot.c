// isa/fp_dot.c: dot products with one rounding. See isa/fp.h.
//
// The terms are summed in a fixed-point number wide enough for all of them, so the order of the
// terms does not matter and nothing is lost before the rounding.

#include "fp.h"

#include "fp_generic.h"

// The least bit of any term is that of a product of two bfloat16 subnormals, 2^-266; the greatest
// is below 2^256, and the sum of two below 2^257. One bit more is the sign.
#define LEAST_EXP (-266)
#define LIMBS     9 // 576 bits, up to 2^310

struct sum {
  uint64_t limb[LIMBS]; // two's complement, in units of 2^LEAST_EXP
  bool invalid, nan, plus_inf, minus_inf;
  bool plus, minus; // signs seen
};

static void sum_term(struct sum *s, bool sign, int exp, uint64_t sig) {
  int at = exp - LEAST_EXP;
  fpg_u128 shifted = (fpg_u128)sig << (at % 64);
  uint64_t low = (uint64_t)shifted, high = (uint64_t)(shifted >> 64);
  bool carry = false;
  for (int i = at / 64; i < LIMBS; i++) {
    bool c;
    if (sign) {
      c = __builtin_sub_overflow(s->limb[i], carry, &s->limb[i]);
      c |= __builtin_sub_overflow(s->limb[i], low, &s->limb[i]);
    } else {
      c = __builtin_add_overflow(s->limb[i], carry, &s->limb[i]);
      c |= __builtin_add_overflow(s->limb[i], low, &s->limb[i]);
    }
    carry = c;
    low = high;
    high = 0;
  }
}

static void sum_number(struct sum *s, struct fpg_num n) {
  if (fpg_is_nan(&n)) {
    s->nan = true;
    s->invalid |= n.kind == FPG_SNAN;
    return;
  }
  *(n.sign ? &s->minus : &s->plus) = true;
  if (n.kind == FPG_INF)
    *(n.sign ? &s->minus_inf : &s->plus_inf) = true;
  else if (n.kind == FPG_FINITE)
    sum_term(s, n.sign, n.exp, n.sig);
}

// Rounds the fixed-point sum, which is not zero.
static uint32_t sum_round_finite(struct sum *s, int E, int M, unsigned rm, unsigned *flags) {
  bool sign = s->limb[LIMBS - 1] >> 63;
  bool carry = sign; // negate: invert and add 1
  for (int i = 0; sign && i < LIMBS; i++)
    carry = __builtin_add_overflow(~s->limb[i], carry, &s->limb[i]);
  int top = LIMBS - 1;
  while (s->limb[top] == 0)
    top--;
  uint64_t sticky = 0;
  for (int i = 0; i < top - 1; i++)
    sticky |= s->limb[i];
  fpg_u128 sig = (fpg_u128)s->limb[top] << 64;
  if (top > 0)
    sig |= s->limb[top - 1] | (sticky != 0);
  return fpg_round128(sign, LEAST_EXP + 64 * (top - 1), sig, E, M, rm, flags);
}

static uint32_t sum_round(struct sum *s, int E, int M, unsigned rm, unsigned *flags) {
  if (s->invalid || (!s->nan && s->plus_inf && s->minus_inf))
    return fpg_invalid(E, M, flags);
  if (s->nan)
    return fpg_nan(E, M);
  if (s->plus_inf || s->minus_inf)
    return fpg_signed(s->minus_inf, fpg_inf(E, M), E, M);
  uint64_t any = 0;
  for (int i = 0; i < LIMBS; i++)
    any |= s->limb[i];
  if (any == 0)
    return fpg_sum_zero(s->minus, !s->plus, E, M, rm);
  return sum_round_finite(s, E, M, rm, flags);
}

static struct sum dot(uint32_t b, uint32_t c, int E, int M) {
  struct sum s = {.plus = false};
  sum_number(&s, fpg_product(b, c, E, M));
  sum_number(&s, fpg_product(b >> 16, c >> 16, E, M));
  return s;
}

uint32_t fp16_dotp_fp16x2(uint32_t b, uint32_t c, unsigned rm, unsigned *flags) {
  struct sum s = dot(b, c, 5, 10);
  return sum_round(&s, 5, 10, rm, flags);
}

uint32_t bf16_dotp_bf16x2(uint32_t b, uint32_t c, unsigned rm, unsigned *flags) {
  struct sum s = dot(b, c, 8, 7);
  return sum_round(&s, 8, 7, rm, flags);
}
