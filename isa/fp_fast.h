// isa/fp_fast.h: arithmetic on the host's FPU where its result is provably the same, the
// all-integer functions elsewhere. Part of isa/fp.h.
//
// The short paths need a host whose float and double are binary32 and binary64, evaluated in their
// own precision and rounded to nearest even: checked below, else the integer functions are used.
// They hold when the compiler contracts a * b + c into a fused operation, because every product
// formed here is exact. A fused operation is used where the host's instruction set has one and only
// the result is asked for: whether it was exact does not show.
//
// Exactness is found without the host's exception flags: s = x + y is exact if and only if both
// s - x == y and s - y == x (Dekker, "A floating-point technique for extending the available
// precision", 1971: for |x| >= |y| the error of s is y - (s - x), and s - x is exact). A product
// of two 24-bit significands is exact in binary64, so that rounding it once more is the only error.
// A sum formed in binary64 and rounded again is right unless it is inexact and half-way between
// two numbers of the result's format: then it no longer tells on which side the exact value was.
// The test of exactness holds as well for the sum so rounded, if y is a binary32 number and x of at
// most 53 bits: from the term of the larger magnitude, the difference is exact again, or it is so
// large that it is not the other term.
// Exactness need not be known when the inexact flag is up already.
#ifndef PULPSIM_FP_FAST_H
#define PULPSIM_FP_FAST_H

#include <float.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __F16C__
#include <immintrin.h>
#elif defined __SSE2__
#include <emmintrin.h>
#endif

#if FLT_RADIX == 2 && FLT_MANT_DIG == 24 && DBL_MANT_DIG == 53 && FLT_EVAL_METHOD == 0 &&          \
    !defined(__FAST_MATH__)
#define FP_ON_HOST 1
#else
#define FP_ON_HOST 0
#endif

#define FP_USUAL(rm, condition) __builtin_expect(FP_ON_HOST && (rm) == FP_RNE && (condition), 1)

// The long way, `call`, where the short one does not hold. Who would rather go it himself defines
// this as something that ORs FP_UNDONE into *flags and has any value.
#ifndef FP_LONG_WAY
#define FP_LONG_WAY(call) (call)
#endif
#define FP_UNDONE 0x80000000u

// What the host's fused operation leaves open (a zero, for one) goes the other short way, unless
// who includes this goes the long way then.
#ifndef FP_FUSED_ONLY
#define FP_FUSED_ONLY 0
#endif

static inline float fp_float(uint32_t a) {
  float f;
  memcpy(&f, &a, sizeof f);
  return f;
}

static inline uint32_t fp_bits(float f) {
  uint32_t a;
  memcpy(&a, &f, sizeof a);
  return a;
}

static inline uint64_t fp_double_bits(double d) {
  uint64_t a;
  memcpy(&a, &d, sizeof a);
  return a;
}

static inline bool fp_is_exact_sum(double x, double y, double s) {
  return s - x == y && s - y == x;
}

// --- binary32

static inline bool fp32_is_finite(uint32_t a) {
  return (a & 0x7f800000) != 0x7f800000;
}

// Finite, and far enough from underflow not to be tiny before or after rounding.
static inline bool fp32_is_ample(uint32_t a) {
  return (a << 1) - 0x02000000 < 0xfd000000;
}

// x + y rounded to binary32 by way of d, their rounded sum. False where that does not hold: too
// small, too large, no number, undecidable. y is a binary32 number.
static inline bool fp32_round_sum(double x, double y, uint32_t *result, unsigned *flags) {
  double d = x + y;
  float s = (float)d;
  *result = fp_bits(s);
  if (!(*flags & FP_NX) && fp_is_exact_sum(x, y, s))
    return true;
  bool halfway = (fp_double_bits(d) & 0x1fffffff) == 0x10000000;
  if (!(fp32_is_ample(*result) || d == 0) || (halfway && !fp_is_exact_sum(x, y, d)))
    return false;
  *flags |= FP_NX;
  return true;
}

