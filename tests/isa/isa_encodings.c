// tests/isa/isa_encodings.c: what must hold of every row, whatever it does.
//
//  - Enabled rows do not overlap; where a pattern that ignores bits meets one that fixes them,
//    the latter is meant, and nothing else decides.
//  - A decoded word is encoded to a word that decodes to the same.
//  - A body reads and writes the registers that its encoding declares, and no others.
//  - What CV32E40P traps on does not decode.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interp.h"
#include "isa/tables.h"
#include "reference.h"
#include "tests/often.h"

Suite *isa_encodings_suite(void);

#define BASE                                                                                       \
  (ISA_BIT(ISA_RV32I) | ISA_BIT(ISA_RV32M) | ISA_BIT(ISA_RV32C) | ISA_BIT(ISA_RV32F) |             \
   ISA_BIT(ISA_RV32CF) | ISA_BIT(ISA_ZICSR) | ISA_BIT(ISA_ZIFENCEI) | ISA_BIT(ISA_PRIV))
#define SMALL_FLOATS (ISA_BIT(ISA_XF16) | ISA_BIT(ISA_XF16ALT) | ISA_BIT(ISA_XFVEC))

static const struct combination {
  const char *name;
  uint32_t sets;
  bool zfinx;
} combinations[] = {
    {"RV32IMFC", BASE, false},
    {"CORE-V", BASE | ISA_BIT(ISA_COREV), false},
    {"CORE-V, Zfinx", BASE | ISA_BIT(ISA_COREV), true},
    {"XpulpV2", BASE | ISA_BIT(ISA_XPULPV2), false},
    {"XpulpV2, small floats", BASE | ISA_BIT(ISA_XPULPV2) | SMALL_FLOATS, false},
    {"XpulpV2, small floats, Zfinx", BASE | ISA_BIT(ISA_XPULPV2) | SMALL_FLOATS, true},
    {"XpulpV2, XpulpNN", BASE | ISA_BIT(ISA_XPULPV2) | ISA_BIT(ISA_XPULPNN), false},
    {"all of XpulpV2", BASE | ISA_BIT(ISA_XPULPV2) | ISA_BIT(ISA_XPULPNN) | SMALL_FLOATS, false},
    {"CORE-V, small floats", BASE | ISA_BIT(ISA_COREV) | SMALL_FLOATS, false},
};
enum { COMBINATIONS = sizeof combinations / sizeof combinations[0] };

static uint32_t random_state = 1;

static uint32_t random_word(void) { // xorshift32
  random_state ^= random_state << 13;
  random_state ^= random_state >> 17;
  random_state ^= random_state << 5;
  return random_state;
}

static bool enabled(const struct isa_enc_info *e, const struct combination *c) {
  return (c->sets & ISA_BIT(e->set)) != 0 && !e->alias && !(c->zfinx && e->no_zfinx);
}

// A decoder that knows the base sets and those of `e`, and for an alias those of its row, but
// not CORE-V beside XpulpV2.
static struct isa_decoder *decoder_for(const struct isa_enc_info *e) {
  uint32_t sets = BASE | ISA_BIT(e->set);
  for (size_t i = 0; i < isa_enc_count; i++)
    if (e->alias && isa_encs[i].op == e->op && isa_encs[i].set != ISA_COREV)
      sets |= ISA_BIT(isa_encs[i].set);
  return isa_decoder_new(sets, false);
}

// ---- overlaps

// `a` is meant where both match: it fixes every bit that `b` fixes, and more.
static bool more_specific(const struct isa_enc_info *a, const struct isa_enc_info *b) {
  return (a->mask & b->mask) == b->mask && a->mask != b->mask;
}

// Meant to overlap: names for special cases of a row, and XpulpNN in what RI5CY ignores.
static bool meant(const struct isa_enc_info *a, const struct isa_enc_info *b) {
  if (!more_specific(a, b) && !more_specific(b, a))
    return false;
  bool nn = (a->set == ISA_XPULPNN && b->set == ISA_XPULPV2) ||
            (b->set == ISA_XPULPNN && a->set == ISA_XPULPV2);
  return a->op == b->op || nn;
}

static bool accepts(size_t e, uint32_t word) {
  int32_t value[SLOT_COUNT];
  return ((word ^ isa_encs[e].match) & isa_encs[e].mask) == 0 &&
         isa_take_apart((uint32_t)e, word, value);
}

// Constraints (rd!=0, rounding modes) may part two patterns that share words: decided by
// trying, for they concern few bits.
static void check_pair(const struct combination *c, size_t a, size_t b) {
  const struct isa_enc_info *x = &isa_encs[a], *y = &isa_encs[b];
  if (x->size != y->size || ((x->match ^ y->match) & x->mask & y->mask) != 0 || meant(x, y))
    return;
  for (int i = 0; i < 200; i++) {
    uint32_t fixed = x->mask | y->mask;
    uint32_t word = (x->match | y->match) | (random_word() & ~fixed);
    if (x->size == 2)
      word &= 0xffff;
    check_often(!(accepts(a, word) && accepts(b, word)), "%s: %08x is %s and %s", c->name, word,
                x->mnemonic, y->mnemonic);
  }
}

