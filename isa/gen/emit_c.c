// isa/gen/emit_c.c: C intrinsics.
#include <ctype.h>
#include <string.h>

#include "emit_c.h"

static const char prologue[] =
    "// Made from isa/rows/*.def by isagen: XpulpV2, CORE-V and XpulpNN as C functions.\n"
    "//\n"
    "// The name is the mnemonic with _ for . On RISC-V each is one instruction, written with\n"
    "// .insn so that every assembler takes it: XpulpV2 words, or CORE-V words with XPULP_COREV\n"
    "// defined; any other host computes the same in plain C from the rows' bodies.\n"
    "//\n"
    "// Operands are registers (any 32-bit integer; packed lanes as an integer) in the order of\n"
    "// the assembler, an accumulating instruction's rd first; results are int32_t, whatever the\n"
    "// operation calls unsigned. `imm` and `imm2` must be constants in the ranges given.\n"
    "//\n"
    "// Loads and stores take a pointer, which must be a variable in the _post forms:\n"
    "//   w = p_lw_post(p, 4)       *p, then p += 4 bytes     p_sw_post(w, p, 4)\n"
    "//   w = p_lw_rr(p, n)         *(p + n bytes)            p_sw_rr(w, p, n)\n"
    "//   w = p_lw_rrpost(p, n)     *p, then p += n bytes     p_sw_rrpost(w, p, n)\n"
    "// Mac&load: sum = pv_mlsdotup_b(sum, p, imm); p moves on if imm asks for a reload, and the\n"
    "// registers are hidden state of the core (of the thread, on a host).\n"
    "// With XPULP_SMALL_FLOATS defined there are the 16-bit floats too.\n"
    "// Hardware loops and branches are for the assembler only: xpulp.S.h.\n"
    "#ifndef XPULP_H\n"
    "#define XPULP_H\n\n"
    "#include <stdint.h>\n\n"
    "typedef int8_t __attribute__((may_alias)) xp_int8_t;\n"
    "typedef uint8_t __attribute__((may_alias)) xp_uint8_t;\n"
    "typedef int16_t __attribute__((may_alias)) xp_int16_t;\n"
    "typedef uint16_t __attribute__((may_alias)) xp_uint16_t;\n"
    "typedef uint32_t __attribute__((may_alias)) xp_uint32_t;\n"
    "#define XP_AT(type, pointer) (*(xp_##type *)(pointer))\n"
    "#define XP_MOVE(pointer, bytes) \\\n"
    "  ((pointer) = (__typeof__(pointer))((uintptr_t)(pointer) + "
    "(uintptr_t)(intptr_t)(bytes)))\n\n";

static bool class_is(const struct row *row, const char *name) {
  return strcmp(row->class_name, name) == 0;
}

// The access type of a load or store: the word after LOAD( or STORE(.
static void access_type(const struct row *row, char type[16]) {
  const char *c = strchr(row->body, '(');
  const char *load = strstr(row->body, "LOAD("), *store = strstr(row->body, "STORE(");
  c = load != NULL ? load + 5 : store != NULL ? store + 6 : c;
  size_t n = strcspn(c, ",");
  snprintf(type, 16, "%.*s", (int)(n < 15 ? n : 15), c);
}

// ------------------------------------------------------------------ RISC-V

void print_asm_text(FILE *out, const struct form *f, const char *const operand[SLOT_COUNT],
                    const char *upper) {
  char reg[4][8];
  const int slots[4] = {f->a, f->b, f->c, f->d};
  for (int i = 0; i < 4; i++)
    if (slots[i] >= 0)
      snprintf(reg[i], sizeof reg[i], "%s", operand[slots[i]]);
    else
      snprintf(reg[i], sizeof reg[i], "x%u", i < 3 ? f->fixed[i] : 0);
  if (f->kind == FORM_I)
    fprintf(out, "\".insn i %#x, %u, %s, %s, %s\"", f->opcode, f->funct3, reg[0], reg[1], upper);
  else if (f->kind == FORM_S)
    fprintf(out, "\".insn s %#x, %u, %s, %s(%s)\"", f->opcode, f->funct3, reg[2], upper, reg[1]);
  else if (f->kind == FORM_R4)
    fprintf(out, "\".insn r4 %#x, %u, %s, %s, %s, %s, %s\"", f->opcode, f->funct3, upper, reg[0],
            reg[1], reg[2], reg[3]);
  else
    fprintf(out, "\".insn r %#x, %u, %s, %s, %s, %s\"", f->opcode, f->funct3, upper, reg[0], reg[1],
            reg[2]);
}

