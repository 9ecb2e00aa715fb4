// tests/isa/isa_macros.c: the generated assembler macros and C intrinsics give the words that
// the encoder gives, through the stock RISC-V toolchains. Skipped where one is missing.
#include <check.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "isa/isa.h"

Suite *isa_macros_suite(void);

enum { SAMPLES = 4, PATH = 512, WORDS = 1 << 14 };

static const struct {
  const char *name, *probe, *command;
} toolchains[] = {
    {"gcc", "riscv64-unknown-elf-gcc", "riscv64-unknown-elf-gcc -march=rv32imfc -mabi=ilp32f"},
    {"clang", "clang-19",
     "clang-19 --target=riscv32 -march=rv32imfc -mabi=ilp32f -mno-relax -Wno-unused-value"},
};

static uint32_t random_state = 7;

static uint32_t random_word(void) { // xorshift32
  random_state ^= random_state << 13;
  random_state ^= random_state >> 17;
  random_state ^= random_state << 5;
  return random_state;
}

// ---- running the tools

static char directory[] = "/tmp/isa_macros.XXXXXX";
static char gen[PATH]; // directory of the generated headers: beside the test program's

static bool present(const char *program) {
  char command[PATH];
  snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", program);
  return system(command) == 0 && system("command -v riscv64-unknown-elf-objcopy >/dev/null") == 0;
}

