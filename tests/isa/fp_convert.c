// tests/isa/fp_convert.c: conversions between formats and integers, comparisons, minimum and
// maximum, classification and sign injection of every format against MPFR. The 16-bit formats are
// tried exhaustively.

#include <check.h>
#include <stdbool.h>

#include "fp_operands.h"
#include "isa/fp.h"
#include "tests/often.h"

Suite *fp_convert_suite(void);

enum { MODES = 5, RANDOM = 25000 };

typedef uint32_t rounded(uint32_t, unsigned, unsigned *);
typedef uint32_t widened(uint32_t, unsigned *);
typedef uint32_t compared(uint32_t, uint32_t, unsigned *);

static const struct format {
  const struct fp_oracle_format *f;
  rounded *to_i32, *to_u32, *to_i16, *to_u16, *from_i32, *from_u32;
  compared *eq, *lt, *le, *min, *max;
  uint32_t (*class)(uint32_t);
} formats[] = {
    {&oracle_fp32, fp32_to_i32, fp32_to_u32, fp32_to_i16, fp32_to_u16, fp32_from_i32, fp32_from_u32,
     fp32_eq, fp32_lt, fp32_le, fp32_min, fp32_max, fp32_class},
    {&oracle_fp16, fp16_to_i32, fp16_to_u32, fp16_to_i16, fp16_to_u16, fp16_from_i32, fp16_from_u32,
     fp16_eq, fp16_lt, fp16_le, fp16_min, fp16_max, fp16_class},
    {&oracle_bf16, bf16_to_i32, bf16_to_u32, bf16_to_i16, bf16_to_u16, bf16_from_i32, bf16_from_u32,
     bf16_eq, bf16_lt, bf16_le, bf16_min, bf16_max, bf16_class},
};
enum { FORMATS = sizeof formats / sizeof *formats };

static void agree(const char *op, const struct fp_oracle_format *f, uint32_t a, unsigned rm,
                  uint32_t value, unsigned flags, struct fp_oracle_result expected) {
  check_often(value == expected.value && flags == expected.flags,
              "%s %s(%08x) rm %u: %08x flags %02x, MPFR: %08x flags %02x", f->name, op, a, rm,
              value, flags, expected.value, expected.flags);
}

static void check_to_int(const struct fp_oracle_format *f, const char *op, rounded *fn, uint32_t a,
                         int width, int is_signed, unsigned rm) {
  unsigned flags = 0;
  uint32_t value = fn(a, rm, &flags);
  agree(op, f, a, rm, value, flags, fp_oracle_to_int(f, a, width, is_signed, rm));
}

static void check_to_ints(const struct format *t, uint32_t a, unsigned rm) {
  check_to_int(t->f, "to_i32", t->to_i32, a, 32, 1, rm);
  check_to_int(t->f, "to_u32", t->to_u32, a, 32, 0, rm);
  check_to_int(t->f, "to_i16", t->to_i16, a, 16, 1, rm);
  check_to_int(t->f, "to_u16", t->to_u16, a, 16, 0, rm);
}

START_TEST(to_integers) {
  const struct format *t = &formats[_i];
  struct fp_random r = {0x9e3779b97f4a7c15};
  if (t->f->exp_bits + t->f->man_bits < 16) {
    for (uint32_t a = 0; a < 65536; a++)
      check_to_ints(t, a | a << 16, a % MODES);
    return;
  }
  for (uint32_t exp = 120; exp < 162; exp++) // 2^-7 to 2^34
    for (int i = 0; i < 200; i++) {
      uint32_t man = fp_random_word(&r), few = man & fp_random_word(&r) & fp_random_word(&r);
      uint32_t a = exp << 23 | (man & 0x80000000) | ((i % 2 ? man : few) & 0x7fffff);
      check_to_ints(t, a, (unsigned)i % MODES);
    }
  for (int i = 0; i < RANDOM; i++)
    check_to_ints(t, fp_random_operand(t->f, &r), (unsigned)i % MODES);
}
END_TEST

