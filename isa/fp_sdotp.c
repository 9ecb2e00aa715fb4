// isa/fp_sdotp.c: dot products of 16-bit lanes that expand into binary32, as the unit that has them
// delivers them, bit for bit. See isa/fp.h.
//
// The unit sorts its three terms by their exponents, adds the first two in 51 bits and the third to
// their sum in 63. What falls out below is one sticky bit each time; the result is rounded once. So
// it is the exact sum rounded, but where both sums have sticky bits, or a small difference is all
// that remains of large terms: then the last bit, and whether it is inexact, may differ.
//
// Facts: fpnew_sdotp_multi.sv (pulp-platform/cvfpu, e5aa6a0), with binary16 and bfloat16 as
// sources; measured under Verilator. L. Bertaccini et al., "MiniFloat-NN and ExSdotp", ARITH 2022.

#include "fp.h"

#include "fp_generic.h"

#define E32 8
#define M32 23

enum {
  FIRST_ROOM = 27,  // bits below a term in the first sum
  SECOND_ROOM = 39, // in the second, whose frame begins a bit above the first one's
  WIDER = SECOND_ROOM - FIRST_ROOM - 1,
  LEAST_FIELD = 2 - 127, // what a product that is zero has for its exponent
};

// A term of value sig * 2^(field - 150), sig of 24 bits: of a normal number, its exponent's field.
struct term {
  int field;
  uint32_t sig;
  bool sign;
};

// A sum on its way: the magnitude and what of it is no longer in there.
struct partial {
  uint64_t magnitude;
  bool sign, subtracted, sticky;
};

static struct term term_of(const struct fpg_num *n, int zero_field, int bits) {
  bool zero = n->kind == FPG_ZERO;
  int left = M32 + 1 - bits;
  return (struct term){zero ? zero_field : n->exp + 150 - left, zero ? 0 : n->sig << left, n->sign};
}

// Sorted by falling exponents; of equals, the earlier one comes first.
static void sort(struct term t[3]) {
  for (int pass = 0; pass < 3; pass++) {
    int i = pass % 2;
    if (t[i].field >= t[i + 1].field)
      continue;
    struct term first = t[i];
    t[i] = t[i + 1];
    t[i + 1] = first;
  }
}

// Adds a term, placed in a frame of at most 63 bits and `right` below its place.
static struct partial add(uint64_t magnitude, bool sign, uint64_t placed, int right,
                          bool negative) {
  right = right < 63 ? right : 63;
  uint64_t aligned = placed >> right;
  struct partial s = {.subtracted = sign != negative, .sticky = aligned << right != placed};
  s.magnitude = magnitude + aligned;
  s.sign = sign;
  if (s.subtracted) {
    int64_t difference = (int64_t)(magnitude - aligned) - s.sticky;
    s.magnitude = (uint64_t)(difference < 0 ? -difference : difference);
    s.sign = difference < 0 ? !sign : sign;
  }
  return s;
}

// The sign of a result of which nothing but sticky bits remains, if the first term is a zero.
static bool sign_of_rest(const struct term t[3]) {
  bool second = t[1].sig != 0, third = t[2].sig != 0;
  if (second && third && t[1].field == t[2].field && t[1].sig == t[2].sig)
    return t[0].sign ? t[1].sign || t[2].sign : t[1].sign && t[2].sign;
  if (second && third && t[1].field == t[2].field)
    return t[t[1].sig > t[2].sig ? 1 : 2].sign;
  return t[second ? 1 : 2].sign;
}

// Brings the leading one of a sum to bit 62, or as far as the exponent lets it. Returns the field.
static int normalize(uint64_t *magnitude, int field) {
  int zeros = *magnitude == 0 ? 64 : __builtin_clzll(*magnitude);
  if (*magnitude != 0 && field - zeros + 1 > 0) {
    *magnitude = zeros == 0 ? *magnitude >> 1 : *magnitude << (zeros - 1);
    return field - zeros + 1;
  }
  if (field > 0 && *magnitude != 0)
    *magnitude <<= field - 1;
  return 0;
}