static void set_up(void) {
  char self[PATH];
  ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  ck_assert(n > 0);
  self[n] = '\0';
  const char *given = getenv("PULPSIM_GEN");
  snprintf(gen, sizeof gen, "%s/../gen", dirname(self));
  if (given != NULL)
    snprintf(gen, sizeof gen, "%s", given);
  strcpy(strrchr(directory, '.'), ".XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(directory));
}

static void tear_down(void) {
  char command[PATH];
  snprintf(command, sizeof command, "rm -rf %s", directory);
  ck_assert_int_eq(system(command), 0);
}

static FILE *create(const char *name) {
  char path[PATH];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  FILE *f = fopen(path, "w");
  ck_assert_ptr_nonnull(f);
  return f;
}

// Compiles `name` with `options` and reads the text section into `words`. Returns its size.
static size_t compile(int tool, const char *name, const char *options, uint16_t words[WORDS]) {
  char command[4 * PATH], path[PATH];
  snprintf(command, sizeof command,
           "cd %s && %s %s -I%s -c -o out.o %s && "
           "riscv64-unknown-elf-objcopy -O binary -j .text out.o out.bin",
           directory, toolchains[tool].command, options, gen, name);
  ck_assert_msg(system(command) == 0, "%s: %s", toolchains[tool].name, command);
  snprintf(path, sizeof path, "%s/out.bin", directory);
  FILE *f = fopen(path, "rb");
  ck_assert_ptr_nonnull(f);
  size_t count = fread(words, 2, WORDS, f);
  fclose(f);
  return count;
}

// ---- what to write

static bool in_macros(const struct isa_enc_info *e, enum isa_set dialect) {
  if (e->alias || e->size != 4)
    return false;
  return e->set == dialect || (e->set >= ISA_XF16 && e->set <= ISA_XPULPNN);
}

// The first encoding of an operation in `set`; -1 if there is none. The macros are made of it.
static int first_encoding(unsigned op, enum isa_set set) {
  for (size_t i = 0; i < isa_enc_count; i++)
    if (isa_encs[i].op == op && isa_encs[i].set == set && !isa_encs[i].alias)
      return (int)i;
  return -1;
}

static bool made_into_a_macro(size_t enc, enum isa_set dialect) {
  const struct isa_enc_info *e = &isa_encs[enc];
  return in_macros(e, dialect) && first_encoding(e->op, e->set) == (int)enc;
}

static struct isa_decoder *decoder(enum isa_set dialect) {
  uint32_t sets = ISA_BIT(ISA_RV32I) | ISA_BIT(ISA_RV32M) | ISA_BIT(ISA_RV32C) |
                  ISA_BIT(ISA_RV32F) | ISA_BIT(dialect);
  for (int set = ISA_XF16; set <= ISA_XPULPNN; set++)
    sets |= ISA_BIT(set);
  return isa_decoder_new(sets, false);
}

// An instruction of this encoding with random operands; a rounding mode is the dynamic one.
static bool random_insn(const struct isa_decoder *dec, size_t enc, struct isa_insn *insn) {
  const struct isa_enc_info *e = &isa_encs[enc];
  for (int i = 0; i < 200; i++) {
    uint32_t word = e->match | (random_word() & ~e->mask);
    if (strstr(e->pattern, " rm ") != NULL)
      word |= 7 << 12;
    if (isa_decode(dec, word, insn) && insn->enc == enc && isa_encode(insn, &word)) {
      insn->word = word;
      return true;
    }
  }
  return false;
}

// The operands as the macro takes them: those of the disassembly in XpulpV2, if there is such a
// form, with a base in front of its offset.
static void macro_operands(const struct isa_insn *insn, char *out, size_t size) {
  struct isa_insn named = *insn;
  int xpulp = first_encoding(insn->op, ISA_XPULPV2);
  if (xpulp >= 0)
    named.enc = (uint16_t)xpulp;
  char text[64], operand[6][16];
  isa_disassemble(&named, 0, text, sizeof text);
  int count = 0;
  for (const char *c = text + strcspn(text, " "); *c != '\0' && count < 6;) {
    size_t gap = strspn(c, " ,()!"), n = strcspn(c + gap, " ,()!");
    bool base = memchr(c, '(', gap) != NULL && memchr(c, ',', gap) == NULL;
    if (n == 0)
      break;
    snprintf(operand[count++], 16, "%.*s", (int)n, c + gap);
    if (base) {
      char swap[16];
      memcpy(swap, operand[count - 1], 16);
      memcpy(operand[count - 1], operand[count - 2], 16);
      memcpy(operand[count - 2], swap, 16);
    }
    c += gap + n;
  }
  out[0] = '\0';
  for (int i = 0; i < count; i++)
    snprintf(out + strlen(out), size - strlen(out), "%s %s", i ? "," : "", operand[i]);
}

// ---- assembler

static size_t write_assembler(FILE *f, enum isa_set dialect, uint32_t expected[WORDS]) {
  struct isa_decoder *dec = decoder(dialect);
  size_t count = 0;
  fputs("#include \"xpulp.S.h\"\n", f);
  for (size_t e = 0; e < isa_enc_count; e++) {
    unsigned cls = isa_ops[isa_encs[e].op].cls;
    if (!made_into_a_macro(e, dialect) || cls == ISA_CLASS_HWLOOP || cls == ISA_CLASS_BRANCH)
      continue;
    for (int i = 0; i < SAMPLES; i++) {
      struct isa_insn insn;
      char operands[96];
      ck_assert_msg(random_insn(dec, e, &insn), "%s", isa_encs[e].mnemonic);
      macro_operands(&insn, operands, sizeof operands);
      fprintf(f, "%s %s\n", isa_ops[insn.op].name, operands);
      expected[count++] = insn.word;
    }
  }
  isa_decoder_free(dec);
  return count;
}

static const enum isa_set dialects[] = {ISA_XPULPV2, ISA_COREV};

START_TEST(assembler) {
  static uint32_t expected[WORDS];
  static uint16_t words[WORDS];
  int tool = _i / 2;
  enum isa_set dialect = dialects[_i % 2];
  if (!present(toolchains[tool].probe))
    return;
  FILE *f = create("all.S");
  size_t count = write_assembler(f, dialect, expected);
  fclose(f);
  ck_assert_uint_gt(count, 1500);
  size_t halves = compile(tool, "all.S", dialect == ISA_COREV ? "-DXPULP_COREV" : "", words);
  ck_assert_uint_ge(halves, 2 * count);
  struct isa_decoder *dec = decoder(dialect);
  for (size_t i = 0; i < count; i++) {
    uint32_t word = words[2 * i] | (uint32_t)words[2 * i + 1] << 16;
    struct isa_insn insn;
    ck_assert(isa_decode(dec, expected[i], &insn));
    ck_assert_msg(word == expected[i], "%s: macro %08x, encoder %08x", isa_encs[insn.enc].mnemonic,
                  word, expected[i]);
  }
  isa_decoder_free(dec);
}
END_TEST

// Hardware loops and branches: operands that are labels. The end of a loop is written as the
// label behind its last instruction, in either dialect.
static const char loops[] = "#include \"xpulp.S.h\"\n"
                            ".option norvc\n"
                            "0: lp_setup 0, a5, 1f\n" // 0: body 4..12
                            "add a0, a0, a1\n"
                            "p_beqimm a0, -3, 0b\n"     // 8
                            "1: lp_setupi 1, 100, 2f\n" // 12: body 16..20
                            "nop\n"
                            "2: lp_starti 0, 3f\n" // 20
                            "lp_endi 0, 4f\n"      // 24
                            "lp_counti 1, 4095\n"  // 28
                            "lp_count 0, t6\n"     // 32
                            "3: nop\n"             // 36
                            "nop\n"
                            "4: nop\n"; // 44

static const struct {
  unsigned offset;
  const char *xpulp, *corev;
} loop_texts[] = {
    {0, "lp.setup x0,a5,8", "cv.setup 0,a5,c"},
    {8, "p.beqimm a0,-3,0", "cv.beqimm a0,-3,0"},
    {12, "lp.setupi x1,100,10", "cv.setupi 1,100,14"},
    {20, "lp.starti x0,24", "cv.starti 0,24"},
    {24, "lp.endi x0,28", "cv.endi 0,2c"},
    {28, "lp.counti x1,4095", "cv.counti 1,4095"},
    {32, "lp.count x0,t6", "cv.count 0,t6"},
};

START_TEST(labels) {
  static uint16_t words[WORDS];
  int tool = _i / 2;
  enum isa_set dialect = dialects[_i % 2];
  if (!present(toolchains[tool].probe))
    return;
  FILE *f = create("loops.S");
  fputs(loops, f);
  fclose(f);
  compile(tool, "loops.S", dialect == ISA_COREV ? "-DXPULP_COREV" : "", words);
  struct isa_decoder *dec = decoder(dialect);
  for (size_t i = 0; i < sizeof loop_texts / sizeof loop_texts[0]; i++) {
    unsigned at = loop_texts[i].offset;
    struct isa_insn insn;
    char text[64];
    ck_assert(isa_decode(dec, words[at / 2] | (uint32_t)words[at / 2 + 1] << 16, &insn));
    isa_disassemble(&insn, at, text, sizeof text);
    ck_assert_str_eq(text, dialect == ISA_COREV ? loop_texts[i].corev : loop_texts[i].xpulp);
  }
  isa_decoder_free(dec);
}
END_TEST

// Whether the assembler takes one line.
static bool assembles(const char *line) {
  FILE *f = create("line.S");
  fprintf(f, "#include \"xpulp.S.h\"\n%s\n", line);
  fclose(f);
  char command[3 * PATH];
  snprintf(command, sizeof command, "cd %s && %s -I%s -c line.S >/dev/null 2>&1", directory,
           toolchains[0].command, gen);
  return system(command) == 0;
}

// An immediate that does not fit is an error, not another number.
START_TEST(out_of_range) {
  static const char *const lines[][2] = {
      {"p_lw_post a0, a1, 2047", "p_lw_post a0, a1, 2048"},
      {"pv_add_sci_h a0, a1, -32", "pv_add_sci_h a0, a1, 32"},
      {"p_clip a0, a1, 31", "p_clip a0, a1, 32"},
      {"pv_extract_b a0, a1, 3", "pv_extract_b a0, a1, 4"},
      {"p_beqimm a0, 15, .", "p_beqimm a0, 16, ."},
      {"lp_counti 0, 4095", "lp_counti 0, 4096"},
      {"lp_setupi 0, 9, 1f; .space 62; 1:", "lp_setupi 0, 9, 1f; .space 64; 1:"},
      {"lp_setup 0, a0, 1f; .space 8190; 1:", "lp_setup 0, a0, 1f; .space 8192; 1:"},
      {"lp_setup 0, a0, 1f; nop; 1:", "1: nop; lp_setup 0, a0, 1b"}};
  if (!present(toolchains[0].probe))
    return;
  for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
    ck_assert_msg(assembles(lines[i][0]), "refused: %s", lines[i][0]);
    ck_assert_msg(!assembles(lines[i][1]), "accepted: %s", lines[i][1]);
  }
}
END_TEST

