// tests/isa/fp_oracle.c: see fp_oracle.h.

#include "fp_oracle.h"

#include <gmp.h>
#include <mpfr.h>
#include <stdbool.h>

enum { NX = 1, UF = 2, OF = 4, DZ = 8, NV = 16 };
enum { RNE, RTZ, RDN, RUP, RMM };

// Enough for any sum or product of the formats to be exact: from 2^-298 to 2^257.
#define PRECISION 640

const struct fp_oracle_format oracle_fp32 = {"fp32", 8, 23};
const struct fp_oracle_format oracle_fp16 = {"fp16", 5, 10};
const struct fp_oracle_format oracle_bf16 = {"bf16", 8, 7};

typedef struct fp_oracle_format fmt;
typedef struct fp_oracle_result res;

static int bias(const fmt *f) {
  return (1 << (f->exp_bits - 1)) - 1;
}
static int least_exp(const fmt *f) {
  return 1 - bias(f);
}
static uint32_t sign_of(const fmt *f, uint32_t a) {
  return a >> (f->exp_bits + f->man_bits) & 1;
}
static uint32_t exp_of(const fmt *f, uint32_t a) {
  return a >> f->man_bits & ((1u << f->exp_bits) - 1);
}
static uint32_t man_of(const fmt *f, uint32_t a) {
  return a & ((1u << f->man_bits) - 1);
}
static bool is_inf(const fmt *f, uint32_t a) {
  return exp_of(f, a) == (1u << f->exp_bits) - 1 && man_of(f, a) == 0;
}
static bool is_zero(const fmt *f, uint32_t a) {
  return exp_of(f, a) == 0 && man_of(f, a) == 0;
}

static uint32_t inf(const fmt *f, uint32_t sign) {
  return sign << (f->exp_bits + f->man_bits) | ((1u << f->exp_bits) - 1) << f->man_bits;
}
static uint32_t zero(const fmt *f, uint32_t sign) {
  return sign << (f->exp_bits + f->man_bits);
}

int fp_oracle_is_nan(const fmt *f, uint32_t a) {
  return exp_of(f, a) == (1u << f->exp_bits) - 1 && man_of(f, a) != 0;
}
int fp_oracle_is_signalling(const fmt *f, uint32_t a) {
  return fp_oracle_is_nan(f, a) && !(man_of(f, a) >> (f->man_bits - 1));
}
uint32_t fp_oracle_nan(const fmt *f) {
  return inf(f, 0) | 1u << (f->man_bits - 1);
}

static void get(mpfr_t out, const fmt *f, uint32_t a) {
  uint32_t e = exp_of(f, a), m = man_of(f, a);
  if (is_inf(f, a))
    mpfr_set_inf(out, 1);
  else
    mpfr_set_ui_2exp(out, e == 0 ? m : m | 1u << f->man_bits,
                     (long)(e == 0 ? 1 : e) - bias(f) - f->man_bits, MPFR_RNDN);
  mpfr_setsign(out, out, (int)sign_of(f, a), MPFR_RNDN);
}

// |v| in quanta of 2^q, rounded to an integer; *inexact says whether anything was lost. `tail`
// says that |v| is a little more than the number given.
static void quanta(mpz_t n, const mpfr_t v, long q, bool tail, unsigned rm, bool *inexact) {
  mpfr_t scaled, rest;
  mpfr_inits2(PRECISION, scaled, rest, (mpfr_ptr)0);
  mpfr_abs(scaled, v, MPFR_RNDN);
  mpfr_mul_2si(scaled, scaled, -q, MPFR_RNDN);
  mpfr_get_z(n, scaled, MPFR_RNDZ);
  mpfr_sub_z(rest, scaled, n, MPFR_RNDN);
  int half = mpfr_cmp_d(rest, 0.5);
  bool more = half > 0 || (half == 0 && tail), tie = half == 0 && !tail;
  *inexact = mpfr_sgn(rest) != 0 || tail;
  bool up = false;
  switch (rm) {
  case RNE:
    up = more || (tie && mpz_odd_p(n));
    break;
  case RTZ:
    break;
  case RDN:
    up = *inexact && mpfr_signbit(v);
    break;
  case RUP:
    up = *inexact && !mpfr_signbit(v);
    break;
  case RMM:
    up = more || tie;
    break;
  }
  if (up)
    mpz_add_ui(n, n, 1);
  mpfr_clears(scaled, rest, (mpfr_ptr)0);
}

static res overflowed(const fmt *f, uint32_t sign, unsigned rm) {
  bool finite = rm == RTZ || (rm == RDN && !sign) || (rm == RUP && sign);
  return (res){inf(f, sign) - finite, OF | NX};
}

// Is the value below the least normal when rounded with an unbounded exponent?
static bool is_tiny(const fmt *f, const mpfr_t v, bool tail, unsigned rm) {
  bool inexact;
  long e = mpfr_get_exp(v) - 1, q = e - f->man_bits;
  mpz_t n;
  mpz_init(n);
  quanta(n, v, q, tail, rm, &inexact);
  long bits = (long)mpz_sizeinbase(n, 2);
  mpz_clear(n);
  return q + bits - 1 < least_exp(f);
}

