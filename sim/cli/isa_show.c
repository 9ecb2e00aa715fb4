// sim/cli/isa_show.c: one instruction in detail.
#include "sim/cli/isa_show.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 32, LABEL = 24 };

// A field of the word as drawn.
struct cell {
  char label[LABEL], bits[LABEL];
  int high, low, width; // bit numbers; characters between the bars
};

struct drawing {
  struct cell cell[CELLS];
  int count;
};

// What the timing class means on a core with ideal memory; docs/timing.md has the rules.
static const char *const class_times[ISA_CLASS_COUNT] = {
    [ISA_CLASS_ALU] = "one cycle",
    [ISA_CLASS_MULH] = "five cycles",
    [ISA_CLASS_DIV] = "3 to 35 cycles, by the divisor",
    [ISA_CLASS_LOAD] = "one cycle; the next instruction waits one if it needs the result",
    [ISA_CLASS_STORE] = "one cycle",
    [ISA_CLASS_BRANCH] = "one cycle; three if taken",
    [ISA_CLASS_JAL] = "two cycles",
    [ISA_CLASS_JALR] = "two cycles; waits until its register is written",
    [ISA_CLASS_CSR] = "one cycle; four where the pipeline is emptied first",
    [ISA_CLASS_FENCE] = "four cycles",
    [ISA_CLASS_SYSTEM] = "four or five cycles: the pipeline is emptied",
    [ISA_CLASS_HWLOOP] = "one cycle; the loop's way back costs nothing",
    [ISA_CLASS_ELW] = "four cycles when granted at once; else the core sleeps until it is",
    [ISA_CLASS_MACLOAD] = "one cycle; the next instruction waits one if it needs what was loaded",
    [ISA_CLASS_FP_ADDMUL] = "one cycle, and those of core.fpu.addmul_latency",
    [ISA_CLASS_FP_DIVSQRT] = "3 to 19 cycles, by the operands; integer work goes on meanwhile",
    [ISA_CLASS_FP_NONCOMP] = "one cycle, and those of core.fpu.others_latency",
    [ISA_CLASS_FP_CONV] = "one cycle, and those of core.fpu.others_latency",
    [ISA_CLASS_FP_DOTP] = "one cycle, and those of core.fpu.addmul_latency",
    [ISA_CLASS_FP_LOAD] = "one cycle; the next instruction waits one if it needs the result",
    [ISA_CLASS_FP_STORE] = "one cycle",
};

// Bits in "[12|10:5]".
static int range_bits(const char *range) {
  int bits = 0;
  while (*range == '[' || *range == '|') {
    char *end;
    long high = strtol(range + 1, &end, 10), low = high;
    if (*end == ':')
      low = strtol(end + 1, &end, 10);
    bits += (int)(high - low + 1);
    range = end;
  }
  return bits;
}

// How many bits of the word a token of the pattern takes (isa/rows/all.def).
static int token_bits(const char *token) {
  size_t literal = strspn(token, "01-");
  const char *range = strchr(token, '[');
  if (token[literal] == '\0')
    return (int)literal;
  if (range)
    return range_bits(range);
  if (strchr(token, '=') || token[0] == '!')
    return 0;
  return strcmp(token, "rm") == 0 || strchr(token, '\'') ? 3 : 5;
}

static int widest(int a, int b) {
  return a > b ? a : b;
}

static void add_cell(struct drawing *d, const char *token, int high, int bits, uint32_t word) {
  if (d->count == CELLS)
    return;
  struct cell *c = &d->cell[d->count++];
  *c = (struct cell){.high = high, .low = high - bits + 1};
  snprintf(c->label, sizeof c->label, "%s", token);
  for (int i = 0; i < bits && i < LABEL - 1; i++)
    c->bits[i] = (char)('0' + (word >> (high - i) & 1));
  c->width = widest((int)strlen(c->label), bits);
  c->width = widest(c->width, c->high == c->low ? 2 : c->high > 9 ? 5 : 3);
}

static void lay_out(struct drawing *d, const struct isa_enc_info *e, uint32_t word) {
  char text[256];
  char *save;
  int high = 8 * e->size - 1;
  d->count = 0;
  snprintf(text, sizeof text, "%s", e->pattern);
  for (char *t = strtok_r(text, " ", &save); t; t = strtok_r(NULL, " ", &save)) {
    int bits = token_bits(t);
    if (bits > 0)
      add_cell(d, t, high, bits, word);
    high -= bits;
  }
}

