// isa/gen/emit_table.c: enum isa_op and the tables of isa/tables.h.
#include "isagen.h"

void emit_ops(FILE *out) {
  fputs("// Made from isa/rows/*.def by isagen.\n"
        "#ifndef ISA_OPS_H\n#define ISA_OPS_H\n\nenum isa_op {\n",
        out);
  for (int i = 0; i < row_count; i++)
    fprintf(out, "  ISA_OP_%s,\n", rows[i].id);
  fputs("  ISA_OP_COUNT\n};\n\n#endif\n", out);
}

static void print_escaped(FILE *out, const char *text) {
  for (; *text != '\0'; text++) {
    if (*text == '"' || *text == '\\')
      fputc('\\', out);
    fputc(*text, out);
  }
}

// Calls `visit` for each encoding that assembles, in table order.
static void each_encoding(FILE *out, void (*visit)(FILE *, int, const struct enc_source *,
                                                   const struct pattern *)) {
  for (int i = 0; i < row_count; i++)
    for (const struct enc_source *e = rows[i].encs; e->kind != ENC_END; e++) {
      if (e->kind == ENC_DOC)
        continue;
      struct pattern p;
      pattern_parse(&rows[i], e, &p);
      visit(out, i, e, &p);
    }
}

static void print_enc(FILE *out, int row, const struct enc_source *e, const struct pattern *p) {
  fprintf(
      out,
      "    {\"%s\", \"%s\", \"%s\",\n     0x%08x, 0x%08x, ISA_OP_%s, 0x%03x, %d, %d, %d, %d},\n",
      e->mnemonic, e->syntax, e->pattern, p->mask, p->match, rows[row].id, p->uses, e->set, p->size,
      e->kind == ENC_ALIAS, p->no_zfinx);
}

static void print_steps(FILE *out, int row, const struct enc_source *e, const struct pattern *p) {
  (void)row;
  fprintf(out, "    // %s\n   ", e->mnemonic);
  for (int i = 0; i < p->step_count; i++) {
    const struct isa_step *s = &p->steps[i];
    fprintf(out, " {%d, %d, %d, %d, %d},", s->kind, s->slot, s->a, s->b, s->c);
  }
  fputc('\n', out);
}

static int steps_so_far;

static void print_first(FILE *out, int row, const struct enc_source *e, const struct pattern *p) {
  (void)row, (void)e;
  fprintf(out, "    %d,\n", steps_so_far);
  steps_so_far += p->step_count;
}

static void count_enc(FILE *out, int row, const struct enc_source *e, const struct pattern *p) {
  (void)out, (void)row, (void)e, (void)p;
  steps_so_far++;
}

void emit_table(FILE *out) {
  fputs("// Made from isa/rows/*.def by isagen. Included by isa/tables.c.\n\n"
        "const struct isa_op_info isa_ops[] = {\n",
        out);
  for (int i = 0; i < row_count; i++) {
    const char *note = row_doc(&rows[i]);
    fprintf(out, "    {\"%s\", ISA_CLASS_%s, %d,\n     \"", rows[i].id, rows[i].class_name,
            rows[i].macs);
    print_escaped(out, rows[i].body);
    fputs("\",\n     \"", out);
    print_escaped(out, note ? note : "");
    fputs("\"},\n", out);
  }
  fprintf(out, "};\nconst size_t isa_op_count = %d;\n\nconst struct isa_enc_info isa_encs[] = {\n",
          row_count);
  each_encoding(out, print_enc);
  steps_so_far = 0;
  each_encoding(out, count_enc);
  fprintf(out, "};\nconst size_t isa_enc_count = %d;\n\nconst struct isa_step isa_steps[] = {\n",
          steps_so_far);
  each_encoding(out, print_steps);
  fputs("};\n\nconst uint16_t isa_first_step[] = {\n", out);
  steps_so_far = 0;
  each_encoding(out, print_first);
  fprintf(out, "    %d,\n};\n\nconst char *const isa_set_names[ISA_SET_COUNT] = {\n", steps_so_far);
  for (int i = 0; i < ISA_SET_COUNT; i++)
    fprintf(out, "    \"%s\",\n", set_names[i]);
  fputs("};\n\nconst char *const isa_class_names[ISA_CLASS_COUNT] = {\n", out);
  for (int i = 0; i < ISA_CLASS_COUNT; i++)
    fprintf(out, "    \"%s\",\n", class_names[i]);
  fputs("};\n", out);
}