static void print_target_memory(FILE *out, const char *name, const struct row *row,
                                const struct pattern *p) {
  struct form f = form_of(p);
  char type[16];
  access_type(row, type);
  bool store = class_is(row, "STORE"), elw = class_is(row, "ELW");
  bool writes_rs1 = (p->uses & ISA_WRITES_RS1) != 0, imm = (p->uses & ISA_USES_IMM) != 0;
  const char *operand[SLOT_COUNT] = {"%0", "%1", store ? "%2" : "%3", "%3", "", ""};
  char value[16];
  // Operands: 0 the value loaded or the memory stored to, 1 the pointer, then the rest.
  if (imm)
    snprintf(value, sizeof value, "%%3");
  else
    snprintf(value, sizeof value, "%#x", f.upper);
  if (store)
    fprintf(out, "#define %s(value, pointer, offset) __extension__({ \\\n  __asm__ volatile(",
            name);
  else
    fprintf(out,
            "#define %s(pointer, offset) __extension__({ \\\n  int32_t xp_value; \\\n"
            "  __asm__ %s(",
            name, elw ? "volatile" : "");
  print_asm_text(out, &f, operand, value);
  const char *pointer_out = writes_rs1 ? ", \"+r\"(pointer)" : "";
  if (store)
    fprintf(out, " : \"=m\"(XP_AT(%s, pointer))%s : ", type, pointer_out);
  else
    fprintf(out, " : \"=r\"(xp_value)%s : ", pointer_out);
  if (!writes_rs1)
    fprintf(out, "\"r\"(pointer), ");
  if (store)
    fprintf(out, "\"r\"(value), ");
  else
    fprintf(out, "\"m\"(XP_AT(%s, (pointer))), ", type);
  fprintf(out, "\"%s\"(offset)%s); \\\n", imm ? "i" : "r",
          elw || !writes_rs1 ? " : \"memory\"" : "");
  fprintf(out, "%s})\n", store ? "  (void)0; " : "  xp_value; ");
}

static void print_assertion(FILE *out, const char *name, const struct pattern *p,
                            enum isa_slot slot, const char *operand) {
  long min, max;
  immediate_range(p, slot, &min, &max);
  fprintf(out, "  _Static_assert((%s) >= %ld && (%s) <= %ld, \"%s: %s is not in %ld..%ld\"); \\\n",
          operand, min, operand, max, name, operand, min, max);
}

static const char *const value_operands[SLOT_COUNT] = {"%0", "%1", "%2", "%0", "", ""};

// All operands in registers: a function.
static void print_target_function(FILE *out, const char *name, const struct pattern *p) {
  struct form f = form_of(p);
  bool acc = (p->uses & ISA_USES_RS3) != 0, rs2 = (p->uses & ISA_USES_RS2) != 0;
  char upper[256];
  upper_expression(p, &f, "", "", f.kind == FORM_I, upper, sizeof upper);
  fprintf(out, "static inline int32_t %s(%suint32_t rs1%s) {\n%s  __asm__(", name,
          acc ? "int32_t xp_rd, " : "", rs2 ? ", uint32_t rs2" : "",
          acc ? "" : "  int32_t xp_rd;\n");
  print_asm_text(out, &f, value_operands, upper);
  fprintf(out, " : \"%sr\"(xp_rd) : \"r\"(rs1)%s);\n  return xp_rd;\n}\n", acc ? "+" : "=",
          rs2 ? ", \"r\"(rs2)" : "");
}