// `field`: of bit 62.
static uint32_t round_sum(const struct term t[3], struct partial s, int field, bool sticky,
                          bool sticky_cancels, unsigned rm, unsigned *flags) {
  field = normalize(&s.magnitude, field);
  uint64_t rest = s.magnitude & ((UINT64_C(1) << (SECOND_ROOM - 1)) - 1);
  sticky = rest != 0 || (sticky && !sticky_cancels);
  bool overflows = field >= 255, half = s.magnitude >> (SECOND_ROOM - 1) & 1;
  uint32_t kept = (uint32_t)(s.magnitude >> SECOND_ROOM) & 0x7fffff;
  kept = overflows ? 0x7f7fffff : kept | (uint32_t)field << M32;
  unsigned below = overflows ? 3 : half * 2u + sticky;
  if (kept == 0 && below == 0)
    return fpg_signed(s.subtracted ? rm == FP_RDN : s.sign, 0, E32, M32);
  bool sign = t[0].sig == 0 && kept == 0 ? sign_of_rest(t) : s.sign;
  kept += fpg_round_up(sign, kept & 1, below, 2, rm);
  if (overflows || kept >= 0x7f800000)
    *flags |= FP_OF | FP_NX;
  if (below != 0)
    *flags |= kept < 0x00800000 ? FP_UF | FP_NX : FP_NX;
  return fpg_signed(sign, kept, E32, M32);
}

// Of finite terms. If the first two leave nothing, a third that would lose bits is the sum; below
// the normal numbers it loses them all the same, and nobody hears of it.
static uint32_t add_three(struct term t[3], unsigned rm, unsigned *flags) {
  sort(t);
  struct partial first = add((uint64_t)t[0].sig << FIRST_ROOM, t[0].sign,
                             (uint64_t)t[1].sig << FIRST_ROOM, t[0].field - t[1].field, t[1].sign);
  bool nothing = first.subtracted && first.magnitude == 0 && !first.sticky;
  if (nothing)
    first.sign = rm == FP_RDN;
  uint64_t third = (uint64_t)t[2].sig << SECOND_ROOM;
  struct partial sum =
      add(first.magnitude << WIDER, first.sign, third, t[0].field + 1 - t[2].field, t[2].sign);
  if (nothing && sum.sticky) {
    int right = t[2].field > 0 ? 0 : 1 - t[2].field;
    sum = (struct partial){right > 63 ? 0 : third >> right, t[2].sign, false, false};
    return round_sum(t, sum, t[2].field > 0 ? t[2].field : 0, false, false, rm, flags);
  }
  bool cancels = !sum.sticky && first.subtracted != sum.subtracted && t[2].sig != 0;
  return round_sum(t, sum, t[0].field + 1, first.sticky || sum.sticky, cancels, rm, flags);
}

static uint32_t dot(uint32_t a, uint32_t b, uint32_t c, int E, int M, unsigned rm,
                    unsigned *flags) {
  struct fpg_num n[3] = {fpg_product(b, c, E, M), fpg_product(b >> 16, c >> 16, E, M),
                         fpg_unpack(a, E32, M32)};
  bool plus = false, minus = false;
  enum fpg_kind worst = FPG_ZERO;
  for (int i = 0; i < 3; i++) {
    worst = n[i].kind > worst ? n[i].kind : worst;
    plus |= n[i].kind == FPG_INF && !n[i].sign;
    minus |= n[i].kind == FPG_INF && n[i].sign;
  }
  if (worst == FPG_SNAN || (worst == FPG_INF && plus && minus))
    return fpg_invalid(E32, M32, flags);
  if (worst == FPG_QNAN)
    return fpg_nan(E32, M32);
  if (worst == FPG_INF)
    return fpg_signed(minus, fpg_inf(E32, M32), E32, M32);
  struct term t[3] = {term_of(&n[0], LEAST_FIELD, 2 * M + 2),
                      term_of(&n[1], LEAST_FIELD, 2 * M + 2), term_of(&n[2], 1, M32 + 1)};
  return add_three(t, rm, flags);
}

uint32_t fp32_dotp_fp16x2_soft(uint32_t a, uint32_t b, uint32_t c, unsigned rm, unsigned *flags) {
  return dot(a, b, c, 5, 10, rm, flags);
}

uint32_t fp32_dotp_bf16x2_soft(uint32_t a, uint32_t b, uint32_t c, unsigned rm, unsigned *flags) {
  return dot(a, b, c, 8, 7, rm, flags);
}
