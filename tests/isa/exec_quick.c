// tests/isa/exec_quick.c: quick executors against the bare ones, on random and on edge operands:
// the same registers and the same exceptions, whether these were settled or not.

#include <check.h>
#include <string.h>

#include "core/exec.h"
#include "core/exec_quick_table.h"
#include "fp_operands.h"
#include "isa/fp.h"

Suite *exec_quick_suite(void);

enum { RANDOM = 1000 };

static void stop(struct core *c, const struct uop *u, cycle_t t, uint32_t given) {
  (void)given;
  c->at = u;
  c->t = t;
}

enum { MOST = 4 }; // in a row

static void run(struct core *c, const struct uop *u, unsigned length, uop_exec *executor) {
  c->phase = CORE_RUN;
  executor(c, u, 100, 0);
  while (!EXEC_TAIL_CALLS && c->at < u + length)
    c->at->exec(c, c->at, c->t, 0);
  ck_assert_ptr_eq(c->at, u + length);
  ck_assert_uint_eq(c->t, 100);
}

// Second operands: the result in front; one register for all; that, and the second writes it.
enum shape { CHAIN, COLUMN, WRITTEN, SHAPES };

// `length` times operation `op` on registers 1 to 3, results to 4 on or, where a row takes its
// third operand from there, to 3.
static void set_up(struct uop u[MOST + 1], unsigned length, unsigned op, enum shape shape) {
  bool ties = isa_ops[op].cls == ISA_CLASS_ALU;
  memset(u, 0, (MOST + 1) * sizeof *u);
  for (unsigned i = 0; i < length; i++)
    u[i] = (struct uop){.exec = exec_in_full,
                        .op = (uint16_t)op,
                        .imm = 5,
                        .imm2 = FP_DYN,
                        .cost = 1,
                        .lead = (uint8_t)(i + 1),
                        .rs1 = 1,
                        .rs2 = (uint8_t)(shape != CHAIN || ties || !i ? 2 : 3 + i),
                        .rs3 = 3,
                        .rs1_out = 1,
                        .rd = (uint8_t)(shape == WRITTEN && i == 1 ? 2
                                        : ties                     ? 3
                                                                   : 4 + i)};
  u[length].exec = stop;
}

