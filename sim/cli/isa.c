// sim/cli/isa.c: `pulpsim isa`: the instructions that the simulator knows.
#include <argp.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "isa/isa.h"
#include "sim/cli/cli.h"

struct isa_options {
  const char *set;
  const char **patterns;
  unsigned pattern_count;
};

static const struct argp_option table[] = {
    {"set", 's', "SET", 0, "only instructions of this set", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state) {
  struct isa_options *o = state->input;
  switch (key) {
  case 's':
    o->set = arg;
    return 0;
  case ARGP_KEY_ARG:
    o->patterns[o->pattern_count++] = arg;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static void list_sets(void) {
  unsigned count[ISA_SET_COUNT] = {0};
  for (size_t i = 0; i < isa_enc_count; i++)
    count[isa_encs[i].set]++;
  for (unsigned i = 0; i < ISA_SET_COUNT; i++)
    printf("%-10s %4u instructions\n", isa_set_names[i], count[i]);
}

static bool is_wanted(const struct isa_options *o, const struct isa_enc_info *e) {
  bool match = o->pattern_count == 0;
  for (unsigned i = 0; i < o->pattern_count && !match; i++)
    match = fnmatch(o->patterns[i], e->mnemonic, 0) == 0;
  return match && (!o->set || strcasecmp(o->set, isa_set_names[e->set]) == 0);
}

static void print_encoding(const struct isa_enc_info *e) {
  const struct isa_op_info *op = &isa_ops[e->op];
  printf("%-9s %-16s %-22s %s", isa_set_names[e->set], e->mnemonic, e->syntax, e->pattern);
  printf("  [%s%s", isa_class_names[op->cls], op->macs ? "" : "]\n");
  if (op->macs)
    printf(", %u MAC]\n", op->macs);
}

static int list(const struct isa_options *o) {
  size_t found = 0;
  for (size_t i = 0; i < isa_enc_count; i++) {
    if (is_wanted(o, &isa_encs[i])) {
      print_encoding(&isa_encs[i]);
      found++;
    }
  }
  if (found)
    return 0;
  return cli_fail(CLI_USAGE, "no such instruction; try a pattern as in: pulpsim isa 'pv.*dot*'");
}

int cli_isa(int argc, char **argv) {
  static const struct argp argp = {
      table,
      parse,
      "[MNEMONIC...]",
      "Shows instructions with operands, bit pattern and timing class; "
      "mnemonics may hold * and ?. Without any: the sets.",
      NULL,
      NULL,
      NULL};
  struct isa_options o = {0};
  o.patterns = calloc((size_t)argc + 1, sizeof *o.patterns);
  if (!o.patterns)
    return cli_fail(CLI_INTERNAL, "out of memory");
  argp_err_exit_status = CLI_USAGE;
  argp_parse(&argp, argc, argv, 0, NULL, &o);
  int status = 0;
  if (o.set || o.pattern_count)
    status = list(&o);
  else
    list_sets();
  free(o.patterns);
  return fflush(stdout) == 0 ? status : cli_fail(CLI_NO_OUTPUT, "stdout cannot be written");
}