static inline uint32_t fp32_add(uint32_t a, uint32_t b, unsigned rm, unsigned *flags) {
  float x = fp_float(a), y = fp_float(b), s = x + y;
  // A sum is never tiny and inexact: the terms are multiples of the least subnormal.
  if (FP_USUAL(rm, fp32_is_finite(fp_bits(s)))) {
    if (!(*flags & FP_NX) && !((s - x == y) & (s - y == x)))
      *flags |= FP_NX;
    return fp_bits(s);
  }
  return FP_LONG_WAY(fp32_add_soft(a, b, rm, flags));
}

static inline uint32_t fp32_mul(uint32_t a, uint32_t b, unsigned rm, unsigned *flags) {
  float x = fp_float(a), y = fp_float(b), s = x * y;
  if (FP_USUAL(rm, fp32_is_ample(fp_bits(s)) || (double)x * (double)y == 0)) {
    if (!(*flags & FP_NX) && (double)s != (double)x * (double)y)
      *flags |= FP_NX;
    return fp_bits(s);
  }
  return FP_LONG_WAY(fp32_mul_soft(a, b, rm, flags));
}

// Executors with a call in them would need a frame.
static inline __attribute__((always_inline)) uint32_t fp32_fma(uint32_t a, uint32_t b, uint32_t c,
                                                               unsigned rm, unsigned *flags) {
  uint32_t result;
#if FP_ON_HOST && (defined __FP_FAST_FMAF || defined __FMA__)
  if (FP_USUAL(rm, *flags & FP_NX)) {
    result = fp_bits(__builtin_fmaf(fp_float(a), fp_float(b), fp_float(c)));
    if (__builtin_expect(fp32_is_ample(result), 1))
      return result;
    if (FP_FUSED_ONLY)
      return FP_LONG_WAY(fp32_fma_soft(a, b, c, rm, flags));
  }
#endif
  double p = (double)fp_float(a) * (double)fp_float(b);
  if (FP_USUAL(rm, fp32_round_sum(p, fp_float(c), &result, flags)))
    return result;
  return FP_LONG_WAY(fp32_fma_soft(a, b, c, rm, flags));
}

static inline uint32_t fp32_div(uint32_t a, uint32_t b, unsigned rm, unsigned *flags) {
  float x = fp_float(a), y = fp_float(b), q = x / y;
  if (FP_USUAL(rm, fp32_is_ample(fp_bits(q)))) {
    if (!(*flags & FP_NX) && (double)q * (double)y != (double)x)
      *flags |= FP_NX;
    return fp_bits(q);
  }
  return FP_LONG_WAY(fp32_div_soft(a, b, rm, flags));
}

// Comparisons of numbers; a NaN on either side takes the long way.
#define FP32_COMPARE(name, relation)                                                               \
  static inline uint32_t fp32_##name(uint32_t a, uint32_t b, unsigned *flags) {                    \
    float x = fp_float(a), y = fp_float(b);                                                        \
    if (FP_USUAL(FP_RNE, x == x && y == y))                                                        \
      return x relation y;                                                                         \
    return FP_LONG_WAY(fp32_##name##_soft(a, b, flags));                                           \
  }
FP32_COMPARE(eq, ==)
FP32_COMPARE(lt, <)
FP32_COMPARE(le, <=)

// Equal operands (zeros of different signs, of which -0 is the lesser) and NaNs take the long way.
static inline uint32_t fp32_min(uint32_t a, uint32_t b, unsigned *flags) {
  float x = fp_float(a), y = fp_float(b);
  if (FP_USUAL(FP_RNE, x < y || x > y))
    return x < y ? a : b;
  return FP_LONG_WAY(fp32_min_soft(a, b, flags));
}
static inline uint32_t fp32_max(uint32_t a, uint32_t b, unsigned *flags) {
  float x = fp_float(a), y = fp_float(b);
  if (FP_USUAL(FP_RNE, x < y || x > y))
    return x < y ? b : a;
  return FP_LONG_WAY(fp32_max_soft(a, b, flags));
}

// --- 16-bit formats of E exponent and M mantissa bits, held in a double

// The exact value; an infinity or a NaN stays one or becomes a NaN, and takes the long way.
static inline double fp16_value(uint32_t a) {
#ifdef __F16C__
  return _cvtsh_ss((uint16_t)a);
#else
  uint64_t magnitude = a & 0x7fff, special = magnitude < 0x7c00 ? 0 : UINT64_C(0x7ff8) << 48;
  uint64_t bits = magnitude << 42 | (uint64_t)(a & 0x8000) << 48 | special;
  double d;
  memcpy(&d, &bits, sizeof d);
  return d * 0x1p1008; // from one bias to the other: exact, and subnormals become normal
#endif
}
static inline double bf16_value(uint32_t a) {
  return fp_float(a << 16);
}

