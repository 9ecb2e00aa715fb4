// tests/isa/fp_lanes.c: two-lane forms against their scalar parts, and dot products and widening
// multiply-adds against MPFR.

#include <check.h>

#include "fp_operands.h"
#include "isa/fp.h"
#include "tests/often.h"

Suite *fp_lanes_suite(void);

enum { MODES = 5, RANDOM = 25000 };

typedef uint32_t two(uint32_t, uint32_t, unsigned, unsigned *);
typedef uint32_t three(uint32_t, uint32_t, uint32_t, unsigned, unsigned *);
typedef uint32_t one(uint32_t, unsigned, unsigned *);
typedef uint32_t relation(uint32_t, uint32_t, unsigned *);

static uint32_t random_lanes(const struct fp_oracle_format *f, struct fp_random *r) {
  return (fp_random_operand(f, r) & 0xffff) | fp_random_operand(f, r) << 16;
}

static void same(const char *op, uint32_t a, uint32_t b, unsigned rm, uint32_t value,
                 unsigned flags, uint32_t lane0, uint32_t lane1, unsigned expected) {
  check_often(value == ((lane0 & 0xffff) | lane1 << 16) && flags == expected,
              "%s(%08x, %08x) rm %u: %08x flags %02x, by lanes %04x %04x flags %02x", op, a, b, rm,
              value, flags, lane1 & 0xffff, lane0 & 0xffff, expected);
}

static void check_two(const char *op, two *lanes, two *scalar, uint32_t a, uint32_t b,
                      unsigned rm) {
  unsigned flags = 0, expected = 0;
  uint32_t value = lanes(a, b, rm, &flags);
  uint32_t lane0 = scalar(a & 0xffff, b & 0xffff, rm, &expected);
  uint32_t lane1 = scalar(a >> 16, b >> 16, rm, &expected);
  same(op, a, b, rm, value, flags, lane0, lane1, expected);
}

static void check_relation(const char *op, relation *lanes, relation *scalar, int negate,
                           uint32_t a, uint32_t b) {
  unsigned flags = 0, expected = 0;
  uint32_t value = lanes(a, b, &flags);
  uint32_t lane0 = scalar(a & 0xffff, b & 0xffff, &expected) ^ (uint32_t)negate;
  uint32_t lane1 = scalar(a >> 16, b >> 16, &expected) ^ (uint32_t)negate;
  same(op, a, b, 0, value, flags, lane0, lane1, expected);
}

static void check_one(const char *op, one *lanes, one *scalar, uint32_t a, uint32_t operand0,
                      uint32_t operand1, unsigned rm) {
  unsigned flags = 0, expected = 0;
  uint32_t value = lanes(a, rm, &flags);
  uint32_t lane0 = scalar(operand0, rm, &expected), lane1 = scalar(operand1, rm, &expected);
  same(op, a, 0, rm, value, flags, lane0, lane1, expected);
}

