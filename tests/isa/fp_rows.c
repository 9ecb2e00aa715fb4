// tests/isa/fp_rows.c: every float row does what its mnemonic says: rows run by the test
// interpreter on random operands, results and flags against MPFR. A row whose mnemonic is not
// understood here fails, so none is left out.

#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "fp_operands.h"
#include "interp.h"
#include "isa/fp.h"

Suite *fp_rows_suite(void);

enum { ROUNDS = 400, MODES = 5 };
enum { RD = 33, R1 = 34, R2 = 35, R3 = 36 }; // registers of the operands, with Zfinx without the 32

typedef struct fp_oracle_result res;
typedef const struct fp_oracle_format fmt;

// A mnemonic taken apart: vfadd.r.h is {"add", vector, replicate, {"h"}}.
struct name {
  char op[16];
  bool vector, replicate;
  char part[2][8]; // after the dots, without "r"
  int parts;
};

struct operands {
  uint32_t a, b, c;
  unsigned rm;
};

static struct name take_apart(const char *mnemonic) {
  struct name n = {.vector = mnemonic[0] == 'v'};
  char text[32];
  snprintf(text, sizeof text, "%s", mnemonic + (n.vector ? 2 : 1));
  snprintf(n.op, sizeof n.op, "%s", strtok(text, "."));
  for (char *t = strtok(NULL, "."); t != NULL; t = strtok(NULL, "."))
    if (strcmp(t, "r") == 0)
      n.replicate = true;
    else if (n.parts < 2)
      snprintf(n.part[n.parts++], sizeof n.part[0], "%.7s", t);
  return n;
}

static fmt *format_of(const char *part) {
  return strcmp(part, "s") == 0    ? &oracle_fp32
         : strcmp(part, "h") == 0  ? &oracle_fp16
         : strcmp(part, "ah") == 0 ? &oracle_bf16
                                   : NULL;
}

static int width_of(fmt *f) {
  return 1 + f->exp_bits + f->man_bits;
}
static uint32_t sign_of(fmt *f) {
  return 1u << (width_of(f) - 1);
}
static uint32_t trim(fmt *f, uint32_t a) {
  return a & (sign_of(f) | (sign_of(f) - 1));
}
static uint32_t box(fmt *f, uint32_t a) {
  return width_of(f) == 16 ? a | 0xffff0000 : a;
}

static bool is(const struct name *n, const char *op) {
  return strcmp(n->op, op) == 0;
}

static res arithmetic(const struct name *n, fmt *f, struct operands o, bool *known) {
  uint32_t s = sign_of(f);
  if (is(n, "add"))
    return fp_oracle(ORACLE_ADD, f, o.a, o.b, 0, o.rm);
  if (is(n, "sub"))
    return fp_oracle(ORACLE_ADD, f, o.a, o.b ^ s, 0, o.rm);
  if (is(n, "mul"))
    return fp_oracle(ORACLE_MUL, f, o.a, o.b, 0, o.rm);
  if (is(n, "div"))
    return fp_oracle(ORACLE_DIV, f, o.a, o.b, 0, o.rm);
  if (is(n, "sqrt"))
    return fp_oracle(ORACLE_SQRT, f, o.a, 0, 0, o.rm);
  if (is(n, "avg"))
    return fp_oracle(ORACLE_AVG, f, o.a, o.b, 0, o.rm);
  if (is(n, "madd") || is(n, "mac"))
    return fp_oracle(ORACLE_FMA, f, o.a, o.b, o.c, o.rm);
  if (is(n, "msub") || is(n, "mre"))
    return fp_oracle(ORACLE_FMA, f, o.a, o.b, o.c ^ s, o.rm);
  if (is(n, "nmsub"))
    return fp_oracle(ORACLE_FMA, f, o.a ^ s, o.b, o.c, o.rm);
  if (is(n, "nmadd"))
    return fp_oracle(ORACLE_FMA, f, o.a ^ s, o.b, o.c ^ s, o.rm);
  *known = false;
  return (res){0, 0};
}