START_TEST(no_overlap) {
  const struct combination *c = &combinations[_i];
  for (size_t a = 0; a < isa_enc_count; a++)
    for (size_t b = a + 1; b < isa_enc_count; b++)
      if (enabled(&isa_encs[a], c) && enabled(&isa_encs[b], c))
        check_pair(c, a, b);
}
END_TEST

// ---- round trips

static bool same_operands(const struct isa_insn *a, const struct isa_insn *b) {
  return a->op == b->op && a->imm == b->imm && a->rd == b->rd && a->rs1 == b->rs1 &&
         a->rs2 == b->rs2 && a->rs3 == b->rs3 && a->imm2 == b->imm2;
}

START_TEST(round_trip) {
  for (size_t e = 0; e < isa_enc_count; e++) {
    const struct isa_enc_info *info = &isa_encs[e];
    struct isa_decoder *dec = decoder_for(info);
    int tried = 0;
    for (int i = 0; i < 100; i++) {
      uint32_t word = info->match | (random_word() & ~info->mask), back;
      struct isa_insn first, second;
      if (info->size == 2)
        word &= 0xffff;
      if (!isa_decode(dec, word, &first) || first.op != info->op)
        continue; // a constraint
      tried++;
      check_often(isa_encode(&first, &back), "%s: %08x is not encoded", info->mnemonic, word);
      check_often(isa_decode(dec, back, &second), "%s: %08x", info->mnemonic, back);
      check_often(same_operands(&first, &second) && first.enc == second.enc, "%s: %08x, %08x",
                  info->mnemonic, word, back);
      if (first.enc == e)
        check_often(((word ^ back) & info->mask) == 0, "%s: %08x, %08x", info->mnemonic, word,
                    back);
    }
    ck_assert_msg(tried > 0, "no word of %s decodes", info->mnemonic);
    isa_decoder_free(dec);
  }
}
END_TEST

