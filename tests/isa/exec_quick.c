// tests/isa/exec_quick.c: quick executors against the bare ones, on random and on edge operands:
// the same registers and the same exceptions, whether these were settled or not.

#include <check.h>
#include <string.h>

#include "core/exec_quick_table.h"
#include "fp_operands.h"
#include "isa/fp.h"

Suite *exec_quick_suite(void);

enum { RANDOM = 3000 };

static void stop(struct core *c, const struct uop *u, cycle_t t) {
  c->at = u;
  c->t = t;
}

static void run(struct core *c, const struct uop *u, uop_exec *executor) {
  c->phase = CORE_RUN;
  executor(c, u, 100);
  ck_assert_ptr_eq(c->at, u + 1);
  ck_assert_uint_eq(c->t, 100);
}

// Operation `op` on registers 1 to 3, result to 4 or, where a row takes its third operand from
// there, to 3.
static void set_up(struct uop u[2], unsigned op, bool ties) {
  memset(u, 0, 2 * sizeof *u);
  u[0] = (struct uop){.op = (uint16_t)op,
                      .imm = -3,
                      .imm2 = FP_DYN,
                      .cost = 1,
                      .lead = 1,
                      .rs1 = 1,
                      .rs2 = 2,
                      .rs3 = 3,
                      .rs1_out = 1,
                      .rd = ties ? 3 : 4};
  u[1].exec = stop;
}

static void compare(const struct uop u[2], uop_exec *quick, const uint32_t x[3], bool settled) {
  static struct core a, b;
  memset(&a, 0, sizeof a);
  memcpy(a.r + 1, x, 3 * sizeof *x);
  a.csr.fflags = settled ? FP_NX : 0;
  a.csr.settled = settled;
  b = a;
  run(&a, u, quick);
  run(&b, u, exec_in_full);
  ck_assert_msg(memcmp(a.r, b.r, sizeof a.r) == 0 && a.csr.fflags == b.csr.fflags,
                "%s(%08x, %08x, %08x): %08x flags %02x, in full %08x flags %02x",
                isa_ops[u->op].name, x[0], x[1], x[2], a.r[u->rd], a.csr.fflags, b.r[u->rd],
                b.csr.fflags);
}

// A binary32 number, or two of a 16-bit format.
static uint32_t operand(struct fp_random *r) {
  static const struct fp_oracle_format *const formats[] = {&oracle_fp16, &oracle_bf16};
  unsigned choice = fp_random_word(r) % 4;
  if (choice > 1)
    return fp_random_operand(&oracle_fp32, r);
  uint32_t low = fp_random_operand(formats[choice], r) & 0xffff;
  return low | fp_random_operand(formats[choice], r) << 16;
}

static void compare_all(unsigned op, struct fp_random *r) {
  bool ties = isa_ops[op].cls == ISA_CLASS_ALU;
  struct uop u[2];
  set_up(u, op, ties);
  uop_exec *const ways[] = {quick_table[op], exec_quick_function(u)};
  for (unsigned i = 0; i < 2 * RANDOM; i++) {
    uint32_t x[] = {operand(r), operand(r), operand(r)};
    unsigned flags = 0;
    if (i % 8 == 0) // close to the negated product
      x[2] = (fp32_mul_soft(x[0], x[1], FP_RTZ, &flags) ^ FP32_SIGN) + fp_random_word(r) % 4;
    if (ways[i % 2])
      compare(u, ways[i % 2], x, i % 16 > 1);
  }
}

START_TEST(as_in_full) {
  struct fp_random r = {0x9e3779b97f4a7c15};
  unsigned compared = 0;
  for (unsigned op = 0; op < ISA_OP_COUNT; op++)
    if (quick_table[op] || exec_quick_function(&(struct uop){.op = (uint16_t)op, .imm2 = FP_DYN})) {
      compare_all(op, &r);
      compared++;
    }
  ck_assert_uint_gt(compared, 50);
}
END_TEST

// Rows of class ALU read their third operand as what the destination held.
START_TEST(third_operands_are_tied) {
  unsigned seen = 0;
  for (size_t i = 0; i < isa_enc_count; i++)
    if (isa_ops[isa_encs[i].op].cls == ISA_CLASS_ALU && (isa_encs[i].uses & ISA_USES_RS3)) {
      ck_assert_msg(strstr(isa_encs[i].pattern, "rs3=rd"), "%s", isa_encs[i].mnemonic);
      seen++;
    }
  ck_assert_uint_gt(seen, 50);
}
END_TEST

Suite *exec_quick_suite(void) {
  Suite *s = suite_create("exec_quick");
  TCase *c = tcase_create("against the bare executors");
  tcase_set_timeout(c, 120);
  tcase_add_test(c, as_in_full);
  tcase_add_test(c, third_operands_are_tied);
  suite_add_tcase(s, c);
  return s;
}