static res minmax(const struct name *n, fmt *f, struct operands o) {
  bool nan_a = fp_oracle_is_nan(f, o.a), nan_b = fp_oracle_is_nan(f, o.b);
  bool signals = fp_oracle_is_signalling(f, o.a) || fp_oracle_is_signalling(f, o.b);
  res r = {fp_oracle_nan(f), signals ? FP_NV : 0};
  if (nan_a || nan_b) {
    if (!nan_a || !nan_b)
      r.value = trim(f, nan_a ? o.b : o.a);
    return r;
  }
  int order = fp_oracle_compare(f, o.a, o.b);
  bool a_less = order < 0 || (order == 0 && (o.a & sign_of(f)));
  r.value = trim(f, a_less == is(n, "min") ? o.a : o.b);
  return r;
}

// Comparisons, minimum and maximum, sign injection: one lane.
static res simple(const struct name *n, fmt *f, struct operands o, bool *known) {
  uint32_t s = sign_of(f);
  int order = fp_oracle_compare(f, o.a, o.b);
  bool signals = fp_oracle_is_signalling(f, o.a) || fp_oracle_is_signalling(f, o.b);
  unsigned quiet = signals ? FP_NV : 0, loud = order == 2 ? FP_NV : 0;
  if (is(n, "min") || is(n, "max"))
    return minmax(n, f, o);
  if (is(n, "sgnj"))
    return (res){trim(f, (o.a & ~s) | (o.b & s)), 0};
  if (is(n, "sgnjn"))
    return (res){trim(f, (o.a & ~s) | (~o.b & s)), 0};
  if (is(n, "sgnjx"))
    return (res){trim(f, o.a ^ (o.b & s)), 0};
  if (is(n, "eq"))
    return (res){order == 0, quiet};
  if (is(n, "ne"))
    return (res){order != 0, quiet};
  if (is(n, "lt"))
    return (res){order == -1, loud};
  if (is(n, "le"))
    return (res){order == -1 || order == 0, loud};
  if (is(n, "gt"))
    return (res){order == 1, loud};
  if (is(n, "ge"))
    return (res){order == 1 || order == 0, loud};
  return arithmetic(n, f, o, known);
}

static bool gives_boolean(const struct name *n) {
  return is(n, "eq") || is(n, "ne") || is(n, "lt") || is(n, "le") || is(n, "gt") || is(n, "ge");
}

// Conversion of one lane: parts are destination and source; x, xu: integers as wide as the lane.
static res convert(const struct name *n, struct operands o) {
  fmt *to = format_of(n->part[0]), *from = format_of(n->part[1]);
  const char *integer = to ? n->part[1] : n->part[0];
  bool lane = integer[0] == 'x', is_signed = integer[strlen(integer) - 1] != 'u';
  if (to && from)
    return fp_oracle_convert(from, to, o.a, o.rm);
  if (from)
    return fp_oracle_to_int(from, o.a, lane ? 16 : 32, is_signed, o.rm);
  int64_t value = lane ? (is_signed ? (int16_t)o.a : (int64_t)(o.a & 0xffff))
                       : (is_signed ? (int32_t)o.a : (int64_t)o.a);
  return fp_oracle_from_int(to, value, o.rm);
}

// The bit of fclass: from the order of the encodings of the magnitudes.
static uint32_t class_of(fmt *f, uint32_t a) {
  uint32_t magnitude = trim(f, a) & ~sign_of(f), inf = ((1u << f->exp_bits) - 1) << f->man_bits;
  if (fp_oracle_is_nan(f, a))
    return fp_oracle_is_signalling(f, a) ? 8 : 9;
  uint32_t rank = magnitude == 0 ? 0 : magnitude < 1u << f->man_bits ? 1 : magnitude < inf ? 2 : 3;
  return a & sign_of(f) ? 3 - rank : 4 + rank;
}

static uint32_t class8_of(fmt *f, uint32_t a) {
  static const uint8_t code[] = {0x81, 0x82, 0x84, 0x88, 0x48, 0x44, 0x42, 0x41, 0x50, 0x60};
  return code[class_of(f, a)];
}

// Bit for bit what a unit gives (fp_vectors).
static res expanding_dot(fmt *from, struct operands o) {
  res r = {0, 0};
  r.value = (from == &oracle_fp16 ? fp32_dotp_fp16x2_soft : fp32_dotp_bf16x2_soft)(o.c, o.a, o.b,
                                                                                   o.rm, &r.flags);
  return r;
}

