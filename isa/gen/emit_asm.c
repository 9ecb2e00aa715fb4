// isa/gen/emit_asm.c: assembler macros, for files that the C preprocessor reads.
#include <string.h>

#include "isagen.h"

static const char *const slot_names[SLOT_COUNT] = {"rd", "rs1", "rs2", "rs3", "imm", "imm2"};

static const char prologue[] =
    "// Made from isa/rows/*.def by isagen: XpulpV2, CORE-V and XpulpNN for the stock assembler.\n"
    "//\n"
    "// Include this first in a .S file. A mnemonic is written with _ for . and with commas\n"
    "// between its operands; offset(base) becomes base, offset:\n"
    "//   p_lw_post a0, a1, 4        p.lw a0,4(a1!)\n"
    "//   p_lw_rr a0, a1, a2         p.lw a0,a2(a1)\n"
    "//   p_sw_post a0, a1, 4        p.sw a0,4(a1!)\n"
    "//   pv_sdotsp_b a0, a1, a2\n"
    "// The encoding is XpulpV2; with XPULP_COREV defined it is CORE-V.\n"
    "//\n"
    "// Hardware loops: `lp_setup 0, a0, 1f` or `lp_setupi 0, 100, 1f`, where the label stands\n"
    "// behind the last instruction of the body, which must be four bytes long. (XpulpV2's end\n"
    "// register holds the last instruction, CORE-V's the one behind it; the macros know.)\n"
    "// CORE-V wants the whole body, and its start, in aligned four-byte instructions.\n"
    "// `division by zero` in such a line means that the label is too far, or behind.\n"
    "// An address in the body must not be changed by the linker, so linker relaxation is off\n"
    "// from here to the end of the file; clang needs -mno-relax on its command line too.\n"
    "// For clang, branches are macros: it cannot measure distances across those it may widen.\n"
    "#ifndef XPULP_S_H\n"
    "#define XPULP_S_H\n\n"
    ".option norelax\n\n";

// Branches that clang's assembler leaves at four bytes.
static void emit_branches(FILE *out) {
  static const struct {
    const char *name;
    unsigned funct3;
    const char *operands, *rs1, *rs2;
  } branches[] = {
      {"beq", 0, "rs1, rs2", "\\rs1", "\\rs2"},  {"bne", 1, "rs1, rs2", "\\rs1", "\\rs2"},
      {"blt", 4, "rs1, rs2", "\\rs1", "\\rs2"},  {"bge", 5, "rs1, rs2", "\\rs1", "\\rs2"},
      {"bltu", 6, "rs1, rs2", "\\rs1", "\\rs2"}, {"bgeu", 7, "rs1, rs2", "\\rs1", "\\rs2"},
      {"bgt", 4, "rs1, rs2", "\\rs2", "\\rs1"},  {"ble", 5, "rs1, rs2", "\\rs2", "\\rs1"},
      {"bgtu", 6, "rs1, rs2", "\\rs2", "\\rs1"}, {"bleu", 7, "rs1, rs2", "\\rs2", "\\rs1"},
      {"beqz", 0, "rs1", "\\rs1", "x0"},         {"bnez", 1, "rs1", "\\rs1", "x0"},
      {"bltz", 4, "rs1", "\\rs1", "x0"},         {"bgez", 5, "rs1", "\\rs1", "x0"},
      {"bgtz", 4, "rs1", "x0", "\\rs1"},         {"blez", 5, "rs1", "x0", "\\rs1"},
  };
  fputs("#ifdef __clang__\n", out);
  for (size_t i = 0; i < sizeof branches / sizeof *branches; i++)
    fprintf(out, ".macro %s %s, target\n  .insn b 0x63, %u, %s, %s, \\target\n.endm\n",
            branches[i].name, branches[i].operands, branches[i].funct3, branches[i].rs1,
            branches[i].rs2);
  fputs(".macro j target\n  .insn j 0x6f, x0, \\target\n.endm\n#endif\n\n", out);
}