START_TEST(from_integers) {
  const struct format *t = &formats[_i];
  struct fp_random r = {0x9e3779b97f4a7c15};
  for (int i = 0; i < RANDOM; i++) {
    uint32_t a = fp_random_word(&r), bits = fp_random_word(&r) % 33;
    a = bits == 0 ? 0 : a >> (32 - bits);
    a = i % 3 == 0 ? -a : i % 3 == 1 ? a : 1u << (bits % 32);
    for (unsigned rm = 0; rm < MODES; rm++) {
      unsigned flags = 0;
      uint32_t value = t->from_i32(a, rm, &flags);
      agree("from_i32", t->f, a, rm, value, flags, fp_oracle_from_int(t->f, (int32_t)a, rm));
      flags = 0;
      value = t->from_u32(a, rm, &flags);
      agree("from_u32", t->f, a, rm, value, flags, fp_oracle_from_int(t->f, a, rm));
    }
  }
}
END_TEST

static void check_order(const struct format *t, uint32_t a, uint32_t b) {
  int order = fp_oracle_compare(t->f, a, b);
  bool signals = fp_oracle_is_signalling(t->f, a) || fp_oracle_is_signalling(t->f, b);
  struct fp_oracle_result eq = {order == 0, signals ? FP_NV : 0};
  struct fp_oracle_result lt = {order == -1, order == 2 ? FP_NV : 0};
  struct fp_oracle_result le = {order == -1 || order == 0, order == 2 ? FP_NV : 0};
  unsigned flags = 0;
  uint32_t value = t->eq(a, b, &flags);
  agree("eq", t->f, a, 0, value, flags, eq);
  flags = 0;
  value = t->lt(a, b, &flags);
  agree("lt", t->f, a, 0, value, flags, lt);
  flags = 0;
  value = t->le(a, b, &flags);
  agree("le", t->f, a, 0, value, flags, le);
}

static void check_extremes(const struct format *t, uint32_t a, uint32_t b) {
  uint32_t sign = 1u << (t->f->exp_bits + t->f->man_bits), mask = sign | (sign - 1);
  bool nan_a = fp_oracle_is_nan(t->f, a), nan_b = fp_oracle_is_nan(t->f, b);
  bool signals = fp_oracle_is_signalling(t->f, a) || fp_oracle_is_signalling(t->f, b);
  struct fp_oracle_result least = {a & mask, signals ? FP_NV : 0}, most = {b & mask, least.flags};
  if (nan_a || nan_b) {
    least.value = most.value = nan_a && nan_b ? fp_oracle_nan(t->f) : (nan_a ? b : a) & mask;
  } else {
    int order = fp_oracle_compare(t->f, a, b);
    if (order > 0 || (order == 0 && (b & sign))) {
      least.value = b & mask;
      most.value = a & mask;
    }
  }
  unsigned flags = 0;
  uint32_t value = t->min(a, b, &flags);
  agree("min", t->f, a, 0, value, flags, least);
  flags = 0;
  value = t->max(a, b, &flags);
  agree("max", t->f, a, 0, value, flags, most);
}

START_TEST(order) {
  const struct format *t = &formats[_i];
  struct fp_random r = {0x9e3779b97f4a7c15};
  uint32_t edges[FP_EDGES];
  int n = fp_edges(t->f, edges);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      check_order(t, edges[i], edges[j]);
      check_extremes(t, edges[i], edges[j]);
    }
  for (int i = 0; i < RANDOM; i++) {
    uint32_t a = fp_random_operand(t->f, &r);
    uint32_t b = i % 4 ? fp_random_operand(t->f, &r) : a;
    check_order(t, a, b);
    check_extremes(t, a, b);
  }
}
END_TEST