static res widening(const struct name *n, struct operands o) {
  fmt *from = format_of(n->part[1]);
  if (is(n, "dotpex"))
    return expanding_dot(from, o);
  res a = fp_oracle_convert(from, &oracle_fp32, o.a, 0);
  res b = fp_oracle_convert(from, &oracle_fp32, o.b, 0);
  enum fp_oracle_op op = is(n, "macex") ? ORACLE_FMA : ORACLE_MUL;
  res r = fp_oracle(op, &oracle_fp32, a.value, b.value, o.c, o.rm);
  r.flags |= a.flags | b.flags;
  return r;
}

// Instructions on whole registers. Returns false for those that work lane by lane.
static bool whole(const struct name *n, struct operands o, res *r) {
  fmt *f = format_of(n->part[n->parts - 1]), *to = format_of(n->part[0]);
  bool half = f ? width_of(f) == 16 : to && width_of(to) == 16;
  if (is(n, "dotpex") || is(n, "mulex") || is(n, "macex")) {
    *r = widening(n, o);
  } else if (is(n, "dotp")) {
    *r = fp_oracle_dot(f, f, 0, 0, o.a, o.b, o.rm);
    r->value = box(f, r->value);
  } else if (is(n, "cpka")) {
    res lane0 = fp_oracle_convert(f, to, o.a, o.rm), lane1 = fp_oracle_convert(f, to, o.b, o.rm);
    *r = (res){lane0.value | lane1.value << 16, lane0.flags | lane1.flags};
  } else if (is(n, "class")) {
    *r = (res){
        n->vector ? class8_of(f, o.a) | class8_of(f, o.a >> 16) << 8 : 1u << class_of(f, o.a), 0};
  } else if (is(n, "mv") && !n->vector && half) {
    *r = (res){to ? box(to, o.a) : (uint32_t)(int16_t)o.a, 0};
  } else if (is(n, "mv")) {
    *r = (res){o.a, 0};
  } else {
    return false;
  }
  return true;
}

static res lane(const struct name *n, struct operands o, bool *known) {
  if (is(n, "cvt"))
    return convert(n, o);
  fmt *f = format_of(n->part[0]);
  *known = f != NULL;
  return f ? simple(n, f, o, known) : (res){0, 0};
}

static res expected(const struct name *n, struct operands o, bool *known) {
  res r;
  if (n->replicate)
    o.b = (o.b & 0xffff) * 0x10001;
  if (whole(n, o, &r))
    return r;
  r = lane(n, o, known);
  if (n->vector) {
    struct operands high = {o.a >> 16, o.b >> 16, o.c >> 16, o.rm};
    res upper = lane(n, high, known);
    return (res){(r.value & 0xffff) | upper.value << 16, r.flags | upper.flags};
  }
  fmt *to = format_of(n->part[0]);
  if (to && !gives_boolean(n))
    r.value = box(to, r.value);
  return r;
}

// ---- running a row

static uint32_t random_register(const struct name *n, struct fp_random *r) {
  fmt *f = format_of(n->part[n->parts - 1]);
  if (f == NULL || fp_random_word(r) % 16 == 0)
    return fp_random_word(r);
  if (width_of(f) == 32)
    return fp_random_operand(f, r);
  return (fp_random_operand(f, r) & 0xffff) | fp_random_operand(f, r) << 16;
}

static bool may_have_mode(const struct isa_enc_info *e) {
  return strstr(e->pattern, " rm ") != NULL;
}

