// tests/isa/fp_arith.c: add, multiply, divide, fused multiply-add, square root and average of every
// format in every rounding mode, results and flags, against MPFR: edges crossed with edges, and
// random operands.

#include <check.h>

#include "fp_operands.h"
#include "isa/fp.h"
#include "tests/often.h"

Suite *fp_arith_suite(void);

typedef uint32_t binary(uint32_t, uint32_t, unsigned, unsigned *);
typedef uint32_t ternary(uint32_t, uint32_t, uint32_t, unsigned, unsigned *);
typedef uint32_t unary(uint32_t, unsigned, unsigned *);

static const struct format {
  const struct fp_oracle_format *f;
  binary *add[2], *mul[2], *div[2], *avg; // the usual way and the all-integer one
  ternary *fma[2];
  unary *sqrt;
} formats[] = {
    {&oracle_fp32,
     {fp32_add, fp32_add_soft},
     {fp32_mul, fp32_mul_soft},
     {fp32_div, fp32_div_soft},
     fp32_avg,
     {fp32_fma, fp32_fma_soft},
     fp32_sqrt},
    {&oracle_fp16,
     {fp16_add, fp16_add_soft},
     {fp16_mul, fp16_mul_soft},
     {fp16_div, fp16_div_soft},
     fp16_avg,
     {fp16_fma, fp16_fma_soft},
     fp16_sqrt},
    {&oracle_bf16,
     {bf16_add, bf16_add_soft},
     {bf16_mul, bf16_mul_soft},
     {bf16_div, bf16_div_soft},
     bf16_avg,
     {bf16_fma, bf16_fma_soft},
     bf16_sqrt},
};
enum { FORMATS = sizeof formats / sizeof *formats, MODES = 5, RANDOM = 20000 };

static void agree(const char *op, const struct fp_oracle_format *f, const uint32_t x[3],
                  unsigned rm, uint32_t value, unsigned flags, struct fp_oracle_result expected) {
  check_often(value == expected.value && flags == expected.flags,
              "%s %s(%08x, %08x, %08x) rm %u: %08x flags %02x, MPFR: %08x flags %02x", f->name, op,
              x[0], x[1], x[2], rm, value, flags, expected.value, expected.flags);
}

static void check_binary(const char *name, enum fp_oracle_op op, const struct fp_oracle_format *f,
                         binary *fn, uint32_t a, uint32_t b, unsigned rm) {
  struct fp_oracle_result expected = fp_oracle(op, f, a, b, 0, rm);
  unsigned flags = 0, raised = FP_NX;
  uint32_t value = fn(a, b, rm, &flags);
  agree(name, f, (uint32_t[]){a, b, 0}, rm, value, flags, expected);
  value = fn(a, b, rm, &raised); // flags that are up stay up
  expected.flags |= FP_NX;
  agree(name, f, (uint32_t[]){a, b, 0}, rm, value, raised, expected);
}

static void check_fma(const struct format *t, uint32_t a, uint32_t b, uint32_t c, unsigned rm) {
  struct fp_oracle_result expected = fp_oracle(ORACLE_FMA, t->f, a, b, c, rm);
  for (int way = 0; way < 2; way++) {
    unsigned flags = 0, raised = FP_NX;
    uint32_t value = t->fma[way](a, b, c, rm, &flags);
    agree(way ? "fma_soft" : "fma", t->f, (uint32_t[]){a, b, c}, rm, value, flags, expected);
    value = t->fma[way](a, b, c, rm, &raised);
    check_often(value == expected.value && raised == (expected.flags | FP_NX),
                "way %d, flags up: %08x flags %02x", way, value, raised);
  }
}

static void check_sqrt(const struct format *t, uint32_t a, unsigned rm) {
  unsigned flags = 0;
  uint32_t value = t->sqrt(a, rm, &flags);
  agree("sqrt", t->f, (uint32_t[]){a, 0, 0}, rm, value, flags,
        fp_oracle(ORACLE_SQRT, t->f, a, 0, 0, rm));
}

static void check_pair(const struct format *t, uint32_t a, uint32_t b, unsigned rm) {
  for (int way = 0; way < 2; way++) {
    check_binary(way ? "add_soft" : "add", ORACLE_ADD, t->f, t->add[way], a, b, rm);
    check_binary(way ? "mul_soft" : "mul", ORACLE_MUL, t->f, t->mul[way], a, b, rm);
    check_binary(way ? "div_soft" : "div", ORACLE_DIV, t->f, t->div[way], a, b, rm);
  }
  check_binary("avg", ORACLE_AVG, t->f, t->avg, a, b, rm);
}

START_TEST(edges_by_pairs) {
  const struct format *t = &formats[_i];
  uint32_t edges[FP_EDGES];
  int n = fp_edges(t->f, edges);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (unsigned rm = 0; rm < MODES; rm++)
        check_pair(t, edges[i], edges[j], rm);
}
END_TEST