// Names of registers as numbers, for words that .insn cannot write.
static void print_register_numbers(FILE *out) {
  static const char *const abi[] = {"zero", "ra", "sp",  "gp",  "tp", "t0", "t1", "t2",
                                    "s0",   "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
                                    "a6",   "a7", "s2",  "s3",  "s4", "s5", "s6", "s7",
                                    "s8",   "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
  for (int i = 0; i < 32; i++)
    fprintf(out, ".set .Lxp_%s, %d\n.set .Lxp_x%d, %d\n", abi[i], i, i, i);
  fputs(".set .Lxp_fp, 8\n\n", out);
  emit_branches(out);
}

static void print_register(FILE *out, int slot, unsigned fixed) {
  if (slot < 0)
    fprintf(out, "x%u", fixed);
  else
    fprintf(out, "\\%s", slot_names[slot]);
}

static void print_insn(FILE *out, const struct pattern *p) {
  struct form f = form_of(p);
  char upper[256];
  upper_expression(p, &f, "\\", "", f.kind == FORM_I, upper, sizeof upper);
  switch (f.kind) {
  case FORM_R:
  case FORM_R4:
    fprintf(out, "  .insn %s %#x, %u, %s, ", f.kind == FORM_R ? "r" : "r4", f.opcode, f.funct3,
            upper);
    print_register(out, f.a, f.fixed[0]);
    fputs(", ", out);
    print_register(out, f.b, f.fixed[1]);
    fputs(", ", out);
    print_register(out, f.c, f.fixed[2]);
    if (f.kind == FORM_R4) {
      fputs(", ", out);
      print_register(out, f.d, 0);
    }
    break;
  case FORM_I:
    fprintf(out, "  .insn i %#x, %u, ", f.opcode, f.funct3);
    print_register(out, f.a, f.fixed[0]);
    fputs(", ", out);
    print_register(out, f.b, f.fixed[1]);
    fprintf(out, ", %s", upper);
    break;
  case FORM_S:
    fprintf(out, "  .insn s %#x, %u, \\rs2, \\imm(\\rs1)", f.opcode, f.funct3);
    break;
  case FORM_BRANCH:
    fprintf(out,
            "  .irp number, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,"
            "26,27,28,29,30,31\n"
            "  .if ((\\imm2) & 31) == \\number\n"
            "  .insn b %#x, %u, \\rs1, x\\number, \\target\n"
            "  .endif\n"
            "  .endr",
            f.opcode, f.funct3);
    break;
  }
  fputc('\n', out);
}

// The field of an address. A distance that does not fit or is not aligned divides by zero: the
// only error that an assembler can be made to give once it knows where a label is.
static void print_distance(FILE *out, const struct isa_step *s, int back) {
  unsigned mask = ((1u << s->b) - 1) << s->c;
  fprintf(out,
          " | ((\\target-%d-.)>>%d<<%d) | (0/((\\target-%d-.)>=0)) | "
          "(0/((\\target-%d-.)<=%u)) | (0/(((\\target-%d-.)&%u)==0))",
          back, s->c, s->a, back, back, mask, back, (1u << s->c) - 1);
}

// Hardware-loop words are written as data: their fields are no registers, and their
// addresses are differences of labels. `back` is the distance from the label to the address
// in the word.
static void print_hwloop(FILE *out, const struct pattern *p, int back) {
  fprintf(out, "  .4byte %#x", p->match);
  for (int i = 0; i < p->step_count; i++) {
    const struct isa_step *s = &p->steps[i];
    if (s->kind != STEP_FIELD)
      continue;
    bool address = s->c > 0;
    if (s->slot == SLOT_RD)
      fprintf(out, " | ((\\loop)<<%d)", s->a);
    else if (s->slot == SLOT_RS1)
      fprintf(out, " | (.Lxp_\\rs1<<%d)", s->a);
    else if (address)
      print_distance(out, s, back);
    else
      fprintf(out, " | (((\\imm)&%#x)<<%d)", (1u << s->b) - 1, s->a);
  }
  fputc('\n', out);
}

static bool is_hwloop(const struct row *row) {
  return strcmp(row->class_name, "HWLOOP") == 0;
}

// Refuses an immediate that does not fit instead of cutting it.
static void print_range_check(FILE *out, const char *name, const char *syntax,
                              const struct pattern *p, const char *operand) {
  long min, max;
  immediate_range(p, operand[3] != '\0' ? SLOT_IMM2 : SLOT_IMM, &min, &max);
  if (strstr(syntax, "simm2") != NULL)
    min = -16, max = 15;
  fprintf(out,
          "  .if ((\\%s) < %ld) || ((\\%s) > %ld)\n"
          "  .error \"%s: immediate is not in %ld..%ld\"\n"
          "  .endif\n",
          operand, min, operand, max, name, min, max);
}

// `syntax` orders the operands: XpulpV2's, where CORE-V orders them otherwise.
static void print_macro(FILE *out, const char *name, const char *syntax, const struct row *row,
                        const struct enc_source *e) {
  struct pattern p;
  pattern_parse(row, e, &p);
  if (p.size != 4)
    return;
  char operands[MAX_OPERANDS][16];
  int count = operand_list(syntax, operands);
  fprintf(out, ".macro %s", name);
  for (int i = 0; i < count; i++)
    fprintf(out, "%s %s", i ? "," : "", operands[i]);
  fputc('\n', out);
  for (int i = 0; i < count; i++)
    if (strncmp(operands[i], "imm", 3) == 0)
      print_range_check(out, name, syntax, &p, operands[i]);
  if (is_hwloop(row))
    print_hwloop(out, &p, e->set == ISA_XPULPV2 && strstr(row->id, "start") == NULL ? 4 : 0);
  else
    print_insn(out, &p);
  fputs(".endm\n", out);
}

static void print_alias(FILE *out, const struct row *row, const struct enc_source *e,
                        const char *name) {
  char operands[MAX_OPERANDS][16];
  int count = operand_list(e->syntax, operands);
  fprintf(out, ".macro %s", name);
  for (int i = 0; i < count; i++)
    fprintf(out, "%s %s", i ? "," : "", operands[i]);
  fprintf(out, "\n  %s", row->id);
  for (int i = 0; i < count; i++)
    fprintf(out, "%s \\%s", i ? "," : "", operands[i]);
  fprintf(out, "%s\n.endm\n", fixes_imm(e) ? ", 0" : "");
}

static void print_corev(FILE *out) {
  for (int i = 0; i < row_count; i++) {
    const struct enc_source *ours = row_encoding(&rows[i], ISA_XPULPV2);
    if (ours == NULL)
      ours = row_encoding(&rows[i], ISA_COREV);
    const struct row *row = ours ? corev_row(&rows[i]) : NULL;
    if (row != NULL)
      print_macro(out, rows[i].id, ours->syntax, row, row_encoding(row, ISA_COREV));
  }
}

static void print_set(FILE *out, int set) {
  for (int i = 0; i < row_count; i++) {
    const struct enc_source *e = row_encoding(&rows[i], set);
    if (e != NULL)
      print_macro(out, rows[i].id, e->syntax, &rows[i], e);
  }
}

void emit_asm(FILE *out) {
  fputs(prologue, out);
  print_register_numbers(out);
  fputs("#ifndef XPULP_COREV\n\n", out);
  print_set(out, ISA_XPULPV2);
  fputs("\n#else // XPULP_COREV\n\n", out);
  print_corev(out);
  fputs("\n#endif // XPULP_COREV\n\n// Other spellings\n\n", out);
  each_alias(out, print_alias);
  for (int set = ISA_XF16; set <= ISA_XPULPNN; set++) {
    fprintf(out, "\n// %s\n\n", set_names[set]);
    print_set(out, set);
  }
  fputs("\n#endif // XPULP_S_H\n", out);
}
