// tests/isa/isa_golden.c: words and texts of the real assemblers and disassemblers.
//
// tests/data/isa/*-golden.tsv.gz: what binutils (2.40; PULP's 2.34; GAP's 2.28; CORE-V's) and
// LLVM 19 assembled from an input, and how they disassemble the word. Every word decodes to the
// row and the operands of the input and is encoded again to the same word; the disassembly is
// objdump's, or differs in one of the ways listed below.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/isa.h"
#include "reference.h"
#include "tests/often.h"

Suite *isa_golden_suite(void);

#define BASE                                                                                       \
  (ISA_BIT(ISA_RV32I) | ISA_BIT(ISA_RV32M) | ISA_BIT(ISA_RV32C) | ISA_BIT(ISA_RV32F) |             \
   ISA_BIT(ISA_RV32CF) | ISA_BIT(ISA_ZICSR) | ISA_BIT(ISA_ZIFENCEI) | ISA_BIT(ISA_PRIV))
#define SMALL_FLOATS (ISA_BIT(ISA_XF16) | ISA_BIT(ISA_XF16ALT) | ISA_BIT(ISA_XFVEC))

// Which rows read the words of a tool, and whether its disassembly is to be trusted.
static const struct tool {
  const char *name;
  uint32_t sets;
  bool zfinx, text;
} tools[] = {
    {"gap:xpulpv2", BASE | ISA_BIT(ISA_XPULPV2), false, false}, // prints older names of words
    {"gap:xpulpv3", BASE | ISA_BIT(ISA_XPULPV2), false, false},
    {"gap:xgap9", BASE | SMALL_FLOATS | ISA_BIT(ISA_XPULPV2), true, false},
    {"pulp:xpulpv2", BASE | ISA_BIT(ISA_XPULPV2), false, true},
    {"pulp:xpulpv3", BASE | ISA_BIT(ISA_XPULPV2), false, true},
    {"pulp:xpulpnn", BASE | ISA_BIT(ISA_XPULPV2) | ISA_BIT(ISA_XPULPNN), false, true},
    {"pulp:rv32imfc", BASE | SMALL_FLOATS, false, true},
    {"pulp:zfinx", BASE | SMALL_FLOATS, true, true},
    {"llvm:", BASE | ISA_BIT(ISA_COREV), false, true},
    {"corev:", BASE | ISA_BIT(ISA_COREV), false, true},
    {"", BASE, false, true},
};
enum { TOOLS = sizeof tools / sizeof tools[0] };

enum { ARCH, MNEMONIC, ADDRESS, WORD, INPUT, TEXT, GOLDEN_COLUMNS };