// The exact products of the lanes of b and c, of lane 0 in p.
#ifdef __SSE2__
static inline __m128d fp16x2_values(uint32_t a) {
#ifdef __F16C__
  return _mm_cvtps_pd(_mm_cvtph_ps(_mm_cvtsi32_si128((int)a)));
#else
  __m128i high = _mm_unpacklo_epi16(_mm_setzero_si128(), _mm_cvtsi32_si128((int)a));
  __m128i bits = _mm_and_si128(_mm_srai_epi32(high, 3), _mm_set1_epi32((int)0x8fffffff));
  __m128i magnitude = _mm_and_si128(bits, _mm_set1_epi32(0x7fffffff));
  __m128i special = _mm_cmpgt_epi32(magnitude, _mm_set1_epi32(0x0f7fffff));
  bits = _mm_or_si128(bits, _mm_and_si128(special, _mm_set1_epi32(0x7fc00000)));
  return _mm_mul_pd(_mm_cvtps_pd(_mm_castsi128_ps(bits)), _mm_set1_pd(0x1p112));
#endif
}
static inline __m128d bf16x2_values(uint32_t a) {
  __m128i high = _mm_unpacklo_epi16(_mm_setzero_si128(), _mm_cvtsi32_si128((int)a));
  return _mm_cvtps_pd(_mm_castsi128_ps(high));
}
#define FP_PRODUCTS(name)                                                                          \
  static inline void name##x2_products(uint32_t b, uint32_t c, double *p, double *q) {             \
    __m128d products = _mm_mul_pd(name##x2_values(b), name##x2_values(c));                         \
    *p = _mm_cvtsd_f64(products);                                                                  \
    *q = _mm_cvtsd_f64(_mm_unpackhi_pd(products, products));                                       \
  }
#else
#define FP_PRODUCTS(name)                                                                          \
  static inline void name##x2_products(uint32_t b, uint32_t c, double *p, double *q) {             \
    *p = name##_value(b) * name##_value(c);                                                        \
    *q = name##_value(b >> 16) * name##_value(c >> 16);                                            \
  }
#endif
FP_PRODUCTS(fp16)
FP_PRODUCTS(bf16)

// Whether s = p + q is exact, of such products: those of binary16 are multiples of 2^-48.
static inline bool fp16_sums_exactly(double p, double q, double s) {
  return __builtin_expect(s > -32 && s < 32, 1) || fp_is_exact_sum(p, q, s);
}
static inline bool bf16_sums_exactly(double p, double q, double s) {
  return fp_is_exact_sum(p, q, s);
}

// s, the exact sum of two products, p and another, and `a` added by the unit that expands
// (isa/fp_sdotp.c), to nearest. False where that might not be the exact sum rounded: where it is
// tiny, or `a` below 2^-25. A product whose leading digits are zeros, of a subnormal factor, is
// below 4: the unit then has all the digits of such an `a` beside it. What the unit takes for exact
// is its own.
static inline bool fp32_round_dot(double p, double s, uint32_t a, uint32_t *result,
                                  unsigned flags) {
  double y = fp_float(a), d = s + y;
  *result = fp_bits((float)d);
  bool halfway = (fp_double_bits(d) & 0x1fffffff) == 0x10000000;
  return flags & FP_NX && (a << 1) - 1 >= 2 * UINT32_C(0x33000000) - 1 &&
         (fp32_is_ample(*result) || (p == 0 && d == 0)) && !(halfway && !fp_is_exact_sum(s, y, d));
}