// Every pair of edges with a few third operands each, so that all are used.
START_TEST(edges_by_threes) {
  const struct format *t = &formats[_i];
  uint32_t edges[FP_EDGES];
  int n = fp_edges(t->f, edges);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = (i + j) % 7; k < n; k += 7)
        for (unsigned rm = 0; rm < MODES; rm++)
          check_fma(t, edges[i], edges[j], edges[k], rm);
}
END_TEST

START_TEST(random_pairs) {
  const struct format *t = &formats[_i];
  struct fp_random r = {0x9e3779b97f4a7c15};
  for (int i = 0; i < RANDOM; i++) {
    uint32_t a = fp_random_operand(t->f, &r), b = fp_random_operand(t->f, &r);
    check_pair(t, a, b, fp_random_word(&r) % 2 ? FP_RNE : (unsigned)i % MODES);
  }
}
END_TEST

// Random products with random addends, half of them close to the negated product.
START_TEST(random_threes) {
  const struct format *t = &formats[_i];
  struct fp_random r = {0xd1b54a32d192ed03};
  for (int i = 0; i < RANDOM; i++) {
    uint32_t a = fp_random_operand(t->f, &r), b = fp_random_operand(t->f, &r);
    uint32_t c = fp_random_operand(t->f, &r), sign = 1u << (t->f->exp_bits + t->f->man_bits);
    unsigned flags = 0;
    if (i % 2)
      c = (t->mul[1](a, b, FP_RTZ, &flags) ^ sign) + fp_random_word(&r) % 4;
    check_fma(t, a, b, c, fp_random_word(&r) % 2 ? FP_RNE : (unsigned)i % MODES);
  }
}
END_TEST

START_TEST(square_roots) {
  const struct format *t = &formats[_i];
  struct fp_random r = {0x2545f4914f6cdd1d};
  uint32_t edges[FP_EDGES];
  int n = fp_edges(t->f, edges);
  for (int i = 0; i < n; i++)
    for (unsigned rm = 0; rm < MODES; rm++)
      check_sqrt(t, edges[i], rm);
  for (int i = 0; i < RANDOM; i++)
    check_sqrt(t, fp_random_operand(t->f, &r), (unsigned)i % MODES);
}
END_TEST

// The least normal number times nearly one is rounded up to it: tiny, as the standard says, but not
// subnormal (fpnew_fma.sv, uf_after_round). Half of it and a bit is both.
START_TEST(underflow_of_fpnew06) {
  static const struct {
    ternary *fma[2];
    binary *mul[2];
    uint32_t least, nearly_one, half;
  } units[] = {
      {{fp32_fma, fp32_fma_fpnew06},
       {fp32_mul, fp32_mul_fpnew06},
       0x800000,
       0x3f7fffff,
       0x3f000001},
      {{fp16_fma, fp16_fma_fpnew06}, {fp16_mul, fp16_mul_fpnew06}, 0x400, 0x3bff, 0x3801},
      {{bf16_fma, bf16_fma_fpnew06}, {bf16_mul, bf16_mul_fpnew06}, 0x80, 0x3f7f, 0x3f01},
      {{fp16x2_fma, fp16x2_fma_fpnew06},
       {fp16x2_mul, fp16x2_mul_fpnew06},
       0x4000000,
       0x3bff0000,
       0x38010000},
  };
  for (unsigned i = 0; i < sizeof units / sizeof *units; i++)
    for (unsigned unit = 0; unit < 2; unit++) {
      unsigned product = 0, sum = 0, subnormal = 0;
      uint32_t least = units[i].least;
      ck_assert_uint_eq(units[i].mul[unit](least, units[i].nearly_one, FP_RNE, &product), least);
      ck_assert_uint_eq(units[i].fma[unit](least, units[i].nearly_one, 0, FP_RNE, &sum), least);
      units[i].mul[unit](least, units[i].half, FP_RNE, &subnormal);
      ck_assert_uint_eq(product, unit ? FP_NX : FP_NX | FP_UF);
      ck_assert_uint_eq(sum, product);
      ck_assert_uint_eq(subnormal, FP_NX | FP_UF);
    }
}
END_TEST

Suite *fp_arith_suite(void) {
  Suite *s = suite_create("fp_arith");
  TCase *c = tcase_create("against MPFR");
  tcase_set_timeout(c, 120);
  tcase_add_loop_test(c, edges_by_pairs, 0, FORMATS);
  tcase_add_loop_test(c, edges_by_threes, 0, FORMATS);
  tcase_add_loop_test(c, random_pairs, 0, FORMATS);
  tcase_add_loop_test(c, random_threes, 0, FORMATS);
  tcase_add_loop_test(c, square_roots, 0, FORMATS);
  tcase_add_test(c, underflow_of_fpnew06);
  suite_add_tcase(s, c);
  return s;
}