// Words that no machine here decodes: floats of eight bits, lanes beyond two, conversions
// between formats that take no sign; immediates of cv.shuffle.sci.h above 3, on which the RTL
// traps; and the word of cv.elw that corev-binutils has wrong (it is cv.beqimm's, and LLVM, the
// manual and the RTL have another).
static bool not_modelled(const char *const f[]) {
  static const char *const names[] = {"flb", "fsb", "vfcvtu.h.ah", "vfcvtu.ah.h"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (strcmp(f[MNEMONIC], names[i]) == 0)
      return true;
  bool fp = f[MNEMONIC][0] == 'f' || f[MNEMONIC][0] == 'v';
  const char *b = strstr(f[MNEMONIC], ".b");
  if (fp && b != NULL && (b[2] == '\0' || b[2] == '.'))
    return true;
  if (strncmp(f[MNEMONIC], "vfcpk", 5) == 0 && f[MNEMONIC][5] != 'a')
    return true;
  if (strcmp(f[MNEMONIC], "cv.shuffle.sci.h") == 0 && strtoul(f[WORD], NULL, 16) & 0x01e00000)
    return true;
  return strcmp(f[MNEMONIC], "cv.elw") == 0 && (strtoul(f[WORD], NULL, 16) & 0x707f) == 0x600b;
}

// What GreenWaves added to XpulpV2 and no public source describes: GAP8's scaled sums and complex
// products, its Viterbi steps; GAP9's register pairs and byte unpacking.
static bool of_gap_alone(const char *const f[]) {
  if (strstr(f[ARCH], ":xgap8") != NULL)
    return true;
  size_t length = strlen(f[MNEMONIC]);
  return strstr(f[ARCH], ":xgap9") != NULL &&
         (strcmp(f[MNEMONIC] + length - 2, ".d") == 0 || strstr(f[MNEMONIC], "unpack") != NULL ||
          strcmp(f[MNEMONIC], "pv.pack.h.h") == 0);
}

// ---- the input against the decoded operands

static const char separators[] = " ,()!\t";

// Takes the next token of *text into `token`. False at the end.
static bool next_token(const char **text, char token[32]) {
  *text += strspn(*text, separators);
  size_t n = strcspn(*text, separators);
  snprintf(token, 32, "%.*s", (int)n, *text);
  *text += n;
  return n > 0;
}

// An operand as written against as printed with the instruction at address 0.
static bool same_operand(const char *kind, const char *written, const char *printed) {
  if (strncmp(kind, "target", 6) == 0)
    return (uint32_t)strtol(written + (written[0] == '.'), NULL, 0) ==
           (uint32_t)strtoul(printed, NULL, 16);
  char *end;
  long value = strtol(written, &end, 0);
  if (*end == '\0' && end != written)
    return value == strtol(printed, NULL, 0);
  return strcmp(written, printed) == 0;
}

// The encoding of the decoded row that has the input's name and contains the word.
static int named_encoding(const char *name, const struct isa_insn *insn) {
  for (int e = isa_find(name, 0); e >= 0; e = isa_find(name, e + 1))
    if (isa_encs[e].op == insn->op && ((insn->word ^ isa_encs[e].match) & isa_encs[e].mask) == 0)
      return e;
  return -1;
}

// A name that no row has is a pseudo-instruction of the assembler: the disassembly alone tells
// what it stands for.
static bool pseudo(const char *name) {
  static const char *const names[] = {"fgt.",   "fge.",    "fneg.",   "fabs.", "fmv.",
                                      "vfneg.", "vfabs.",  "frcsr",   "fscsr", "frrm",
                                      "fsrm",   "frflags", "fsflags", "frsr",  "fssr"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (strncmp(name, names[i], strlen(names[i])) == 0)
      return isa_find(name, 0) < 0;
  return false;
}

// PULP's assembler takes a float register as the destination of fclass.ah and vfclass.ah; the
// core writes an integer one, as of every other class instruction.
static bool float_class(const char *const f[]) {
  return strstr(f[MNEMONIC], "fclass.ah") != NULL && strncmp(f[ARCH], "pulp:rv32imfc", 13) == 0;
}

static void check_operands(const char *const f[], const struct isa_insn *insn) {
  int enc = named_encoding(f[MNEMONIC], insn);
  check_often(enc >= 0, "%s %s decodes to the row of %s", f[MNEMONIC], f[WORD],
              isa_encs[insn->enc].mnemonic);
  struct isa_insn named = *insn;
  named.enc = (uint16_t)enc;
  char text[64], kind[32], written[32], printed[32];
  isa_disassemble(&named, 0, text, sizeof text);
  const char *syntax = isa_encs[enc].syntax, *input = f[INPUT], *ours = text;
  next_token(&input, written);
  next_token(&ours, printed);
  while (next_token(&ours, printed)) {
    check_often(next_token(&syntax, kind), "%s: too many operands", f[MNEMONIC]);
    check_often(next_token(&input, written) && same_operand(kind, written, printed),
                "%s: %s decodes to '%s'", f[INPUT], f[WORD], text);
  }
  // A dynamic rounding mode may be written and is not printed.
  check_often(!next_token(&input, written) || strcmp(written, "dyn") == 0, "%s: %s decodes to '%s'",
              f[INPUT], f[WORD], text);
}

// ---- the disassembly

// Blanks behind commas, comments and symbols go.
static void normalize(char *s) {
  char *to = s;
  for (const char *c = s; *c != '\0' && *c != '#' && *c != '<'; c++)
    if (*c != ' ' || (to > s && to[-1] != ',' && to[-1] != ' '))
      *to++ = *c == '\t' ? ' ' : *c;
  while (to > s && to[-1] == ' ')
    to--;
  *to = '\0';
}

struct difference {
  const char *what;
  bool (*explains)(const char *ours, const char *theirs, const struct isa_insn *insn,
                   const char *arch);
};

// The k-th token of both, as numbers in bases 0, agree modulo `mask`; registers as text.
static bool same_tokens(const char *a, const char *b, uint32_t mask, bool targets) {
  char x[32], y[32];
  for (;;) {
    bool more_a = next_token(&a, x), more_b = next_token(&b, y);
    if (!more_a || !more_b)
      return more_a == more_b;
    char *end;
    uint32_t value = (uint32_t)strtol(y, &end, 0);
    bool number = *end == '\0' && end != y;
    if (strcmp(x, y) == 0 || (number && ((uint32_t)strtol(x, NULL, 0) & mask) == (value & mask)))
      continue;
    if (!targets || strncmp(x, "1c0", 3) != 0)
      return false;
  }
}

// LLVM prints numbers in hexadecimal and targets from the start of the section.
static bool llvm_numbers(const char *ours, const char *theirs, const struct isa_insn *insn,
                         const char *arch) {
  (void)insn;
  return strncmp(arch, "llvm", 4) == 0 && same_tokens(ours, theirs, UINT32_MAX, true);
}

// GNU objdump drops the top bits of an unsigned six-bit immediate.
static bool six_bits(const char *ours, const char *theirs, const struct isa_insn *insn,
                     const char *arch) {
  (void)arch;
  return strstr(isa_encs[insn->enc].mnemonic, ".sci.") != NULL &&
         same_tokens(ours, theirs, 15, false);
}

// GNU objdump sign-extends the offsets of hardware loops, which are unsigned.
static bool loop_offsets(const char *ours, const char *theirs, const struct isa_insn *insn,
                         const char *arch) {
  (void)ours, (void)theirs, (void)arch;
  return isa_ops[insn->op].cls == ISA_CLASS_HWLOOP && (insn->word & 0x80000000) != 0;
}

// LLVM prints cv.slet, CORE-V's binutils and the manual cv.sle.
static bool sle_name(const char *ours, const char *theirs, const struct isa_insn *insn,
                     const char *arch) {
  (void)insn, (void)arch;
  const char *t = strstr(theirs, "slet");
  return t != NULL && strncmp(ours, theirs, (size_t)(t - theirs)) == 0 &&
         strcmp(strchr(ours, ' '), strchr(theirs, ' ')) == 0;
}

// PULP's objdump does not know the rounding field of bfloat16 nor the operand r.
static bool pulp_floats(const char *ours, const char *theirs, const struct isa_insn *insn,
                        const char *arch) {
  (void)insn, (void)arch;
  return strstr(theirs, "unknown") != NULL || (ours[0] == 'f' && theirs[strlen(theirs) - 1] == ',');
}

static const struct difference differences[] = {
    {"numbers of LLVM", llvm_numbers},
    {"six-bit immediates", six_bits},
    {"loop offsets", loop_offsets},
    {"cv.sle", sle_name},
    {"floats of PULP's objdump", pulp_floats},
};

static void check_text(const char *const f[], const struct isa_insn *insn) {
  char ours[64], theirs[128];
  isa_disassemble(insn, (uint32_t)strtoul(f[ADDRESS], NULL, 16), ours, sizeof ours);
  snprintf(theirs, sizeof theirs, "%s", f[TEXT]);
  normalize(ours);
  normalize(theirs);
  if (strcmp(ours, theirs) == 0)
    return;
  for (size_t i = 0; i < sizeof differences / sizeof differences[0]; i++)
    if (differences[i].explains(ours, theirs, insn, f[ARCH]))
      return;
  ck_abort_msg("%s %s: '%s', objdump '%s'", f[ARCH], f[WORD], ours, theirs);
}

// ---- all

struct reader {
  struct isa_decoder *dec[TOOLS];
};

static void check_word(const struct reader *reader, const char *const f[], bool by_tool) {
  int t = 0;
  while (by_tool ? strncmp(f[ARCH], tools[t].name, strlen(tools[t].name)) != 0 : t < TOOLS - 1)
    t++;
  uint32_t word = (uint32_t)strtoul(f[WORD], NULL, 16), back = 0;
  struct isa_insn insn;
  check_often(isa_decode(reader->dec[t], word, &insn), "%s %s %s does not decode", f[ARCH],
              f[MNEMONIC], f[WORD]);
  check_often(isa_encode(&insn, &back) && back == word, "%s %s is encoded to %08x", f[MNEMONIC],
              f[WORD], back);
  if (!pseudo(f[MNEMONIC]) && !float_class(f))
    check_operands(f, &insn);
  if (tools[t].text && !float_class(f))
    check_text(f, &insn);
}

static int check_file(const char *path, bool by_tool) {
  static const char *const names[GOLDEN_COLUMNS] = {
      "toolchain:arch|ext",
      "mnemonic",
      "addr",
      "word|word_hex",
      "asm_input",
      "objdump_no_aliases (= if same)|gnu_objdump2.40_no_aliases"};
  static const char *const defaults[] = {"objdump_default"};
  struct reader reader;
  struct reference r, d;
  int count = 0;
  for (int t = 0; t < TOOLS; t++)
    reader.dec[t] = isa_decoder_new(tools[t].sets, tools[t].zfinx);
  reference_open(&r, path, names, GOLDEN_COLUMNS);
  if (by_tool)
    reference_open(&d, path, defaults, 1);
  while (reference_next(&r)) {
    if (by_tool && reference_next(&d) && strcmp(r.field[TEXT], "=") == 0)
      r.field[TEXT] = d.field[0];
    if (not_modelled(r.field) || of_gap_alone(r.field))
      continue;
    check_word(&reader, r.field, by_tool);
    count++;
  }
  reference_close(&r);
  if (by_tool)
    reference_close(&d);
  for (int t = 0; t < TOOLS; t++)
    isa_decoder_free(reader.dec[t]);
  return count;
}

static const struct {
  const char *name;
  bool by_tool;
  int least;
} files[] = {{"base", false, 2100}, {"xpulpv2", true, 3900}, {"corev", true, 3700}};

START_TEST(compact) {
  char path[128];
  snprintf(path, sizeof path, "tests/data/isa/%s-golden.tsv.gz", files[_i].name);
  ck_assert_int_ge(check_file(path, files[_i].by_tool), files[_i].least);
}
END_TEST

START_TEST(full) {
  char name[64];
  snprintf(name, sizeof name, "%s-golden.tsv", files[_i].name);
  const char *path = reference_full(name);
  if (path != NULL)
    ck_assert_int_ge(check_file(path, files[_i].by_tool), files[_i].least);
}
END_TEST

Suite *isa_golden_suite(void) {
  Suite *s = suite_create("isa_golden");
  TCase *c = tcase_create("words and texts");
  tcase_add_loop_test(c, compact, 0, 3);
  tcase_add_loop_test(c, full, 0, 3);
  suite_add_tcase(s, c);
  return s;
}
