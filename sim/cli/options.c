// sim/cli/options.c: the command line of a run, by argp.
#include "sim/cli/options.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "sim/number.h"

const char *argp_program_version = "pulpsim " PULPSIM_VERSION;

enum {
  OPT_STATS = 0x100,
  OPT_UNTIL,
  OPT_LOAD,
  OPT_SIGNATURE,
  OPT_GRANULARITY,
  OPT_SEED,
  OPT_ENGINE,
  OPT_STRICT,
  OPT_ACTIVE,
  OPT_FILES,
};

static const struct argp_option table[] = {
    {NULL, 0, NULL, 0, "Machine:", 1},
    {"config", 'c', "NAME|FILE", 0, "configuration (default: what the ELF is for)", 1},
    {"machine", 0, NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, 1},
    {"set", 's', "KEY=VALUE", 0, "change one key of it; may be repeated", 1},
    {"cores", 'n', "N", 0, "a cluster built with N: --set cluster.cores=N", 1},
    {"active", OPT_ACTIVE, "N", 0, "N of its cores start, not all: --set cluster.active=N", 1},
    {"load", OPT_LOAD, "FILE@ADDR", 0, "place a file's bytes in memory first", 1},
    {NULL, 0, NULL, 0, "Run:", 2},
    {"max-cycles", 'm', "N", 0, "stop after N cycles (10M: ten million)", 2},
    {"until", OPT_UNTIL, "SYMBOL|PC", 0, "stop when a core is about to execute it", 2},
    {"seed", OPT_SEED, "N", 0, "shuffle equal times; results must stay", 2},
    {"strict", OPT_STRICT, NULL, 0, "stop at hardware loops that the manual forbids", 2},
    {"engine", OPT_ENGINE, "fast|plain", 0, "plain: all clock by clock; same results", 2},
    {"files", OPT_FILES, "DIRECTORY", 0, "let the program open files there", 2},
    {NULL, 0, NULL, 0, "Output:", 3},
    {"stats", OPT_STATS, "FILE", 0, "statistics as JSON (- for stdout)", 3},
    {"signature", OPT_SIGNATURE, "FILE", 0, "memory begin_signature..end_signature as hex", 3},
    {"signature-granularity", OPT_GRANULARITY, "N", 0, "bytes per line: 4, 8 or 16 (default 4)", 3},
    {"quiet", 'q', NULL, 0, "no summary and no progress", 3},
    {NULL, 0, NULL, 0, "Other:", -1},
    {0},
};

static const char doc[] =
    "Runs a RISC-V program on a simulated PULP cluster, cycle by cycle, and reports where the "
    "cycles went.\v"
    "Other commands: pulpsim config | disasm | isa, each with --help.\n"
    "Exit status: the program's own; 64 usage, 65 program or file, 70 out of memory, 73 output, "
    "78 configuration, 120 trap, 121 deadlock, 124 cycle limit, 128+N signal N (Ctrl-C: 130).";

static void parse_load(struct run_options *o, const char *arg, struct argp_state *state) {
  uint64_t address = 0;
  char *copy = strdup(arg);
  char *at = copy ? strrchr(copy, '@') : NULL;
  if (!at || at == copy || !number_parse(at + 1, 0, &address) || address > UINT32_MAX)
    argp_error(state, "--load %s: takes FILE@ADDRESS, e.g. weights.bin@0x1c010000", arg);
  if (at) // argp_error does not return
    *at = '\0';
  o->loads[o->load_count++] = (struct load_option){copy, (uint32_t)address};
}

static void add_setting(struct run_options *o, const char *prefix, const char *arg) {
  char *text = NULL;
  if (asprintf(&text, "%s%s", prefix, arg) >= 0)
    o->settings[o->setting_count++] = text;
}

