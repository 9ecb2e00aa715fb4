// isa/disasm.c: an instruction as text, as the real objdump prints it without aliases.
#include <stdio.h>
#include <string.h>

#include "isa/csr_names.h"
#include "isa/tables.h"

static const char *const x_names[32] = {"zero", "ra", "sp",  "gp",  "tp", "t0", "t1", "t2",
                                        "s0",   "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
                                        "a6",   "a7", "s2",  "s3",  "s4", "s5", "s6", "s7",
                                        "s8",   "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
static const char *const f_names[32] = {"ft0", "ft1", "ft2",  "ft3",  "ft4", "ft5", "ft6",  "ft7",
                                        "fs0", "fs1", "fa0",  "fa1",  "fa2", "fa3", "fa4",  "fa5",
                                        "fa6", "fa7", "fs2",  "fs3",  "fs4", "fs5", "fs6",  "fs7",
                                        "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11"};

// Text under construction; counts on when the buffer is full, as snprintf does.
struct text {
  char *buf;
  size_t size;
  size_t length;
};

static void put(struct text *t, const char *s) {
  for (; *s != '\0'; s++, t->length++)
    if (t->length + 1 < t->size)
      t->buf[t->length] = *s;
}

static void put_number(struct text *t, const char *format, uint32_t value) {
  char s[24];
  snprintf(s, sizeof s, format, value);
  put(t, s);
}

static void put_signed(struct text *t, int32_t value) {
  char s[24];
  snprintf(s, sizeof s, "%d", value);
  put(t, s);
}

static void put_register(struct text *t, unsigned number) {
  put(t, number < 32 ? x_names[number] : f_names[number & 31]);
}

static void put_csr(struct text *t, uint32_t number) {
  for (size_t i = 0; i < sizeof csr_names / sizeof csr_names[0]; i++) {
    uint32_t offset = number - csr_names[i].number;
    if (offset >= csr_names[i].count)
      continue;
    put(t, csr_names[i].name);
    if (csr_names[i].count > 1)
      put_number(t, "%u", offset + csr_names[i].first);
    put(t, csr_names[i].tail);
    return;
  }
  put_number(t, "0x%x", number);
}

static void put_fence_set(struct text *t, uint32_t bits) {
  static const char letters[4][2] = {"i", "o", "r", "w"};
  for (int i = 0; i < 4; i++)
    if (bits & 8u >> i)
      put(t, letters[i]);
  if (bits == 0)
    put(t, "unknown");
}

// The comma that stands in front of the rounding mode goes with it.
static void put_rounding(struct text *t, unsigned rm) {
  static const char *const names[] = {"rne", "rtz", "rdn", "rup", "rmm"};
  if (rm < 5)
    put(t, names[rm]);
  else if (t->length > 0)
    t->length--;
}

static bool word_is(const char *word, size_t n, const char *name) {
  return strlen(name) == n && memcmp(word, name, n) == 0;
}

static bool put_register_word(struct text *t, const struct isa_insn *insn, const char *word,
                              size_t n) {
  if (n > 2 && word[0] == 'f' && word[1] == 'r')
    word++, n--;
  unsigned number;
  if (word_is(word, n, "rd"))
    number = insn->rd;
  else if (word_is(word, n, "rs1"))
    number = insn->rs1;
  else if (word_is(word, n, "rs2"))
    number = insn->rs2;
  else if (word_is(word, n, "rs3"))
    number = insn->rs3;
  else
    return false;
  put_register(t, number);
  return true;
}

// One word of the assembler operands (isa/rows/all.def lists them).
static void put_word(struct text *t, const struct isa_insn *insn, uint32_t pc, const char *word,
                     size_t n) {
  uint32_t imm = (uint32_t)insn->imm;
  if (put_register_word(t, insn, word, n))
    return;
  if (word_is(word, n, "imm") || word_is(word, n, "uimm"))
    put_signed(t, insn->imm);
  else if (word_is(word, n, "imm2"))
    put_number(t, "%u", insn->imm2);
  else if (word_is(word, n, "simm2"))
    put_signed(t, (insn->imm2 ^ 16) - 16);
  else if (word_is(word, n, "hi20"))
    put_number(t, "0x%x", imm >> 12);
  else if (word_is(word, n, "shamt"))
    put_number(t, "0x%x", imm);
  else if (word_is(word, n, "target"))
    put_number(t, "%x", pc + imm);
  else if (word_is(word, n, "target2"))
    put_number(t, "%x", pc + insn->imm2);
  else if (word_is(word, n, "loop"))
    put_number(t, "%u", insn->rd);
  else if (word_is(word, n, "xloop"))
    put_number(t, "x%u", insn->rd);
  else if (word_is(word, n, "csr"))
    put_csr(t, imm);
  else if (word_is(word, n, "pred"))
    put_fence_set(t, imm >> 4);
  else if (word_is(word, n, "succ"))
    put_fence_set(t, imm & 15);
  else if (word_is(word, n, "rm"))
    put_rounding(t, insn->imm2);
  else
    for (size_t i = 0; i < n; i++)
      put(t, (char[]){word[i], '\0'});
}

int isa_print(const struct isa_insn *insn, const char *mnemonic, const char *syntax, uint32_t pc,
              char *buf, size_t size) {
  struct text t = {buf, size, 0};
  put(&t, mnemonic);
  if (syntax[0] != '\0')
    put(&t, " ");
  for (const char *c = syntax; *c != '\0';) {
    size_t n = strspn(c, "abcdefghijklmnopqrstuvwxyz0123456789");
    if (n > 0)
      put_word(&t, insn, pc, c, n);
    else
      put(&t, (char[]){*c, '\0'});
    c += n > 0 ? n : 1;
  }
  if (size > 0)
    buf[t.length < size ? t.length : size - 1] = '\0';
  return (int)t.length;
}

int isa_disassemble(const struct isa_insn *insn, uint32_t pc, char *buf, size_t size) {
  const struct isa_enc_info *e = &isa_encs[insn->enc];
  return isa_print(insn, e->mnemonic, e->syntax, pc, buf, size);
}