START_TEST(classes) {
  const struct format *t = &formats[_i];
  int M = t->f->man_bits;
  uint32_t inf = ((1u << t->f->exp_bits) - 1) << M, sign = 1u << (t->f->exp_bits + M);
  // In the order of the bits: -inf, -normal, -subnormal, -0, +0, +subnormal, +normal, +inf,
  // signalling NaN, quiet NaN.
  const uint32_t low[] = {0, 1, (1u << M) - 1, 1u << M, inf - 1, inf, inf + 1, inf | 1u << (M - 1)};
  const int plus[] = {4, 5, 5, 6, 6, 7, 8, 9}, minus[] = {3, 2, 2, 1, 1, 0, 8, 9};
  for (int i = 0; i < 8; i++) {
    ck_assert_uint_eq(t->class(low[i]), 1u << plus[i]);
    ck_assert_uint_eq(t->class(low[i] | sign), 1u << minus[i]);
  }
}
END_TEST

static void check_narrow(const struct fp_oracle_format *from, const struct fp_oracle_format *to,
                         const char *op, rounded *fn, uint32_t a) {
  for (unsigned rm = 0; rm < MODES; rm++) {
    unsigned flags = 0;
    uint32_t value = fn(a, rm, &flags);
    agree(op, to, a, rm, value, flags, fp_oracle_convert(from, to, a, rm));
  }
}

static void check_widen(const struct fp_oracle_format *from, const char *op, widened *fn,
                        uint32_t a) {
  unsigned flags = 0;
  uint32_t value = fn(a, &flags);
  agree(op, &oracle_fp32, a, 0, value, flags, fp_oracle_convert(from, &oracle_fp32, a, 0));
}

START_TEST(between_formats) {
  struct fp_random r = {0x9e3779b97f4a7c15};
  for (uint32_t a = 0; a < 65536; a++) {
    uint32_t noisy = a | fp_random_word(&r) << 16;
    check_widen(&oracle_fp16, "fp32_from_fp16", fp32_from_fp16, noisy);
    check_widen(&oracle_bf16, "fp32_from_bf16", fp32_from_bf16, noisy);
    check_narrow(&oracle_bf16, &oracle_fp16, "fp16_from_bf16", fp16_from_bf16, noisy);
    check_narrow(&oracle_fp16, &oracle_bf16, "bf16_from_fp16", bf16_from_fp16, noisy);
  }
  // Every exponent of binary32, with mantissas at and around the middles of the narrow formats.
  for (uint32_t high = 0; high < 512; high++)
    for (uint32_t i = 0; i < 64; i++) {
      uint32_t man = fp_random_word(&r) & 0x7fe000;
      uint32_t near = (uint32_t[]){0, 0x1000, 0x0fff, 0x1001, 1, 0x8000, 0x18000, 0x7fffff}[i % 8];
      uint32_t a = high << 23 | ((man + near) & 0x7fffff);
      check_narrow(&oracle_fp32, &oracle_fp16, "fp16_from_fp32", fp16_from_fp32, a);
      check_narrow(&oracle_fp32, &oracle_bf16, "bf16_from_fp32", bf16_from_fp32, a);
    }
}
END_TEST

START_TEST(signs) {
  ck_assert_uint_eq(fp32_sgnj(0x3f800000, 0xffc00001), 0xbf800000);
  ck_assert_uint_eq(fp32_sgnj(0xffc00001, 0x3f800000), 0x7fc00001);
  ck_assert_uint_eq(fp32_sgnjn(0x3f800000, 0xff800000), 0x3f800000);
  ck_assert_uint_eq(fp32_sgnjn(0x3f800000, 0x00000000), 0xbf800000);
  ck_assert_uint_eq(fp32_sgnjx(0xbf800000, 0x80000000), 0x3f800000);
  ck_assert_uint_eq(fp32_sgnjx(0xbf800000, 0x7fffffff), 0xbf800000);
}
END_TEST

Suite *fp_convert_suite(void) {
  Suite *s = suite_create("fp_convert");
  TCase *c = tcase_create("against MPFR");
  tcase_set_timeout(c, 120);
  tcase_add_loop_test(c, to_integers, 0, FORMATS);
  tcase_add_loop_test(c, from_integers, 0, FORMATS);
  tcase_add_loop_test(c, order, 0, FORMATS);
  tcase_add_loop_test(c, classes, 0, FORMATS);
  tcase_add_test(c, between_formats);
  tcase_add_test(c, signs);
  suite_add_tcase(s, c);
  return s;
}