static void print_row(const struct drawing *d, size_t offset) {
  printf("   |");
  for (int i = 0; i < d->count; i++) {
    const char *text = (const char *)&d->cell[i] + offset;
    int pad = d->cell[i].width - (int)strlen(text), left = pad / 2;
    printf(" %*s%s%*s |", left, "", text, pad - left, "");
  }
  putchar('\n');
}

static void print_numbers(const struct drawing *d) {
  printf("    ");
  for (int i = 0; i < d->count; i++) {
    const struct cell *c = &d->cell[i];
    if (c->high == c->low)
      printf(" %*d  ", c->width, c->high);
    else
      printf(" %-*d%*d  ", c->width - 2, c->high, 2, c->low);
  }
  putchar('\n');
}

static uint8_t in_file(uint16_t uses, uint16_t fp, uint8_t number) {
  return uses & fp ? (uint8_t)(number + 32) : number;
}

// Operands that the encoding takes, the customary ones first. False if there are none among these.
static bool example(unsigned enc, struct isa_insn *insn, uint32_t *word) {
  static const uint8_t regs[][6] = {
      {10, 0, 1, 2, 8, 9}, {11, 10, 0, 2, 1, 8}, {12, 11, 0, 2, 1, 8}, {13, 10, 0, 12, 1, 2}};
  static const int32_t imms[] = {8, 4, 16, 3, 1, 0, 0xff, 0x340, 0x1000, -4};
  static const uint8_t seconds[] = {7, 4, 2, 0, 1, 8};
  const struct isa_enc_info *e = &isa_encs[enc];
  for (unsigned n = 0; n < 6 * 6 * 6 * 6 * 10 * 6; n++) {
    unsigned k = n;
    *insn = (struct isa_insn){.enc = (uint16_t)enc, .op = e->op, .uses = e->uses, .size = e->size};
    insn->imm2 = seconds[k % 6], k /= 6;
    insn->imm = imms[k % 10], k /= 10;
    insn->rs3 = in_file(e->uses, ISA_RS3_FP, regs[3][k % 6]), k /= 6;
    insn->rs2 = in_file(e->uses, ISA_RS2_FP, regs[2][k % 6]), k /= 6;
    insn->rs1 = in_file(e->uses, ISA_RS1_FP, regs[1][k % 6]), k /= 6;
    insn->rd = in_file(e->uses, ISA_RD_FP, regs[0][k % 6]);
    if (isa_encode(insn, word))
      return true;
  }
  return false;
}

static void print_others(unsigned enc) {
  const char *label = "also      ";
  for (size_t i = 0; i < isa_enc_count; i++) {
    if (i == enc || isa_encs[i].op != isa_encs[enc].op)
      continue;
    printf("  %s%-9s %s%s%s\n", label, isa_set_names[isa_encs[i].set], isa_encs[i].mnemonic,
           isa_encs[i].syntax[0] ? " " : "", isa_encs[i].syntax);
    label = "          ";
  }
}

void isa_show(unsigned enc, const struct isa_insn *insn) {
  const struct isa_enc_info *e = &isa_encs[enc];
  const struct isa_op_info *op = &isa_ops[e->op];
  struct isa_insn one;
  uint32_t word = 0;
  bool has_word = insn != NULL;
  if (insn) {
    one = *insn;
    word = insn->word;
  } else {
    has_word = example(enc, &one, &word);
  }
  printf("%s %s   (%s)\n", e->mnemonic, e->syntax, isa_set_names[e->set]);
  printf("  meaning   %s%s%s\n", op->meaning, op->note[0] ? "; " : "", op->note);
  printf("  timing    %s: %s\n", isa_class_names[op->cls], class_times[op->cls]);
  if (op->macs)
    printf("  counts as %u multiply-accumulate%s\n", op->macs, op->macs > 1 ? "s" : "");
  struct drawing d;
  lay_out(&d, e, word);
  print_numbers(&d);
  print_row(&d, offsetof(struct cell, label));
  if (has_word) {
    char text[128];
    isa_disassemble(&one, 0, text, sizeof text);
    print_row(&d, offsetof(struct cell, bits));
    printf("  %s   0x%0*x  %s\n", insn ? "word   " : "example", 2 * e->size, (unsigned)word, text);
  }
  print_others(enc);
}