// As fp32_round_sum, to a 16-bit format. Rounded with an unbounded exponent: a result in the normal
// range is right, and not tiny.
static inline bool fp_small_round_sum(double x, double y, int E, int M, uint32_t *result,
                                      unsigned *flags) {
  double d = x + y;
  uint64_t bits = fp_double_bits(d), magnitude = bits & INT64_MAX;
  int cut = 52 - M;
  uint64_t half = UINT64_C(1) << (cut - 1), rest = bits & (half * 2 - 1);
  uint64_t kept = (magnitude + half - 1 + (magnitude >> cut & 1)) >> cut;
  kept -= (uint64_t)(1024 - (1 << (E - 1))) << M; // from the exponent bias of a double
  uint64_t least = UINT64_C(1) << M, infinity = (UINT64_C(1) << (E + M)) - (UINT64_C(1) << M);
  if (magnitude == 0)
    kept = 0;
  else if (kept - least >= infinity - least || (rest == half && !fp_is_exact_sum(x, y, d)))
    return false;
  if (!(*flags & FP_NX) && !(rest == 0 && fp_is_exact_sum(x, y, d)))
    *flags |= FP_NX;
  *result = (uint32_t)(kept | bits >> 63 << (E + M));
  return true;
}

// -0.0 as the second term of a sum changes nothing, not even the sign of a zero.
#define FP_SMALL_FAST(name, E, M)                                                                  \
  static inline uint32_t name##_add(uint32_t a, uint32_t b, unsigned rm, unsigned *flags) {        \
    uint32_t result;                                                                               \
    double x = name##_value(a), y = name##_value(b);                                               \
    if (FP_USUAL(rm, fp_small_round_sum(x, y, E, M, &result, flags)))                              \
      return result;                                                                               \
    return FP_LONG_WAY(name##_add_soft(a, b, rm, flags));                                          \
  }                                                                                                \
  static inline uint32_t name##_mul(uint32_t a, uint32_t b, unsigned rm, unsigned *flags) {        \
    uint32_t result;                                                                               \
    double p = name##_value(a) * name##_value(b);                                                  \
    if (FP_USUAL(rm, fp_small_round_sum(p, -0.0, E, M, &result, flags)))                           \
      return result;                                                                               \
    return FP_LONG_WAY(name##_mul_soft(a, b, rm, flags));                                          \
  }                                                                                                \
  static inline uint32_t name##_fma(uint32_t a, uint32_t b, uint32_t c, unsigned rm,               \
                                    unsigned *flags) {                                             \
    uint32_t result;                                                                               \
    double p = name##_value(a) * name##_value(b);                                                  \
    if (FP_USUAL(rm, fp_small_round_sum(p, name##_value(c), E, M, &result, flags)))                \
      return result;                                                                               \
    return FP_LONG_WAY(name##_fma_soft(a, b, c, rm, flags));                                       \
  }                                                                                                \
  static inline uint32_t name##_div(uint32_t a, uint32_t b, unsigned rm, unsigned *flags) {        \
    return name##_div_soft(a, b, rm, flags);                                                       \
  }                                                                                                \
  /* Lanes summed into binary32: the first sum exact, or else the long way. */                     \
  static inline uint32_t fp32_dotp_##name##x2(uint32_t a, uint32_t b, uint32_t c, unsigned rm,     \
                                              unsigned *flags) {                                   \
    uint32_t result;                                                                               \
    double p, q;                                                                                   \
    name##x2_products(b, c, &p, &q);                                                               \
    double s = p + q;                                                                              \
    if (FP_USUAL(rm, name##_sums_exactly(p, q, s) && fp32_round_dot(p, s, a, &result, *flags)))    \
      return result;                                                                               \
    return FP_LONG_WAY(fp32_dotp_##name##x2_soft(a, b, c, rm, flags));                             \
  }

FP_SMALL_FAST(fp16, 5, 10)
FP_SMALL_FAST(bf16, 8, 7)

// Sign injection, on whole words: no format is special but in where its sign bits are.
static inline uint32_t fp_sgnj(uint32_t a, uint32_t b, uint32_t sign) {
  return (a & ~sign) | (b & sign);
}
static inline uint32_t fp32_sgnj(uint32_t a, uint32_t b) {
  return fp_sgnj(a, b, FP32_SIGN);
}
static inline uint32_t fp32_sgnjn(uint32_t a, uint32_t b) {
  return fp_sgnj(a, ~b, FP32_SIGN);
}
static inline uint32_t fp32_sgnjx(uint32_t a, uint32_t b) {
  return a ^ (b & FP32_SIGN);
}

#endif