static void compare(const struct uop *u, unsigned length, uop_exec *quick, const uint32_t x[3],
                    bool settled) {
  static struct core a, b;
  memset(&a, 0, sizeof a);
  memcpy(a.r + 1, x, 3 * sizeof *x);
  a.csr.fflags = settled ? FP_NX : 0;
  a.csr.settled = settled;
  b = a;
  run(&a, u, length, quick);
  run(&b, u, length, exec_in_full);
  ck_assert_msg(memcmp(a.r, b.r, sizeof a.r) == 0 && a.csr.fflags == b.csr.fflags,
                "%u x %s(%08x, %08x, %08x): %08x flags %02x, in full %08x flags %02x", length,
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

// What any host does and what this one does with `length` in a row; NULL: not at once.
static void find_ways(unsigned op, unsigned length, enum shape shape, const struct uop *u,
                      uop_exec *ways[2]) {
  const struct quick *q = &quick_table[op];
  struct uop chosen[MOST + 1];
  memcpy(chosen, u, sizeof chosen);
  ways[0] = length == 1 ? q->one : length == 2 ? q->two : shape == COLUMN ? q->column : q->four;
  ways[1] = exec_choose_quick(chosen, length) == length ? chosen[0].exec : NULL;
}

// Returns whether there is anything to compare.
static bool compare_all(unsigned op, unsigned length, enum shape shape, struct fp_random *r) {
  struct uop u[MOST + 1];
  uop_exec *ways[2];
  set_up(u, length, op, shape);
  find_ways(op, length, shape, u, ways);
  if (!ways[0])
    return false;
  for (unsigned i = 0; i < 2 * RANDOM; i++) {
    uint32_t x[] = {operand(r), operand(r), operand(r)};
    unsigned flags = 0;
    if (i % 8 == 0) // close to the negated product
      x[2] = (fp32_mul_soft(x[0], x[1], FP_RTZ, &flags) ^ FP32_SIGN) + fp_random_word(r) % 4;
    if (ways[i % 2])
      compare(u, length, ways[i % 2], x, i % 16 > 1);
  }
  return true;
}

START_TEST(as_in_full) {
  struct fp_random r = {0x9e3779b97f4a7c15};
  unsigned compared[MOST + 1] = {0};
  for (unsigned op = 0; op < ISA_OP_COUNT; op++)
    for (unsigned length = 1; length <= MOST; length *= 2)
      compared[length] += compare_all(op, length, _i, &r);
  ck_assert_uint_gt(compared[1], 50);
  ck_assert_uint_gt(compared[2], 50);
  ck_assert_uint_eq(compared[2], compared[4]);
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

// ---- operands from the instruction in front

enum { REGISTER = 5 };

// addi x5, x1, 7, and `op` with that as its first or second operand, or both.
static void set_up_behind(struct uop u[3], unsigned op, unsigned choice, bool alias) {
  memset(u, 0, 3 * sizeof *u);
  u[0] = (struct uop){.op = ISA_OP_addi, .imm = 7, .rs1 = 1, .rd = REGISTER, .cost = 1};
  u[1] = (struct uop){.op = (uint16_t)op,
                      .imm = 1,
                      .imm2 = 1,
                      .rs1 = choice & 1 ? REGISTER : 2,
                      .rs2 = choice & 2 ? REGISTER : 3,
                      .rs3 = alias ? REGISTER : 4,
                      .rd = alias ? REGISTER : 4,
                      .cost = 1,
                      .place = 1};
  u[2].exec = stop;
  u[0].exec = exec_function(&u[0], false);
}

// Returns whether the operand is taken from there.
static bool compare_behind(unsigned op, unsigned choice, bool alias, struct fp_random *r) {
  static struct core a, b;
  struct uop u[3];
  set_up_behind(u, op, choice, alias);
  uop_exec *chosen = exec_function(&u[1], false);
  for (unsigned i = 0; i < 20; i++) {
    memset(&a, 0, sizeof a);
    for (unsigned n = 1; n < 6; n++)
      a.r[n] = fp_random_word(r);
    b = a;
    u[1].exec = chosen;
    run(&a, u, 2, u[0].exec);
    u[1].exec = exec_in_full;
    run(&b, u, 2, u[0].exec);
    ck_assert_msg(memcmp(a.r, b.r, sizeof a.r) == 0, "%s, choice %u: %08x, in full %08x",
                  isa_ops[op].name, choice, a.r[u[1].rd], b.r[u[1].rd]);
  }
  u[1].place = 0; // in another block
  return chosen != exec_function(&u[1], false);
}

START_TEST(operands_come_from_the_instruction_in_front) {
  struct fp_random r = {0x9e3779b97f4a7c15};
  unsigned taken = 0;
  for (unsigned op = 0; op < ISA_OP_COUNT; op++)
    for (unsigned choice = 0; choice < 8 && isa_ops[op].cls == ISA_CLASS_ALU; choice++)
      taken += compare_behind(op, choice & 3, choice & 4, &r);
  if (EXEC_TAIL_CALLS)
    ck_assert_uint_gt(taken, 600);
}
END_TEST

Suite *exec_quick_suite(void) {
  Suite *s = suite_create("exec_quick");
  TCase *c = tcase_create("against the bare executors");
  tcase_set_timeout(c, 120);
  tcase_add_loop_test(c, as_in_full, 0, SHAPES);
  tcase_add_test(c, third_operands_are_tied);
  tcase_add_test(c, operands_come_from_the_instruction_in_front);
  suite_add_tcase(s, c);
  return s;
}