// Immediates: a macro.
static void print_target_macro(FILE *out, const char *name, const struct pattern *p) {
  struct form f = form_of(p);
  bool acc = (p->uses & ISA_USES_RS3) != 0, rs2 = (p->uses & ISA_USES_RS2) != 0,
       imm2 = (p->uses & ISA_USES_IMM2) != 0;
  char upper[256];
  upper_expression(p, &f, "(", ")", f.kind == FORM_I, upper, sizeof upper);
  fprintf(out, "#define %s(%srs1%s, imm%s) __extension__({ \\\n", name, acc ? "rd, " : "",
          rs2 ? ", rs2" : "", imm2 ? ", imm2" : "");
  print_assertion(out, name, p, SLOT_IMM, "imm");
  if (imm2)
    print_assertion(out, name, p, SLOT_IMM2, "imm2");
  fprintf(out, "  int32_t xp_rd%s; \\\n  __asm__(", acc ? " = (int32_t)(rd)" : "");
  print_asm_text(out, &f, value_operands, rs2 ? "%3" : "%2");
  fprintf(out, " : \"%sr\"(xp_rd) : \"r\"((uint32_t)(rs1))%s, \"i\"(%s)); \\\n  xp_rd; })\n",
          acc ? "+" : "=", rs2 ? ", \"r\"((uint32_t)(rs2))" : "", upper);
}

// ------------------------------------------------------------------ any other host

void print_body_with(FILE *out, const char *body, const char *prefix) {
  static const char *const words[][2] = {{"RD", "rd"},
                                         {"IMM", "imm"},
                                         {"IMM2", "imm2"},
                                         {"NN_A", "xp_nn[(imm) & 1]"},
                                         {"NN_W", "xp_nn[2 + ((imm) >> 1 & 3)]"},
                                         {"FRM", "FP_RNE"},
                                         {"FP_RD", "XP_FP"}};
  while (*body != '\0') {
    size_t n = 0;
    while (isalnum((unsigned char)body[n]) || body[n] == '_')
      n++;
    if (n == 0) {
      fputc(*body++, out);
      continue;
    }
    const char *text = NULL;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
      if (strlen(words[i][0]) == n && strncmp(words[i][0], body, n) == 0)
        text = words[i][1];
    if (text != NULL)
      fputs(text, out);
    else if (n == 3 && strncmp(body, "RS", 2) == 0)
      fprintf(out, "%srs%c", prefix, body[2]);
    else
      fprintf(out, "%.*s", (int)n, body);
    body += n;
  }
}

static void print_body(FILE *out, const char *body) {
  print_body_with(out, body, "");
}

static void print_host_value(FILE *out, const char *name, const struct row *row,
                             const struct pattern *p) {
  bool acc = (p->uses & ISA_USES_RS3) != 0;
  fprintf(out, "static inline int32_t %s(%s%s%s%s%s) {\n  uint32_t rd;\n  ", name,
          acc ? "uint32_t rs3, " : "", "uint32_t rs1",
          p->uses & ISA_USES_RS2 ? ", uint32_t rs2" : "",
          p->uses & ISA_USES_IMM ? ", int32_t imm" : "",
          p->uses & ISA_USES_IMM2 ? ", uint32_t imm2" : "");
  print_body(out, row->body);
  fputs(";\n  return (int32_t)rd;\n}\n", out);
}

static void print_host_memory(FILE *out, const char *name, const struct row *row,
                              const struct pattern *p) {
  char type[16];
  access_type(row, type);
  bool writes_rs1 = (p->uses & ISA_WRITES_RS1) != 0;
  const char *at =
      writes_rs1 ? "(pointer)" : "((uintptr_t)(pointer) + (uintptr_t)(intptr_t)(offset))";
  const char *move = writes_rs1 ? "  XP_MOVE(pointer, offset); \\\n" : "";
  if (class_is(row, "STORE"))
    fprintf(out,
            "#define %s(value, pointer, offset) __extension__({ \\\n"
            "  XP_AT(%s, %s) = (%s)(value); \\\n%s  (void)0; })\n",
            name, type, at, type, move);
  else
    fprintf(out,
            "#define %s(pointer, offset) __extension__({ \\\n"
            "  int32_t xp_value = (int32_t)XP_AT(%s, %s); \\\n%s  xp_value; })\n",
            name, type, at, move);
}

// ------------------------------------------------------------------ mac&load

