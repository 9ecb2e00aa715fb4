// sim/cli/isa.c: `pulpsim isa`: the instructions that the simulator knows.
#include <argp.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "isa/isa.h"
#include "sim/cli/cli.h"
#include "sim/cli/isa_show.h"
#include "sim/number.h"

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

static bool in_set(const struct isa_options *o, unsigned set) {
  return !o->set || strcasecmp(o->set, isa_set_names[set]) == 0;
}

static bool is_wanted(const struct isa_options *o, const struct isa_enc_info *e) {
  bool match = o->pattern_count == 0;
  for (unsigned i = 0; i < o->pattern_count && !match; i++)
    match = fnmatch(o->patterns[i], e->mnemonic, 0) == 0;
  return match && in_set(o, e->set);
}

static void print_encoding(const struct isa_enc_info *e) {
  const struct isa_op_info *op = &isa_ops[e->op];
  printf("%-9s %-16s %-22s %s", isa_set_names[e->set], e->mnemonic, e->syntax, e->pattern);
  printf("  [%s%s", isa_class_names[op->cls], op->macs ? "" : "]\n");
  if (op->macs)
    printf(", %u MAC]\n", op->macs);
}

// Patterns give a list; names alone, the details.
static bool asks_for_list(const struct isa_options *o) {
  for (unsigned i = 0; i < o->pattern_count; i++)
    if (strpbrk(o->patterns[i], "*?["))
      return true;
  return o->pattern_count == 0;
}

static int list(const struct isa_options *o) {
  size_t found = 0;
  bool brief = asks_for_list(o);
  for (size_t i = 0; i < isa_enc_count; i++) {
    if (!is_wanted(o, &isa_encs[i]))
      continue;
    if (brief)
      print_encoding(&isa_encs[i]);
    else
      printf("%s", found ? "\n" : ""), isa_show((unsigned)i, NULL);
    found++;
  }
  if (found)
    return 0;
  return cli_fail(CLI_USAGE, "no such instruction; try a pattern as in: pulpsim isa 'pv.*dot*'");
}

static bool is_word(const char *text, uint32_t *word) {
  uint64_t value;
  if (strncmp(text, "0x", 2) != 0 || !number_parse(text, 0, &value) || value > UINT32_MAX)
    return false;
  *word = (uint32_t)value;
  return true;
}

// What a word means in each of the sets: they do not agree, and a machine has some of them.
static int show_word(const struct isa_options *o, uint32_t word) {
  unsigned found = 0;
  for (unsigned set = 0; set < ISA_SET_COUNT; set++) {
    struct isa_decoder *decoder = isa_decoder_new(ISA_BIT(set), false);
    struct isa_insn insn;
    if (!decoder)
      return cli_fail(CLI_INTERNAL, "out of memory");
    if (in_set(o, set) && isa_decode(decoder, word, &insn)) {
      printf("%s", found++ ? "\n" : "");
      isa_show(insn.enc, &insn);
    }
    isa_decoder_free(decoder);
  }
  if (found)
    return 0;
  return cli_fail(CLI_USAGE, "0x%08x is no instruction in any set", (unsigned)word);
}

static int answer(struct isa_options *o) {
  if (!o->set && !o->pattern_count) {
    list_sets();
    return 0;
  }
  int status = 0;
  unsigned names = 0;
  for (unsigned i = 0; i < o->pattern_count; i++) {
    uint32_t word;
    if (is_word(o->patterns[i], &word)) {
      int one = show_word(o, word);
      status = one ? one : status;
    } else {
      o->patterns[names++] = o->patterns[i];
    }
  }
  if (o->pattern_count && !names)
    return status;
  o->pattern_count = names;
  int one = list(o);
  return one ? one : status;
}

int cli_isa(int argc, char **argv) {
  static const struct argp argp = {
      table,
      parse,
      "[MNEMONIC|0xWORD...]",
      "Shows what instructions do, their bit fields and timing; a pattern with * or ? gives a "
      "list. Without any: the sets.",
      NULL,
      NULL,
      NULL};
  struct isa_options o = {0};
  o.patterns = calloc((size_t)argc + 1, sizeof *o.patterns);
  if (!o.patterns)
    return cli_fail(CLI_INTERNAL, "out of memory");
  argp_err_exit_status = CLI_USAGE;
  argp_parse(&argp, argc, argv, 0, NULL, &o);
  int status = answer(&o);
  free(o.patterns);
  return status;
}