// An operand that does not fit is refused, not cut.
START_TEST(out_of_range) {
  static const struct {
    const char *mnemonic;
    struct isa_insn insn;
  } cases[] = {
      {"addi", {.rd = 1, .rs1 = 2, .imm = 2048}},
      {"addi", {.rd = 1, .rs1 = 2, .imm = -2049}},
      {"slli", {.rd = 1, .rs1 = 2, .imm = 32}},
      {"lui", {.rd = 1, .imm = 0x12345001}},
      {"beq", {.rs1 = 1, .rs2 = 2, .imm = 3}},
      {"beq", {.rs1 = 1, .rs2 = 2, .imm = 4096}},
      {"add", {.rd = 33, .rs1 = 1, .rs2 = 2}},
      {"add", {.rd = 64, .rs1 = 1, .rs2 = 2}},
      {"c.lw", {.rd = 7, .rs1 = 8}},
      {"c.lw", {.rd = 8, .rs1 = 8, .imm = 2}},
      {"c.lwsp", {.rd = 0, .rs1 = 2}},
      {"c.lwsp", {.rd = 1, .rs1 = 3}},
      {"c.add", {.rd = 1, .rs1 = 2, .rs2 = 3}},
      {"c.addi16sp", {.rd = 2, .rs1 = 2, .imm = 8}},
      {"pv.sdotsp.b", {.rd = 1, .rs1 = 2, .rs2 = 3, .rs3 = 4}},
      {"pv.add.sci.h", {.rd = 1, .rs1 = 2, .imm = 32}},
      {"cv.srl.sci.b", {.rd = 1, .rs1 = 2, .imm = 8}},
      {"lp.setup", {.rd = 2, .rs1 = 2, .imm = 8}},
      {"lp.setup", {.rd = 1, .rs1 = 2, .imm = 7}},
      {"cv.setup", {.rd = 1, .rs1 = 2, .imm = 6}},
      {"fadd.s", {.rd = 33, .imm2 = 5}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct isa_insn insn = cases[i].insn;
    uint32_t word = 0xdeadbeef;
    int enc = isa_find(cases[i].mnemonic, 0);
    ck_assert(enc >= 0);
    insn.enc = (uint16_t)enc;
    ck_assert_msg(!isa_encode(&insn, &word) && word == 0xdeadbeef, "%s, case %zu",
                  cases[i].mnemonic, i);
  }
}
END_TEST

// ---- registers

enum { MEMORY = 1 << 16 };
static uint8_t memory[MEMORY];

static bool accesses_memory(const struct isa_insn *insn) {
  switch (isa_ops[insn->op].cls) {
  case ISA_CLASS_LOAD:
  case ISA_CLASS_STORE:
  case ISA_CLASS_ELW:
  case ISA_CLASS_MACLOAD:
  case ISA_CLASS_FP_LOAD:
  case ISA_CLASS_FP_STORE:
    return true;
  default:
    return false;
  }
}

static void prepare(struct interp *m, const struct isa_insn *insn) {
  memset(m, 0, sizeof *m);
  m->memory = memory;
  m->size = MEMORY;
  m->pc = 0x1000;
  for (int i = 1; i < 64; i++)
    m->x[i] = random_word();
  for (int i = 0; i < 6; i++)
    m->nn[i] = random_word();
  if (!accesses_memory(insn))
    return;
  // Addresses are rs1, or the sum of rs1 and an operand: both well inside.
  for (int i = 1; i < 32; i++)
    m->x[i] = 0x4000 + (m->x[i] & 0x1fff);
  m->x[0] = 0;
}

static bool reads(const struct isa_insn *insn, int reg) {
  return ((insn->uses & ISA_USES_RS1) && insn->rs1 == reg) ||
         ((insn->uses & ISA_USES_RS2) && insn->rs2 == reg) ||
         ((insn->uses & ISA_USES_RS3) && insn->rs3 == reg);
}

static bool writes(const struct isa_insn *insn, int reg) {
  return ((insn->uses & ISA_USES_RD) && insn->rd == reg) ||
         ((insn->uses & ISA_WRITES_RS1) && insn->rs1 == reg);
}

static void check_registers(const struct isa_insn *insn, const char *name) {
  static struct interp before, after, other;
  prepare(&before, insn);
  after = before;
  interp_step(&after, insn);
  for (int i = 0; i < 64; i++)
    check_often(before.x[i] == after.x[i] || writes(insn, i), "%s %08x writes register %d", name,
                insn->word, i);
  if (after.event == INTERP_ILLEGAL)
    return; // decoded, but not executed
  // The same with everything that is not read changed: nothing that is written may change.
  other = before;
  for (int i = 1; i < 64; i++)
    if (!reads(insn, i))
      other.x[i] = random_word();
  interp_step(&other, insn);
  for (int i = 1; i < 64; i++)
    if (writes(insn, i))
      check_often(other.x[i] == after.x[i], "%s %08x reads a register it does not declare", name,
                  insn->word);
  check_often(other.pc == after.pc, "%s %08x: its pc", name, insn->word);
}

START_TEST(registers) {
  for (size_t e = 0; e < isa_enc_count; e++) {
    const struct isa_enc_info *info = &isa_encs[e];
    struct isa_decoder *dec = decoder_for(info);
    int tried = 0;
    for (int i = 0; i < 60; i++) {
      uint32_t word = info->match | (random_word() & ~info->mask);
      struct isa_insn insn;
      if (!isa_decode(dec, info->size == 2 ? word & 0xffff : word, &insn) || insn.op != info->op)
        continue;
      if (accesses_memory(&insn) && insn.rs1 == 0)
        continue; // no address
      check_registers(&insn, info->mnemonic);
      tried++;
    }
    ck_assert_msg(tried > 0, "%s was not executed", info->mnemonic);
    isa_decoder_free(dec);
  }
}
END_TEST

// ---- illegal words

START_TEST(illegal) {
  static const char *const names[] = {"asm", "encoding"};
  struct isa_decoder *dec = isa_decoder_new(BASE | ISA_BIT(ISA_COREV), false);
  struct reference r;
  int count = 0;
  reference_open(&r, "tests/data/isa/illegal-encodings.tsv.gz", names, 2);
  for (; reference_next(&r); count++) {
    struct isa_insn insn;
    uint32_t word = (uint32_t)strtoul(r.field[1], NULL, 16);
    ck_assert_msg(!isa_decode(dec, word, &insn), "%s %s decodes", r.field[0], r.field[1]);
  }
  ck_assert_int_ge(count, 137);
  reference_close(&r);
  isa_decoder_free(dec);
}
END_TEST

// Words that the manuals define as illegal or leave reserved.
START_TEST(reserved) {
  static const uint32_t words[] = {
      0x0000,            // all zero
      0x4002,            // c.lwsp to x0
      0x8002,            // c.jr x0
      0x6081 & ~0x107cu, // c.lui with immediate 0
      0x6101,            // c.addi16sp with 0
      0x1082,            // c.slli with a shift of 32
      0x9001,            // c.srli with a shift of 32
      0x9c01,            // c.subw
      0xffffffff,
      0x02005013 /* srli by 32 */,
      0x00003003 /* ld */,
      0x00003023 /* sd */,
      0x0000002f /* amo */,
      0x00005053 /* fadd.s with rounding mode 5 */,
  };
  struct isa_decoder *dec = isa_decoder_new(BASE, false);
  struct isa_insn insn;
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    ck_assert_msg(!isa_decode(dec, words[i], &insn), "%08x decodes", words[i]);
  isa_decoder_free(dec);
}
END_TEST

Suite *isa_encodings_suite(void) {
  Suite *s = suite_create("isa_encodings");
  TCase *c = tcase_create("rows");
  tcase_set_timeout(c, 60);
  tcase_add_loop_test(c, no_overlap, 0, COMBINATIONS);
  tcase_add_test(c, round_trip);
  tcase_add_test(c, out_of_range);
  tcase_add_test(c, registers);
  tcase_add_test(c, illegal);
  tcase_add_test(c, reserved);
  suite_add_tcase(s, c);
  return s;
}
