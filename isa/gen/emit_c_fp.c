// isa/gen/emit_c_fp.c: C intrinsics of the small floats.
#include <string.h>

#include "emit_c.h"

static const char prologue[] =
    "// 16-bit floats and their vectors, for files that define XPULP_SMALL_FLOATS first. A float\n"
    "// register is a `float`: a number boxed with ones, or two lanes. Rounding is what frm says;\n"
    "// on a host it is to nearest, and flags are dropped (link isa/fp*.c). Scalars are loaded\n"
    "// and stored by flh(pointer, offset) and fsh(value, pointer, offset), pairs as floats.\n";

static const char host_helpers[] = "#include <string.h>\n\n"
                                   "#include \"isa/fp.h\"\n\n"
                                   "static inline uint32_t xp_bits(float value) {\n"
                                   "  uint32_t bits;\n"
                                   "  memcpy(&bits, &value, 4);\n"
                                   "  return bits;\n"
                                   "}\n"
                                   "static inline float xp_float(uint32_t bits) {\n"
                                   "  float value;\n"
                                   "  memcpy(&value, &bits, 4);\n"
                                   "  return value;\n"
                                   "}\n"
                                   "#define XP_FP(expression) rd = (expression)\n\n";

// Operands of the function: rd where it accumulates, then the sources.
struct operand {
  enum isa_slot slot;
  const char *name;
  uint16_t uses, fp;
};
static const struct operand sources[] = {
    {SLOT_RS1, "rs1", ISA_USES_RS1, ISA_RS1_FP},
    {SLOT_RS2, "rs2", ISA_USES_RS2, ISA_RS2_FP},
    {SLOT_RS3, "rs3", ISA_USES_RS3, ISA_RS3_FP},
};

static bool accumulates(const struct pattern *p) {
  for (int i = 0; i < p->step_count; i++)
    if (p->steps[i].kind == STEP_TIE && p->steps[i].slot == SLOT_RS3)
      return true;
  return false;
}

static const char *type_of(const struct pattern *p, uint16_t fp) {
  return p->uses & fp ? "float" : "int32_t";
}

static void print_head(FILE *out, const char *name, const struct pattern *p) {
  const char *comma = "";
  fprintf(out, "static inline %s %s(", type_of(p, ISA_RD_FP), name);
  if (accumulates(p)) {
    fprintf(out, "%s acc", type_of(p, ISA_RD_FP));
    comma = ", ";
  }
  for (int i = 0; i < 3 - accumulates(p); i++)
    if (p->uses & sources[i].uses) {
      fprintf(out, "%s%s %s", comma, type_of(p, sources[i].fp), sources[i].name);
      comma = ", ";
    }
  fputs(") {\n", out);
}

static void print_target(FILE *out, const char *name, const struct pattern *p) {
  static const char *const operand[SLOT_COUNT] = {"%0", "%1", "%2", "%3", "", ""};
  struct form f = form_of(p);
  char upper[256];
  bool acc = accumulates(p);
  upper_expression(p, &f, "", "", f.kind == FORM_I, upper, sizeof upper);
  print_head(out, name, p);
  fprintf(out, "  %s xp_rd%s;\n  __asm__(", type_of(p, ISA_RD_FP), acc ? " = acc" : "");
  print_asm_text(out, &f, operand, upper);
  fprintf(out, " : \"%s%c\"(xp_rd) : ", acc ? "+" : "=", p->uses & ISA_RD_FP ? 'f' : 'r');
  for (int i = 0; i < 3 - acc; i++)
    if (p->uses & sources[i].uses)
      fprintf(out, "%s\"%c\"(%s)", i ? ", " : "", p->uses & sources[i].fp ? 'f' : 'r',
              sources[i].name);
  fputs(");\n  return xp_rd;\n}\n", out);
}

static void print_host(FILE *out, const char *name, const struct row *row,
                       const struct pattern *p) {
  bool acc = accumulates(p);
  print_head(out, name, p);
  fputs("  unsigned fl = 0;\n  uint32_t rd", out);
  if (acc)
    fprintf(out, ", xp_rs3 = %s", p->uses & ISA_RD_FP ? "xp_bits(acc)" : "(uint32_t)acc");
  for (int i = 0; i < 3 - acc; i++)
    if (p->uses & sources[i].uses)
      fprintf(out, p->uses & sources[i].fp ? ", xp_%s = xp_bits(%s)" : ", xp_%s = (uint32_t)%s",
              sources[i].name, sources[i].name);
  fputs(";\n  (void)fl;\n  ", out);
  print_body_with(out, row->body, "xp_");
  fprintf(out, ";\n  return %s;\n}\n", p->uses & ISA_RD_FP ? "xp_float(rd)" : "(int32_t)rd");
}

static void print_target_memory(FILE *out, const char *name, const struct pattern *p, bool store) {
  struct form f = form_of(p);
  if (store)
    fprintf(out,
            "#define %s(value, pointer, offset) __extension__({ \\\n"
            "  __asm__ volatile(\".insn s %#x, %u, %%0, %%2(%%1)\" : : \"f\"(value), "
            "\"r\"(pointer), \"i\"(offset) : \"memory\"); \\\n  (void)0; })\n",
            name, f.opcode, f.funct3);
  else
    fprintf(out,
            "#define %s(pointer, offset) __extension__({ \\\n  float xp_value; \\\n"
            "  __asm__(\".insn i %#x, %u, %%0, %%1, %%2\" : \"=f\"(xp_value) : \"r\"(pointer), "
            "\"i\"(offset) : \"memory\"); \\\n  xp_value; })\n",
            name, f.opcode, f.funct3);
}

static void print_host_memory(FILE *out, const char *name, bool store) {
  if (store)
    fprintf(out,
            "#define %s(value, pointer, offset) \\\n"
            "  ((void)(XP_AT(uint16_t, (uintptr_t)(pointer) + (uintptr_t)(intptr_t)(offset)) = "
            "(uint16_t)xp_bits(value)))\n",
            name);
  else
    fprintf(out,
            "#define %s(pointer, offset) \\\n"
            "  xp_float(FP16_BOX(XP_AT(uint16_t, (uintptr_t)(pointer) + "
            "(uintptr_t)(intptr_t)(offset))))\n",
            name);
}

static void print_row(FILE *out, const struct row *row, const struct enc_source *e, bool host) {
  struct pattern p;
  pattern_parse(row, e, &p);
  bool load = strcmp(row->class_name, "FP_LOAD") == 0,
       store = strcmp(row->class_name, "FP_STORE") == 0;
  if (load || store) {
    if (host)
      print_host_memory(out, row->id, store);
    else
      print_target_memory(out, row->id, &p, store);
  } else if (host)
    print_host(out, row->id, row, &p);
  else
    print_target(out, row->id, &p);
}

void emit_float_intrinsics(FILE *out, bool host) {
  fprintf(out, "\n#ifdef XPULP_SMALL_FLOATS\n%s\n%s", prologue, host ? host_helpers : "");
  for (int set = ISA_XF16; set <= ISA_XFVEC; set++)
    for (int i = 0; i < row_count; i++) {
      const struct enc_source *e = row_encoding(&rows[i], set);
      if (e != NULL)
        print_row(out, &rows[i], e, host);
    }
  fputs("\n#endif // XPULP_SMALL_FLOATS\n", out);
}