// Rounds v, which is neither zero nor infinite.
static res round_to(const fmt *f, const mpfr_t v, bool tail, unsigned rm) {
  uint32_t sign = mpfr_signbit(v) != 0;
  long e = mpfr_get_exp(v) - 1;
  long q = (e > least_exp(f) ? e : least_exp(f)) - f->man_bits;
  bool inexact;
  mpz_t n;
  mpz_init(n);
  quanta(n, v, q, tail, rm, &inexact);
  if (mpz_sizeinbase(n, 2) == (size_t)f->man_bits + 2) { // rounded up to the next power of two
    mpz_fdiv_q_2exp(n, n, 1);
    q++;
  }
  uint32_t m = (uint32_t)mpz_get_ui(n);
  mpz_clear(n);
  if (q + f->man_bits > bias(f))
    return overflowed(f, sign, rm);
  res r = {zero(f, sign) | m, inexact ? NX : 0};
  if (m >> f->man_bits)
    r.value = zero(f, sign) | (m & ~(1u << f->man_bits)) |
              (uint32_t)(q + f->man_bits + bias(f)) << f->man_bits;
  if (inexact && is_tiny(f, v, tail, rm))
    r.flags |= UF;
  return r;
}

static res nan_result(const fmt *f, const fmt *g, const uint32_t *x, int n) {
  res r = {fp_oracle_nan(g), 0};
  for (int i = 0; i < n; i++)
    r.flags |= fp_oracle_is_signalling(f, x[i]) ? NV : 0;
  return r;
}

// v is exact and may be zero, of which `sign` is the sign then; infinite; or no number.
static res finish(const fmt *f, const mpfr_t v, uint32_t sign, unsigned rm) {
  if (mpfr_nan_p(v))
    return (res){fp_oracle_nan(f), NV};
  if (mpfr_inf_p(v))
    return (res){inf(f, mpfr_signbit(v) != 0), 0};
  if (mpfr_zero_p(v))
    return (res){zero(f, sign), 0};
  return round_to(f, v, false, rm);
}

static res finish_sum(const fmt *f, const mpfr_t v, bool plus, bool minus, unsigned rm) {
  return finish(f, v, plus && minus ? rm == RDN : minus, rm);
}

static res divide(const fmt *f, uint32_t a, uint32_t b, mpfr_t x, mpfr_t y, unsigned rm) {
  uint32_t sign = sign_of(f, a) ^ sign_of(f, b);
  if (is_zero(f, b) && !is_zero(f, a) && !is_inf(f, a))
    return (res){inf(f, sign), DZ};
  if (is_inf(f, a) && !is_inf(f, b))
    return (res){inf(f, sign), 0};
  bool tail = mpfr_div(x, x, y, MPFR_RNDZ) != 0;
  if (mpfr_nan_p(x) || mpfr_zero_p(x))
    return finish(f, x, sign, rm);
  return round_to(f, x, tail, rm);
}

static res square_root(const fmt *f, uint32_t a, mpfr_t x, unsigned rm) {
  if (is_zero(f, a))
    return (res){zero(f, sign_of(f, a)), 0};
  bool tail = mpfr_sqrt(x, x, MPFR_RNDZ) != 0;
  if (mpfr_nan_p(x) || mpfr_inf_p(x))
    return finish(f, x, 0, rm);
  return round_to(f, x, tail, rm);
}

static res compute(enum fp_oracle_op op, const fmt *f, uint32_t a, uint32_t b, uint32_t c,
                   unsigned rm) {
  uint32_t sa = sign_of(f, a), sb = sign_of(f, b), sc = sign_of(f, c), sab = sa ^ sb;
  mpfr_t x, y, z;
  mpfr_inits2(PRECISION, x, y, z, (mpfr_ptr)0);
  get(x, f, a);
  get(y, f, b);
  get(z, f, c);
  res r = {0, 0};
  switch (op) {
  case ORACLE_ADD:
    mpfr_add(x, x, y, MPFR_RNDN);
    r = finish_sum(f, x, !sa || !sb, sa || sb, rm);
    break;
  case ORACLE_AVG:
    mpfr_add(x, x, y, MPFR_RNDN);
    mpfr_div_2ui(x, x, 1, MPFR_RNDN);
    r = finish_sum(f, x, !sa || !sb, sa || sb, rm);
    break;
  case ORACLE_MUL:
    mpfr_mul(x, x, y, MPFR_RNDN);
    r = finish(f, x, sab, rm);
    break;
  case ORACLE_FMA:
    mpfr_mul(x, x, y, MPFR_RNDN);
    mpfr_add(x, x, z, MPFR_RNDN);
    r = finish_sum(f, x, !sab || !sc, sab || sc, rm);
    break;
  case ORACLE_DIV:
    r = divide(f, a, b, x, y, rm);
    break;
  case ORACLE_SQRT:
    r = square_root(f, a, x, rm);
    break;
  }
  mpfr_clears(x, y, z, (mpfr_ptr)0);
  return r;
}