// A macro on both sides: it writes the accumulator's place, the pointer and hidden registers.
static void print_macload(FILE *out, const char *name, const struct row *row,
                          const struct pattern *p, bool host) {
  struct form f = form_of(p);
  fprintf(out, "#define %s(rd, pointer, imm) __extension__({ \\\n", name);
  print_assertion(out, name, p, SLOT_IMM, "imm");
  if (!host) {
    char upper[256];
    upper_expression(p, &f, "(", ")", true, upper, sizeof upper);
    fprintf(out,
            "  int32_t xp_rd = (rd); \\\n  __asm__ volatile(\".insn i %#x, %u, %%0, %%1, %%2\" : "
            "\"+r\"(xp_rd), \"+r\"(pointer) : \"i\"(%s) : \"memory\"); \\\n  xp_rd; })\n",
            f.opcode, f.funct3, upper);
    return;
  }
  // The argument of MACLOAD(...) is the product.
  char product[128];
  snprintf(product, sizeof product, "%s", strchr(row->body, '(') + 1);
  product[strlen(product) - 1] = '\0';
  fputs("  uint32_t xp_sum = (uint32_t)(rd) + ", out);
  print_body(out, product);
  fputs("; \\\n  if ((imm) & 0x18) { \\\n"
        "    xp_nn[(imm) & 8 ? (imm) & 1 : 2 + ((imm) >> 1 & 3)] = XP_AT(uint32_t, pointer); \\\n"
        "    XP_MOVE(pointer, 4); \\\n  } \\\n  (int32_t)xp_sum; })\n",
        out);
}

// ------------------------------------------------------------------ all

static void print_intrinsic(FILE *out, const char *name, const struct row *row,
                            const struct enc_source *e, bool host) {
  static const char *const none[] = {"HWLOOP", "BRANCH", "SYSTEM"};
  struct pattern p;
  pattern_parse(row, e, &p);
  for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
    if (class_is(row, none[i]))
      return;
  if (p.size != 4 || (p.uses & (ISA_RD_FP | ISA_RS1_FP | ISA_RS2_FP | ISA_RS3_FP)) != 0)
    return;
  if (p.uses & ISA_USES_IMM) {
    long min, max;
    immediate_range(&p, SLOT_IMM, &min, &max);
    fprintf(out, "// imm %ld..%ld\n", min, max);
  }
  if (class_is(row, "LOAD") || class_is(row, "STORE") || class_is(row, "ELW"))
    (host ? print_host_memory : print_target_memory)(out, name, row, &p);
  else if (class_is(row, "MACLOAD"))
    print_macload(out, name, row, &p, host);
  else if (host)
    print_host_value(out, name, row, &p);
  else if (p.uses & ISA_USES_IMM)
    print_target_macro(out, name, &p);
  else
    print_target_function(out, name, &p);
}

static void print_alias(FILE *out, const struct row *row, const struct enc_source *e,
                        const char *name) {
  if (fixes_imm(e)) {
    bool acc = strstr(e->pattern, "rs3=rd") != NULL;
    fprintf(out, "#define %s(%srs1, rs2) %s(%srs1, rs2, 0)\n", name, acc ? "rd, " : "", row->id,
            acc ? "rd, " : "");
  } else
    fprintf(out, "#define %s %s\n", name, row->id);
}

static void print_set(FILE *out, int set, bool host) {
  for (int i = 0; i < row_count; i++) {
    const struct enc_source *e = row_encoding(&rows[i], set);
    if (e != NULL)
      print_intrinsic(out, rows[i].id, &rows[i], e, host);
  }
}

static void print_corev(FILE *out, bool host) {
  for (int i = 0; i < row_count; i++) {
    bool ours =
        row_encoding(&rows[i], ISA_XPULPV2) != NULL || row_encoding(&rows[i], ISA_COREV) != NULL;
    const struct row *row = ours ? corev_row(&rows[i]) : NULL;
    if (row != NULL)
      print_intrinsic(out, rows[i].id, row, row_encoding(row, ISA_COREV), host);
  }
}

void emit_intrinsics(FILE *out) {
  fputs(prologue, out);
  for (int host = 0; host < 2; host++) {
    fputs(host ? "#else // plain C\n\n#include \"isa/semantics.h\"\n\n" : "#ifdef __riscv\n\n",
          out);
    fputs("#ifndef XPULP_COREV\n\n", out);
    print_set(out, ISA_XPULPV2, host);
    fputs("\n#else // XPULP_COREV\n\n", out);
    print_corev(out, host);
    fputs("\n#endif // XPULP_COREV\n\n", out);
    if (host)
      fputs("static _Thread_local uint32_t xp_nn[6] __attribute__((unused));\n", out);
    print_set(out, ISA_XPULPNN, host);
    emit_float_intrinsics(out, host);
  }
  fputs("\n#endif // __riscv\n\n// Other spellings\n\n", out);
  each_alias(out, print_alias);
  fputs("\n#endif // XPULP_H\n", out);
}