// ---- C

// A call of the intrinsic of `insn`, with its immediates; false if there is none.
static bool write_call(FILE *f, const struct isa_insn *insn) {
  const char *name = isa_ops[insn->op].name;
  bool imm = insn->uses & ISA_USES_IMM, rs2 = insn->uses & ISA_USES_RS2,
       rs3 = insn->uses & ISA_USES_RS3;
  switch (isa_ops[insn->op].cls) {
  case ISA_CLASS_LOAD:
  case ISA_CLASS_ELW:
    fprintf(f, "int f_%s(char *p, int n) { int v = %s(p, ", name, name);
    fprintf(f, imm ? "%d" : "n", insn->imm);
    fputs("); g = p; return v; }\n", f);
    return true;
  case ISA_CLASS_STORE:
    fprintf(f, "void f_%s(char *p, int n, int v) { %s(v, p, ", name, name);
    fprintf(f, imm ? "%d" : "n", insn->imm);
    fputs("); g = p; }\n", f);
    return true;
  case ISA_CLASS_MACLOAD:
    fprintf(f, "int f_%s(int a, char *p) { int v = %s(a, p, %d); g = p; return v; }\n", name, name,
            insn->imm);
    return true;
  case ISA_CLASS_ALU:
    fprintf(f, "int f_%s(int a, int b, int c) { return %s(%sb%s", name, name, rs3 ? "a, " : "",
            rs2 ? ", c" : "");
    if (imm)
      fprintf(f, ", %d", insn->imm);
    if (insn->uses & ISA_USES_IMM2)
      fprintf(f, ", %u", insn->imm2);
    fputs("); }\n", f);
    return true;
  }
  return false;
}

