// isa/gen/rows.c: the rows as a table of text, by including them.
#include <stdlib.h>
#include <string.h>

#include "isagen.h"

#define ENC(set, mnemonic, syntax, pattern)   {ENC_REAL, ISA_##set, mnemonic, syntax, pattern},
#define ALIAS(set, mnemonic, syntax, pattern) {ENC_ALIAS, ISA_##set, mnemonic, syntax, pattern},
#define DOC(text)                             {ENC_DOC, 0, text, "", ""},
#define INSN(id, cls, macs, encs, ...)                                                             \
  {                                                                                                \
      #id,                                                                                         \
      #cls,                                                                                        \
      #__VA_ARGS__,                                                                                \
      macs,                                                                                        \
      (const struct enc_source[]){encs{ENC_END, 0, "", "", ""}},                                   \
      __FILE__,                                                                                    \
      __LINE__},
const struct row rows[] = {
#include "isa/rows/all.def"
};
#undef INSN

const int row_count = sizeof rows / sizeof rows[0];

const char *const set_names[ISA_SET_COUNT] = {
    [ISA_RV32I] = "RV32I",       [ISA_RV32M] = "RV32M",     [ISA_RV32C] = "RV32C",
    [ISA_RV32F] = "RV32F",       [ISA_RV32CF] = "RV32CF",   [ISA_ZICSR] = "Zicsr",
    [ISA_ZIFENCEI] = "Zifencei", [ISA_PRIV] = "privileged", [ISA_XPULPV2] = "XpulpV2",
    [ISA_COREV] = "CORE-V",      [ISA_XF16] = "Xf16",       [ISA_XF16ALT] = "Xf16alt",
    [ISA_XFVEC] = "Xfvec",       [ISA_XPULPNN] = "XpulpNN",
};

#define CLASS(name) [ISA_CLASS_##name] = #name
const char *const class_names[ISA_CLASS_COUNT] = {
    CLASS(ALU),        CLASS(MULH),       CLASS(DIV),     CLASS(LOAD),    CLASS(STORE),
    CLASS(BRANCH),     CLASS(JAL),        CLASS(JALR),    CLASS(CSR),     CLASS(FENCE),
    CLASS(SYSTEM),     CLASS(HWLOOP),     CLASS(ELW),     CLASS(MACLOAD), CLASS(FP_ADDMUL),
    CLASS(FP_DIVSQRT), CLASS(FP_NONCOMP), CLASS(FP_CONV), CLASS(FP_DOTP), CLASS(FP_LOAD),
    CLASS(FP_STORE),
};

void row_error(const struct row *row, const char *mnemonic, const char *what, const char *detail) {
  fprintf(stderr, "%s:%d: row %s, %s: %s '%s'\n", row->file, row->line, row->id, mnemonic, what,
          detail);
  exit(1);
}

const struct enc_source *row_encoding(const struct row *row, int set) {
  for (const struct enc_source *e = row->encs; e->kind != ENC_END; e++)
    if (e->kind == ENC_REAL && e->set == set)
      return e;
  return NULL;
}

const char *row_doc(const struct row *row) {
  for (const struct enc_source *e = row->encs; e->kind != ENC_END; e++)
    if (e->kind == ENC_DOC)
      return e->mnemonic;
  return NULL;
}

const struct row *corev_row(const struct row *row) {
  if (row_encoding(row, ISA_COREV) != NULL)
    return row;
  const char *stem = strchr(row->id, '_');
  for (int i = 0; stem != NULL && i < row_count; i++)
    if (strncmp(rows[i].id, "cv_", 3) == 0 && strcmp(rows[i].id + 3, stem + 1) == 0)
      return &rows[i];
  return NULL;
}

static bool is_row(const char *id) {
  for (int i = 0; i < row_count; i++)
    if (strcmp(rows[i].id, id) == 0)
      return true;
  return false;
}

void each_alias(FILE *out, void (*print)(FILE *out, const struct row *row,
                                         const struct enc_source *e, const char *name)) {
  for (int i = 0; i < row_count; i++) {
    const struct enc_source *first = row_encoding(&rows[i], ISA_XPULPV2);
    for (const struct enc_source *e = rows[i].encs; first && e->kind != ENC_END; e++) {
      if (e->kind == ENC_DOC || e->set != ISA_XPULPV2 || e == first)
        continue;
      char name[32];
      snprintf(name, sizeof name, "%s", e->mnemonic);
      for (char *c = name; *c != '\0'; c++)
        if (*c == '.')
          *c = '_';
      if (!is_row(name))
        print(out, &rows[i], e, name);
    }
  }
}

bool fixes_imm(const struct enc_source *e) {
  return strstr(e->pattern, " imm=0") != NULL;
}

// The slot-like name behind a word of the assembler operands; "" for one that a macro does
// not take.
static const char *operand_name(const char *word) {
  static const char *const names[][2] = {
      {"frd", "rd"},     {"frs1", "rs1"},   {"frs2", "rs2"},       {"frs3", "rs3"}, {"uimm", "imm"},
      {"simm2", "imm2"}, {"xloop", "loop"}, {"target2", "target"}, {"rm", ""},
  };
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (strcmp(word, names[i][0]) == 0)
      return names[i][1];
  return word;
}

int operand_list(const char *syntax, char names[MAX_OPERANDS][16]) {
  int count = 0;
  while (*syntax != '\0' && count < MAX_OPERANDS) {
    size_t n = strspn(syntax, "abcdefghijklmnopqrstuvwxyz0123456789");
    if (n == 0 || n >= 16) {
      syntax += n ? n : 1;
      continue;
    }
    char word[16] = "";
    memcpy(word, syntax, n);
    snprintf(names[count++], 16, "%s", operand_name(word));
    // "offset(base)": the base comes first.
    if (count > 1 && syntax[-1] == '(' && syntax[-2] != ',') {
      memcpy(names[count - 1], names[count - 2], sizeof names[0]);
      snprintf(names[count - 2], 16, "%s", operand_name(word));
    }
    if (names[count - 1][0] == '\0')
      count--;
    syntax += n;
  }
  return count;
}
