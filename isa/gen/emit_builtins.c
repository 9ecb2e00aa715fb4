// isa/gen/emit_builtins.c: the PULP compiler's builtins that follow from the rows, for
// kernels/compat/pulp_builtins.h, which has the rest. Names and order of operands:
// pulp_builtins.def of pulp-riscv-gcc.
#include <string.h>

#include "isagen.h"

static const char *const not_made[] = {"pv_cmp", "pv_shuffle", "pv_pack", "pv_cplx", "pv_subrotmj"};

// Lanes of a vector instruction by the last letter of its name, 0 if it is none.
static int lanes_of(const char *id) {
  size_t n = strlen(id);
  if (n < 3 || id[n - 2] != '_')
    return 0;
  switch (id[n - 1]) {
  case 'h':
    return 2;
  case 'b':
    return 4;
  case 'n':
    return 8;
  case 'c':
    return 16;
  default:
    return 0;
  }
}

// The type that the result is cast to: a vector of 8 or 16 lanes is an integer, as a sum is.
static const char *result_type(const char *operation, int lanes) {
  bool is_unsigned = operation[strlen(operation) - 1] == 'u';
  if (lanes > 4 || strstr(operation, "dot") != NULL)
    return "int32_t";
  if (lanes == 4)
    return is_unsigned ? "v4u" : "v4s";
  return is_unsigned ? "v2u" : "v2s";
}

// pv_add_sc_b is addsc4.
static void print_vector(FILE *out, const struct row *row, const struct pattern *p) {
  char operation[32];
  const char *id = row->id + 3;
  int lanes = lanes_of(row->id);
  snprintf(operation, sizeof operation, "%.*s", (int)strcspn(id, "_"), id);
  const char *rest = id + strlen(operation);
  bool scalar = strncmp(rest, "_sc_", 4) == 0;
  if (strlen(rest) != (scalar ? 5 : 2))
    return;
  const char *type = result_type(operation, lanes);
  fprintf(out, "#define __builtin_pulp_%s%s%d", strcmp(operation, "xor") == 0 ? "exor" : operation,
          scalar ? "sc" : "", lanes);
  if (p->uses & ISA_USES_RS3)
    fprintf(out, "(a, b, sum) PULP_SUM_(%s, a, b, sum)\n", row->id);
  else if (p->uses & ISA_USES_RS2)
    fprintf(out, "(a, b) ((%s)PULP_2_(%s, a, b))\n", type, row->id);
  else
    fprintf(out, "(a) ((%s)%s(PULP_REGISTER_(a)))\n", type, row->id);
}

// p_macsrn is macsRN, p_addnr addN_r: sums and products that are shifted. What rounds is said twice
// there, as the constant and by the name.
static void print_shifted(FILE *out, const struct row *row, const struct pattern *p) {
  const char *id = row->id + 2;
  size_t n = strlen(id);
  bool in_register = id[n - 1] == 'r', rounds;
  n -= in_register ? 2 : 1;
  rounds = id[n - 1] == 'r';
  n -= rounds;
  bool sum = (p->uses & ISA_USES_RS3) != 0 && !in_register;
  fprintf(out, "#define __builtin_pulp_%.*s%sN%s(a, b%s, shift%s) ", (int)n, id, rounds ? "R" : "",
          in_register ? "_r" : "", sum ? ", sum" : "", rounds && !in_register ? ", half" : "");
  if (sum)
    fprintf(out, "%s((int32_t)(sum), PULP_REGISTER_(a), PULP_REGISTER_(b), shift)\n", row->id);
  else if (in_register)
    fprintf(out, "%s((int32_t)(a), PULP_REGISTER_(b), PULP_REGISTER_(shift))\n", row->id);
  else
    fprintf(out, "%s(PULP_REGISTER_(a), PULP_REGISTER_(b), shift)\n", row->id);
}

static bool is_shifted(const char *id) {
  size_t n = strlen(id);
  static const char *const families[] = {"p_add", "p_sub", "p_mul", "p_mac"};
  for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
    if (strncmp(id, families[i], strlen(families[i])) == 0)
      return id[n - 1] == 'n' || strcmp(id + n - 2, "nr") == 0;
  return false;
}

// Which register takes the word, and whether: a 0..3 and b 0..1, after the sum is made.
static void print_macload(FILE *out, const struct row *row) {
  fprintf(out,
          "#define __builtin_pulp_%.*s%d_v3(a_update, b_update, a, b, pointer, sum) \\\n"
          "  %s(sum, pointer, PULP_NN_(a_update, b_update, a, b))\n",
          (int)(strlen(row->id) - 5), row->id + 3, lanes_of(row->id), row->id);
}

static bool is_made(const struct row *row) {
  for (size_t i = 0; i < sizeof not_made / sizeof not_made[0]; i++)
    if (strncmp(row->id, not_made[i], strlen(not_made[i])) == 0)
      return false;
  return true;
}

static void print_row(FILE *out, const struct row *row, const struct enc_source *e) {
  struct pattern p;
  pattern_parse(row, e, &p);
  bool vector = strncmp(row->id, "pv_", 3) == 0 && lanes_of(row->id) != 0;
  if (!is_made(row))
    return;
  if (strcmp(row->class_name, "MACLOAD") == 0)
    print_macload(out, row);
  else if (vector && !(p.uses & ISA_USES_IMM))
    print_vector(out, row, &p);
  else if (is_shifted(row->id))
    print_shifted(out, row, &p);
}

void emit_builtins(FILE *out) {
  fputs("// Made from isa/rows/*.def by isagen; a part of kernels/compat/pulp_builtins.h.\n", out);
  static const int sets[] = {ISA_XPULPV2, ISA_XPULPNN};
  for (int s = 0; s < 2; s++)
    for (int i = 0; i < row_count; i++) {
      const struct enc_source *e = row_encoding(&rows[i], sets[s]);
      if (e != NULL)
        print_row(out, &rows[i], e);
    }
}