static bool has_floats(const struct isa_insn *insn) {
  return insn->uses & (ISA_RD_FP | ISA_RS1_FP | ISA_RS2_FP | ISA_RS3_FP);
}

// The same for small floats: floats a to c or the integer n, as each slot is.
static bool write_float_call(FILE *f, const struct isa_insn *insn) {
  static const uint16_t uses[] = {ISA_USES_RS1, ISA_USES_RS2, ISA_USES_RS3};
  static const uint16_t fp[] = {ISA_RS1_FP, ISA_RS2_FP, ISA_RS3_FP};
  static const char *const names[] = {"a", "b", "c"};
  const char *name = isa_ops[insn->op].name;
  unsigned cls = isa_ops[insn->op].cls;
  if (cls == ISA_CLASS_FP_LOAD)
    fprintf(f, "float f_%s(short *p) { return %s(p, 6); }\n", name, name);
  else if (cls == ISA_CLASS_FP_STORE)
    fprintf(f, "void f_%s(float v, short *p) { %s(v, p, 6); }\n", name, name);
  if (cls == ISA_CLASS_FP_LOAD || cls == ISA_CLASS_FP_STORE)
    return true;
  bool acc = strstr(isa_encs[insn->enc].pattern, "rs3=") != NULL;
  fprintf(f, "%s f_%s(float a, float b, float c, int n) { return %s(%s",
          insn->uses & ISA_RD_FP ? "float" : "int", name, name, acc ? "c, " : "");
  for (int i = 0; i < (acc ? 2 : 3); i++)
    if (insn->uses & uses[i])
      fprintf(f, "%s%s", i ? ", " : "", insn->uses & fp[i] ? names[i] : "n");
  fputs("); }\n", f);
  return true;
}

START_TEST(intrinsics) {
  static uint16_t words[WORDS];
  int tool = _i / 2;
  enum isa_set dialect = dialects[_i % 2];
  if (!present(toolchains[tool].probe))
    return;
  struct isa_decoder *dec = decoder(dialect);
  bool *wanted = calloc(isa_op_count, sizeof *wanted);
  FILE *f = create("all.c");
  fputs("#define XPULP_SMALL_FLOATS\n#include \"xpulp.h\"\nchar *g;\n", f);
  for (size_t e = 0; e < isa_enc_count; e++) {
    struct isa_insn insn;
    if (made_into_a_macro(e, dialect) && random_insn(dec, e, &insn))
      wanted[insn.op] = (has_floats(&insn) ? write_float_call : write_call)(f, &insn);
  }
  fclose(f);
  const char *options =
      dialect == ISA_COREV
          ? "-std=gnu17 -Wall -Wextra -Wno-unused-parameter -Werror -Os -ffreestanding "
            "-DXPULP_COREV"
          : "-std=gnu17 -Wall -Wextra -Wno-unused-parameter -Werror -Os -ffreestanding";
  size_t halves = compile(tool, "all.c", options, words);
  for (size_t i = 0; i + 1 < halves;) {
    struct isa_insn insn;
    ck_assert(isa_decode(dec, words[i] | (uint32_t)words[i + 1] << 16, &insn));
    wanted[insn.op] = false;
    i += insn.size / 2;
  }
  ck_assert_uint_gt(halves, 2 * 400);
  for (size_t op = 0; op < isa_op_count; op++)
    ck_assert_msg(!wanted[op], "%s is not emitted", isa_ops[op].name);
  free(wanted);
  isa_decoder_free(dec);
}
END_TEST

// ---- the reference

// docs/isa.md is what the generator makes of the rows now; `make docs` brings it up to date.
START_TEST(reference) {
  char command[3 * PATH];
  snprintf(command, sizeof command, "%s/../isagen --docs %s/isa.md && cmp -s %s/isa.md docs/isa.md",
           gen, directory, directory);
  ck_assert_msg(system(command) == 0, "docs/isa.md is out of date: make docs");
}
END_TEST

Suite *isa_macros_suite(void) {
  Suite *s = suite_create("isa_macros");
  TCase *c = tcase_create("stock toolchains");
  tcase_set_timeout(c, 60);
  tcase_add_checked_fixture(c, set_up, tear_down);
  tcase_add_loop_test(c, assembler, 0, 4);
  tcase_add_loop_test(c, labels, 0, 4);
  tcase_add_test(c, out_of_range);
  tcase_add_loop_test(c, intrinsics, 0, 4);
  tcase_add_test(c, reference);
  suite_add_tcase(s, c);
  return s;
}