struct fp_oracle_result fp_oracle(enum fp_oracle_op op, const fmt *f, uint32_t a, uint32_t b,
                                  uint32_t c, unsigned rm) {
  static const int operands[] = {2, 2, 2, 3, 1, 2};
  uint32_t x[3] = {a, operands[op] > 1 ? b : 0, operands[op] > 2 ? c : 0};
  bool nan = false;
  for (int i = 0; i < 3; i++)
    nan |= fp_oracle_is_nan(f, x[i]);
  if (!nan)
    return compute(op, f, x[0], x[1], x[2], rm);
  res r = nan_result(f, f, x, 3);
  if (op == ORACLE_FMA && ((is_inf(f, a) && is_zero(f, b)) || (is_zero(f, a) && is_inf(f, b))))
    r.flags |= NV;
  return r;
}

struct fp_oracle_result fp_oracle_convert(const fmt *from, const fmt *to, uint32_t a, unsigned rm) {
  if (fp_oracle_is_nan(from, a))
    return nan_result(from, to, &a, 1);
  mpfr_t x;
  mpfr_init2(x, PRECISION);
  get(x, from, a);
  res r = finish(to, x, sign_of(from, a), rm);
  mpfr_clear(x);
  return r;
}

struct fp_oracle_result fp_oracle_from_int(const fmt *to, int64_t a, unsigned rm) {
  mpfr_t x;
  mpfr_init2(x, PRECISION);
  mpfr_set_si(x, a, MPFR_RNDN);
  res r = finish(to, x, 0, rm);
  mpfr_clear(x);
  return r;
}

struct fp_oracle_result fp_oracle_to_int(const fmt *from, uint32_t a, int width, int is_signed,
                                         unsigned rm) {
  int64_t most = (INT64_C(1) << (width - (is_signed ? 1 : 0))) - 1;
  int64_t least = is_signed ? -most - 1 : 0;
  bool negative = sign_of(from, a) && !fp_oracle_is_nan(from, a);
  res invalid = {(uint32_t)(negative ? least : most), NV};
  if (fp_oracle_is_nan(from, a) || is_inf(from, a))
    return invalid;
  bool inexact;
  mpfr_t x;
  mpz_t n;
  mpfr_init2(x, PRECISION);
  mpz_init(n);
  get(x, from, a);
  quanta(n, x, 0, false, rm, &inexact);
  if (negative)
    mpz_neg(n, n);
  bool fits = mpz_cmp_si(n, least) >= 0 && mpz_cmp_si(n, most) <= 0;
  res r = {(uint32_t)mpz_get_si(n), inexact ? NX : 0};
  mpfr_clear(x);
  mpz_clear(n);
  return fits ? r : invalid;
}

struct fp_oracle_result fp_oracle_dot(const fmt *from, const fmt *to, int has_addend, uint32_t a,
                                      uint32_t b, uint32_t c, unsigned rm) {
  uint32_t x[4] = {b & 0xffff, c & 0xffff, b >> 16, c >> 16};
  bool plus = false, minus = false, nan = has_addend && fp_oracle_is_nan(to, a);
  res r = nan_result(from, to, x, 4);
  if (has_addend && fp_oracle_is_signalling(to, a))
    r.flags |= NV;
  mpfr_t sum, p, q;
  mpfr_inits2(PRECISION, sum, p, q, (mpfr_ptr)0);
  mpfr_set_zero(sum, 1);
  for (int i = 0; i < 4; i += 2) {
    bool lane_nan = fp_oracle_is_nan(from, x[i]) || fp_oracle_is_nan(from, x[i + 1]);
    get(p, from, x[i]);
    get(q, from, x[i + 1]);
    mpfr_mul(p, p, q, MPFR_RNDN);
    bool sign = sign_of(from, x[i]) != sign_of(from, x[i + 1]);
    *(sign ? &minus : &plus) = true;
    nan |= lane_nan;
    if (!lane_nan && mpfr_nan_p(p))
      r.flags |= NV;
    mpfr_add(sum, sum, p, MPFR_RNDN);
  }
  if (has_addend) {
    *(sign_of(to, a) ? &minus : &plus) = true;
    get(p, to, a);
    mpfr_add(sum, sum, p, MPFR_RNDN);
  }
  if (!nan)
    r = finish_sum(to, sum, plus, minus, rm);
  mpfr_clears(sum, p, q, (mpfr_ptr)0);
  return r;
}

int fp_oracle_compare(const fmt *f, uint32_t a, uint32_t b) {
  if (fp_oracle_is_nan(f, a) || fp_oracle_is_nan(f, b))
    return 2;
  mpfr_t x, y;
  mpfr_inits2(PRECISION, x, y, (mpfr_ptr)0);
  get(x, f, a);
  get(y, f, b);
  int order = mpfr_cmp(x, y);
  mpfr_clears(x, y, (mpfr_ptr)0);
  return order < 0 ? -1 : order > 0;
}