static void check_once(const struct isa_decoder *dec, int enc, bool zfinx, struct fp_random *r) {
  const struct isa_enc_info *e = &isa_encs[enc];
  struct name n = take_apart(e->mnemonic);
  struct operands o = {random_register(&n, r), random_register(&n, r), 0,
                       fp_random_word(r) % MODES};
  static struct interp m;
  bool dynamic = !may_have_mode(e) || fp_random_word(r) % 2, known = true;
  struct isa_insn insn = {.enc = (uint16_t)enc, .op = e->op, .uses = e->uses, .size = 4}, back;
  int less = zfinx ? 32 : 0;
  insn.rd = (uint8_t)(RD - (e->uses & ISA_RD_FP ? less : 32));
  insn.rs1 = (uint8_t)(R1 - (e->uses & ISA_RS1_FP ? less : 32));
  if (e->uses & ISA_USES_RS2)
    insn.rs2 = (uint8_t)(R2 - less);
  if (e->uses & ISA_USES_RS3)
    insn.rs3 = strstr(e->pattern, "frs3=frd") ? insn.rd : (uint8_t)(R3 - less);
  if (e->uses & ISA_USES_IMM2)
    insn.imm2 = dynamic ? 7 : (uint8_t)o.rm;
  o.c = random_register(&n, r);
  if (strstr(e->mnemonic, "ex.s"))
    o.c = fp_random_operand(&oracle_fp32, r);
  ck_assert_msg(isa_encode(&insn, &insn.word), "%s cannot be encoded", e->mnemonic);
  ck_assert_msg(isa_decode(dec, insn.word, &back) && back.enc == enc, "%s: %08x", e->mnemonic,
                insn.word);
  memset(m.x, 0, sizeof m.x);
  m.fflags = 0;
  m.frm = dynamic ? o.rm : (o.rm + 1) % MODES;
  if (e->uses & ISA_USES_RS3)
    m.x[back.rs3] = o.c;
  if (e->uses & ISA_USES_RS2)
    m.x[back.rs2] = o.b;
  m.x[back.rs1] = o.a;
  interp_step(&m, &back);
  res want = expected(&n, o, &known);
  ck_assert_msg(known, "%s is not understood by this test", e->mnemonic);
  ck_assert_msg(m.x[back.rd] == want.value && m.fflags == want.flags,
                "%s(%08x, %08x, %08x) rm %u: %08x flags %02x, MPFR: %08x flags %02x", e->mnemonic,
                o.a, o.b, o.c, o.rm, m.x[back.rd], m.fflags, want.value, want.flags);
}

static bool is_float_row(const struct isa_enc_info *e) {
  bool memory = isa_ops[e->op].cls == ISA_CLASS_FP_LOAD || isa_ops[e->op].cls == ISA_CLASS_FP_STORE;
  return !memory && (e->set == ISA_RV32F || e->set == ISA_XF16 || e->set == ISA_XF16ALT ||
                     e->set == ISA_XFVEC);
}

static int check_rows(bool zfinx) {
  uint32_t sets = ISA_BIT(ISA_RV32I) | ISA_BIT(ISA_RV32F) | ISA_BIT(ISA_XF16) |
                  ISA_BIT(ISA_XF16ALT) | ISA_BIT(ISA_XFVEC);
  struct isa_decoder *dec = isa_decoder_new(sets, zfinx);
  struct fp_random r = {0x9e3779b97f4a7c15};
  int count = 0;
  for (size_t enc = 0; enc < isa_enc_count; enc++) {
    const struct isa_enc_info *e = &isa_encs[enc];
    if (!is_float_row(e) || (zfinx && strstr(e->pattern, "!zfinx")))
      continue;
    for (int i = 0; i < ROUNDS; i++)
      check_once(dec, (int)enc, zfinx, &r);
    count++;
  }
  isa_decoder_free(dec);
  return count;
}

START_TEST(with_float_registers) {
  ck_assert_int_ge(check_rows(false), 180);
}
END_TEST

START_TEST(in_integer_registers) {
  ck_assert_int_ge(check_rows(true), 170);
}
END_TEST

// flh boxes, fsh stores the lower half; flah and fsah are the same words.
START_TEST(half_memory) {
  uint8_t memory[8] = {0x11, 0x22, 0x33, 0x84, 0x55, 0x66, 0x77, 0x88};
  struct interp m = {.memory = memory, .size = sizeof memory};
  struct isa_decoder *dec = isa_decoder_new(ISA_BIT(ISA_RV32I) | ISA_BIT(ISA_XF16), false);
  struct isa_insn insn;
  ck_assert(isa_decode(dec, 0x00209507, &insn)); // flh fa0, 2(ra)
  interp_step(&m, &insn);
  ck_assert_uint_eq(m.x[42], 0xffff8433);
  ck_assert(isa_decode(dec, 0x00a09227, &insn)); // fsh fa0, 4(ra)
  m.x[42] = 0x12345678;
  interp_step(&m, &insn);
  ck_assert_mem_eq(memory, ((uint8_t[]){0x11, 0x22, 0x33, 0x84, 0x78, 0x56, 0x77, 0x88}), 8);
  isa_decoder_free(dec);
}
END_TEST

Suite *fp_rows_suite(void) {
  Suite *s = suite_create("fp_rows");
  TCase *c = tcase_create("against MPFR");
  tcase_set_timeout(c, 120);
  tcase_add_test(c, with_float_registers);
  tcase_add_test(c, in_integer_registers);
  tcase_add_test(c, half_memory);
  suite_add_tcase(s, c);
  return s;
}