#define CHECK_FORMAT(name, a, b, c, rm)                                                            \
  do {                                                                                             \
    check_two(#name "x2_add", name##x2_add, name##_add_soft, a, b, rm);                            \
    check_two(#name "x2_mul", name##x2_mul, name##_mul_soft, a, b, rm);                            \
    check_two(#name "x2_div", name##x2_div, name##_div_soft, a, b, rm);                            \
    check_two(#name "x2_avg", name##x2_avg, name##_avg, a, b, rm);                                 \
    check_relation(#name "x2_min", name##x2_min, name##_min, 0, a, b);                             \
    check_relation(#name "x2_max", name##x2_max, name##_max, 0, a, b);                             \
    check_relation(#name "x2_eq", name##x2_eq, name##_eq, 0, a, b);                                \
    check_relation(#name "x2_ne", name##x2_ne, name##_eq, 1, a, b);                                \
    check_relation(#name "x2_lt", name##x2_lt, name##_lt, 0, a, b);                                \
    check_relation(#name "x2_le", name##x2_le, name##_le, 0, a, b);                                \
    check_one(#name "x2_sqrt", name##x2_sqrt, name##_sqrt, a, a & 0xffff, a >> 16, rm);            \
    check_one(#name "x2_to_i16", name##x2_to_i16, name##_to_i16, a, a & 0xffff, a >> 16, rm);      \
    check_one(#name "x2_to_u16", name##x2_to_u16, name##_to_u16, a, a & 0xffff, a >> 16, rm);      \
    check_one(#name "x2_from_u32", name##x2_from_u32, name##_from_u32, a, a & 0xffff, a >> 16,     \
              rm);                                                                                 \
    check_one(#name "x2_from_i32", name##x2_from_i32, name##_from_i32, a,                          \
              (uint32_t)(int16_t)(a & 0xffff), (uint32_t)((int32_t)a >> 16), rm);                  \
    unsigned flags = 0, expected = 0;                                                              \
    uint32_t value = name##x2_fma(a, b, c, rm, &flags);                                            \
    uint32_t lane0 = name##_fma_soft(a, b, c, rm, &expected);                                      \
    uint32_t lane1 = name##_fma_soft(a >> 16, b >> 16, c >> 16, rm, &expected);                    \
    same(#name "x2_fma", a, b, rm, value, flags, lane0, lane1, expected);                          \
  } while (0)

START_TEST(lanes) {
  struct fp_random r = {0x9e3779b97f4a7c15};
  for (int i = 0; i < RANDOM; i++) {
    uint32_t a = random_lanes(&oracle_fp16, &r), b = random_lanes(&oracle_fp16, &r);
    uint32_t c = random_lanes(&oracle_fp16, &r);
    CHECK_FORMAT(fp16, a, b, c, (unsigned)i % MODES);
    a = random_lanes(&oracle_bf16, &r), b = random_lanes(&oracle_bf16, &r);
    c = random_lanes(&oracle_bf16, &r);
    CHECK_FORMAT(bf16, a, b, c, (unsigned)i % MODES);
  }
}
END_TEST

START_TEST(casts) {
  struct fp_random r = {0x9e3779b97f4a7c15};
  for (int i = 0; i < RANDOM; i++) {
    unsigned rm = (unsigned)i % MODES;
    uint32_t a = fp_random_word(&r), b = fp_random_operand(&oracle_fp32, &r);
    uint32_t c = fp_random_operand(&oracle_fp32, &r);
    check_one("fp16x2_from_bf16", fp16x2_from_bf16, fp16_from_bf16, a, a & 0xffff, a >> 16, rm);
    check_one("bf16x2_from_fp16", bf16x2_from_fp16, bf16_from_fp16, a, a & 0xffff, a >> 16, rm);
    unsigned flags = 0, expected = 0;
    uint32_t value = fp16x2_pack(b, c, rm, &flags);
    uint32_t lane0 = fp16_from_fp32(b, rm, &expected), lane1 = fp16_from_fp32(c, rm, &expected);
    same("fp16x2_pack", b, c, rm, value, flags, lane0, lane1, expected);
    flags = expected = 0;
    value = bf16x2_pack(b, c, rm, &flags);
    lane0 = bf16_from_fp32(b, rm, &expected), lane1 = bf16_from_fp32(c, rm, &expected);
    same("bf16x2_pack", b, c, rm, value, flags, lane0, lane1, expected);
  }
}
END_TEST

// -inf, -normal, +0 and a signalling NaN, in their eight-bit form.
START_TEST(classes_and_signs) {
  ck_assert_uint_eq(fp16x2_class(0xfc00bc00), 0x8182);
  ck_assert_uint_eq(fp16x2_class(0x00007c01), 0x4850);
  ck_assert_uint_eq(fp16x2_class(0x00018001), 0x4484);
  ck_assert_uint_eq(fp16x2_class(0x7e007c00), 0x6041);
  ck_assert_uint_eq(bf16x2_class(0x7fc00080), 0x6042);
  ck_assert_uint_eq(bf16x2_class(0xff81807f), 0x5084);
  ck_assert_uint_eq(fp16x2_sgnj(0x3c00bc00, 0x80000000), 0xbc003c00);
  ck_assert_uint_eq(fp16x2_sgnjn(0x3c00bc00, 0x80000000), 0x3c00bc00);
  ck_assert_uint_eq(fp16x2_sgnjx(0x3c00bc00, 0x80008000), 0xbc003c00);
  ck_assert_uint_eq(FP16_BOX(0x1234u), 0xffff1234);
  ck_assert_uint_eq(FP16_REPLICATE(0x56781234u), 0x12341234);
}
END_TEST

static void check_dot(const struct fp_oracle_format *f, two *fn, uint32_t b, uint32_t c,
                      unsigned rm) {
  unsigned flags = 0;
  uint32_t value = fn(b, c, rm, &flags);
  struct fp_oracle_result e = fp_oracle_dot(f, f, 0, 0, b, c, rm);
  check_often(value == e.value && flags == e.flags,
              "%s dot(%08x, %08x) rm %u: %08x flags %02x, MPFR: %08x flags %02x", f->name, b, c, rm,
              value, flags, e.value, e.flags);
}

// The short way is the long one, whatever flags are up. To nearest, with no tiny number about, it
// is the exact sum rounded.
static void check_expanding(const struct fp_oracle_format *from, three *fast, three *soft,
                            uint32_t a, uint32_t b, uint32_t c, unsigned rm) {
  enum { TINY = 0x33000000 };
  unsigned flags = a & 1, expected = a & 1; // FP_NX
  uint32_t value = soft(a, b, c, rm, &expected), quick = fast(a, b, c, rm, &flags);
  check_often(value == quick && flags == expected,
              "%s dot(%08x, %08x, %08x) rm %u: %08x flags %02x, the short way %08x flags %02x",
              from->name, a, b, c, rm, value, expected, quick, flags);
  if (rm != FP_RNE || (a & INT32_MAX) - 1 < TINY - 1 || (value & INT32_MAX) < TINY)
    return;
  struct fp_oracle_result e = fp_oracle_dot(from, &oracle_fp32, 1, a, b, c, rm);
  check_often(value == e.value, "%s dot(%08x, %08x, %08x): %08x, MPFR: %08x", from->name, a, b, c,
              value, e.value);
}

static void check_dots(uint32_t a, uint32_t b16, uint32_t c16, uint32_t bb, uint32_t cb,
                       unsigned rm) {
  const struct fp_oracle_format *h = &oracle_fp16, *ah = &oracle_bf16;
  check_expanding(h, fp32_dotp_fp16x2, fp32_dotp_fp16x2_soft, a, b16, c16, rm);
  check_expanding(ah, fp32_dotp_bf16x2, fp32_dotp_bf16x2_soft, a, bb, cb, rm);
  check_dot(h, fp16_dotp_fp16x2, b16, c16, rm);
  check_dot(ah, bf16_dotp_bf16x2, bb, cb, rm);
}

// Random lanes; in half of the cases the second product is close to the negated first, or the
// addend close to the negated sum.
START_TEST(dot_products) {
  struct fp_random r = {0x9e3779b97f4a7c15};
  for (int i = 0; i < RANDOM; i++) {
    unsigned rm = fp_random_word(&r) % 2 ? FP_RNE : (unsigned)i % MODES, flags = 0;
    uint32_t b16 = random_lanes(&oracle_fp16, &r), c16 = random_lanes(&oracle_fp16, &r);
    uint32_t bb = random_lanes(&oracle_bf16, &r), cb = random_lanes(&oracle_bf16, &r);
    uint32_t a = fp_random_operand(&oracle_fp32, &r);
    if (i % 4 == 1) {
      b16 = (b16 & 0xffff) * 0x10001 ^ 0x80000000;
      c16 = (c16 & 0xffff) * 0x10001 + (fp_random_word(&r) % 2 << 16);
      bb = (bb & 0xffff) * 0x10001 ^ 0x80000000;
      cb = (cb & 0xffff) * 0x10001 + (fp_random_word(&r) % 2 << 16);
    } else if (i % 4 == 2) {
      a = fp32_dotp_fp16x2_soft(0, b16, c16, FP_RTZ, &flags) ^ 0x80000000;
    } else if (i % 4 == 3) {
      a = fp32_dotp_bf16x2_soft(0, bb, cb, FP_RTZ, &flags) ^ 0x80000000;
    }
    check_dots(a, b16, c16, bb, cb, rm);
  }
}
END_TEST

START_TEST(dot_products_of_edges) {
  struct fp_random r = {0x9e3779b97f4a7c15};
  uint32_t e16[FP_EDGES], eb[FP_EDGES], e32[FP_EDGES];
  int n = fp_edges(&oracle_fp16, e16);
  fp_edges(&oracle_bf16, eb);
  fp_edges(&oracle_fp32, e32);
  for (int i = 0; i < RANDOM; i++) {
    uint32_t k[5];
    for (int j = 0; j < 5; j++)
      k[j] = fp_random_word(&r) % (uint32_t)n;
    check_dots(e32[k[0]], e16[k[1]] | e16[k[2]] << 16, e16[k[3]] | e16[k[4]] << 16,
               eb[k[1]] | eb[k[2]] << 16, eb[k[3]] | eb[k[4]] << 16, (unsigned)i % MODES);
  }
}
END_TEST

// The widening forms are the binary32 operation on widened operands.
START_TEST(widening) {
  struct fp_random r = {0x9e3779b97f4a7c15};
  for (int i = 0; i < RANDOM; i++) {
    unsigned rm = (unsigned)i % MODES, flags = 0, none = 0;
    uint32_t a = fp_random_word(&r), b = fp_random_word(&r);
    uint32_t c = fp_random_operand(&oracle_fp32, &r);
    uint32_t x = fp32_from_fp16(a, &none), y = fp32_from_fp16(b, &none);
    struct fp_oracle_result e = fp_oracle(ORACLE_FMA, &oracle_fp32, x, y, c, rm);
    uint32_t value = fp32_fma_fp16(a, b, c, rm, &flags);
    check_often(value == e.value && flags == (e.flags | none), "fma %08x flags %02x", value, flags);
    flags = none = 0;
    x = fp32_from_bf16(a, &none), y = fp32_from_bf16(b, &none);
    e = fp_oracle(ORACLE_MUL, &oracle_fp32, x, y, 0, rm);
    value = fp32_mul_bf16(a, b, rm, &flags);
    check_often(value == e.value && flags == (e.flags | none), "mul %08x flags %02x", value, flags);
  }
}
END_TEST

Suite *fp_lanes_suite(void) {
  Suite *s = suite_create("fp_lanes");
  TCase *c = tcase_create("lanes");
  tcase_set_timeout(c, 120);
  tcase_add_test(c, lanes);
  tcase_add_test(c, casts);
  tcase_add_test(c, classes_and_signs);
  tcase_add_test(c, dot_products);
  tcase_add_test(c, dot_products_of_edges);
  tcase_add_test(c, widening);
  suite_add_tcase(s, c);
  return s;
}