static uint64_t number(const char *option, const char *arg, struct argp_state *state) {
  uint64_t value = 0;
  if (!number_parse(arg, 1000, &value))
    argp_error(state, "--%s %s: takes a number such as 5000, 10k, 20M or 1G", option, arg);
  return value;
}

static void argument(struct run_options *o, char *arg, struct argp_state *state) {
  if (!o->program) {
    o->program = arg;
  } else if (state->quoted) { // behind "--"
    o->guest_argv = state->argv + state->next - 1;
    o->guest_argc = state->argc - state->next + 1;
    state->next = state->argc;
  } else {
    argp_error(state, "'%s': one program at a time; its own arguments go behind --", arg);
  }
}

static void parse_granularity(struct run_options *o, const char *arg, struct argp_state *state) {
  if (strcmp(arg, "4") != 0 && strcmp(arg, "8") != 0 && strcmp(arg, "16") != 0)
    argp_error(state, "--signature-granularity %s: takes 4, 8 or 16", arg);
  o->signature_granularity = (uint32_t)number("signature-granularity", arg, state);
}

static error_t parse(int key, char *arg, struct argp_state *state) {
  struct run_options *o = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &o->observe;
    return 0;
  case 'c':
    o->config = arg;
    return 0;
  case 's':
  case 'n':
  case OPT_ACTIVE:
    add_setting(o, key == 's' ? "" : key == 'n' ? "cluster.cores=" : "cluster.active=", arg);
    return 0;
  case 'm':
    o->max_cycles = number("max-cycles", arg, state);
    if (!o->max_cycles)
      argp_error(state, "--max-cycles 0: nothing would run");
    return 0;
  case 'q':
    o->quiet = true;
    return 0;
  case OPT_LOAD:
    parse_load(o, arg, state);
    return 0;
  case OPT_STATS:
    o->stats = arg;
    return 0;
  case OPT_FILES:
    o->files = arg;
    return 0;
  case OPT_UNTIL:
    o->until = arg;
    return 0;
  case OPT_SIGNATURE:
    o->signature = arg;
    return 0;
  case OPT_GRANULARITY:
    parse_granularity(o, arg, state);
    return 0;
  case OPT_SEED:
    o->seed = number("seed", arg, state);
    return 0;
  case OPT_STRICT:
    add_setting(o, "core.strict=", "true");
    return 0;
  case OPT_ENGINE:
    o->plain = strcmp(arg, "plain") == 0;
    if (!o->plain && strcmp(arg, "fast") != 0)
      argp_error(state, "--engine %s: takes fast or plain", arg);
    return 0;
  case ARGP_KEY_ARG:
    argument(o, arg, state);
    return 0;
  case ARGP_KEY_NO_ARGS:
    argp_error(state, "no program given; name an ELF file, e.g. build/kernels/NAME.elf");
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

void options_parse(struct run_options *options, int argc, char **argv) {
  static const struct argp_child children[] = {{&observe_argp, 0, NULL, 0}, {0}};
  static const struct argp argp = {table, parse, "ELF|- [-- ARGUMENT...]", doc, children,
                                   NULL,  NULL};
  setenv("ARGP_HELP_FMT", "no-dup-args-note", 0); // the help should fit a screen
  *options = (struct run_options){.max_cycles = PULPSIM_NO_LIMIT, .signature_granularity = 4};
  options->settings = calloc((size_t)argc + 1, sizeof *options->settings);
  options->loads = calloc((size_t)argc + 1, sizeof *options->loads);
  if (!options->settings || !options->loads)
    exit(cli_fail(CLI_INTERNAL, "out of memory"));
  argp_err_exit_status = CLI_USAGE;
  argp_parse(&argp, argc, argv, 0, NULL, options);
}

void options_free(struct run_options *options) {
  for (unsigned i = 0; i < options->setting_count; i++)
    free((char *)options->settings[i]);
  for (unsigned i = 0; i < options->load_count; i++)
    free((char *)options->loads[i].path);
  free(options->settings);
  free(options->loads);
}
