#include "sim/cli/observe.h"

#include <inttypes.h>
#include <signal.h>

#include "observe/check.h"
#include "observe/gdb.h"
#include "observe/profile.h"
#include "observe/trace.h"
#include "sim/cli/cli.h"

enum { OPT_TRACE = 0x200, OPT_PROFILE, OPT_FLAME, OPT_ANNOTATE, OPT_CHECK, OPT_GDB };

static const struct argp_option table[] = {
    {NULL, 0, NULL, 0, "Observation (see docs/traces.md, docs/debugging.md):", 4},
    {"trace", OPT_TRACE, "KIND=FILE[,...]", 0, "log, spike, konata, perfetto, vcd, rvfi", 4},
    {"profile", OPT_PROFILE, "FILE", 0, "profile in callgrind's format, for KCachegrind", 4},
    {"flame", OPT_FLAME, "FILE", 0, "folded stacks, for flame graphs", 4},
    {"annotate", OPT_ANNOTATE, NULL, 0, "print the lines and loops that cost most, and why", 4},
    {"check", OPT_CHECK, NULL, 0, "look for races, stack overflow and other mistakes", 4},
    {"gdb", OPT_GDB, "[HOST:]PORT|stdio", 0, "let gdb-multiarch run the program", 4},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state) {
  struct observe_options *o = state->input;
  switch (key) {
  case OPT_TRACE:
    if (o->traces == OBSERVE_TRACES)
      argp_error(state, "--trace %s: at most %d traces at once", arg, OBSERVE_TRACES);
    else
      o->trace[o->traces++] = arg;
    return 0;
  case OPT_PROFILE:
    o->profile = arg;
    return 0;
  case OPT_FLAME:
    o->flame = arg;
    return 0;
  case OPT_ANNOTATE:
    o->annotate = true;
    return 0;
  case OPT_CHECK:
    o->check = true;
    return 0;
  case OPT_GDB:
    o->gdb = arg;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

const struct argp observe_argp = {table, parse, NULL, NULL, NULL, NULL, NULL};

int observe_start(struct observation *o, const struct observe_options *options, struct pulpsim *sim,
                  const char *program) {
  struct pulpsim_error error;
  o->options = options;
  o->program = program;
  if (options->gdb && (options->traces || options->profile || options->flame || options->annotate ||
                       options->check))
    return cli_fail(CLI_USAGE, "--gdb goes back in time, which traces and profiles cannot: "
                               "choose one of them");
  for (unsigned i = 0; i < options->traces; i++) {
    bool understood;
    struct trace *t = trace_open(sim, options->trace[i], &understood, &error);
    if (!t)
      return cli_fail(understood ? CLI_NO_OUTPUT : CLI_USAGE, "--trace %s", error.text);
    o->trace[o->traces++] = t;
  }
  if (options->profile || options->flame || options->annotate) {
    o->profile = profile_new(sim, &error);
    if (!o->profile)
      return cli_fail(CLI_INTERNAL, "%s", error.text);
  }
  if (options->check) {
    o->check = check_new(sim, &error);
    if (!o->check)
      return cli_fail(CLI_INTERNAL, "%s", error.text);
  }
  return 0;
}

int observe_debug(struct observation *o, struct pulpsim *sim, bool *more) {
  struct pulpsim_error error = {""};
  *more = true;
  if (!o->options->gdb)
    return 0;
  switch (gdb_serve(sim, o->options->gdb, &error)) {
  case GDB_END_FAILED:
    *more = false;
    return cli_fail(CLI_USAGE, "%s", error.text);
  case GDB_END_KILLED:
    *more = false;
    return CLI_SIGNAL + SIGINT;
  default: // it has ended, or goes on
    return 0;
  }
}

static int write_profile(struct observation *o) {
  const struct observe_options *k = o->options;
  struct pulpsim_error error;
  int status = 0;
  if (k->profile && !profile_write_callgrind(o->profile, k->profile, o->program, &error))
    status = cli_fail(CLI_NO_OUTPUT, "--profile %s", error.text);
  if (k->flame && !profile_write_folded(o->profile, k->flame, &error))
    status = cli_fail(CLI_NO_OUTPUT, "--flame %s", error.text);
  if (k->annotate)
    profile_annotate(o->profile, stderr, cli_colour(stderr));
  return status;
}

int observe_end(struct observation *o, struct pulpsim *sim) {
  struct pulpsim_error error;
  int status = 0;
  if (sim)
    pulpsim_observe_end(sim);
  for (unsigned i = 0; i < o->traces; i++) {
    if (sim && pulpsim_now(sim) > 0 && trace_is_empty(o->trace[i]))
      cli_fail(0,
               "--trace %s: no instruction was chosen by its settings; the run had %" PRIu64
               " cycles",
               o->options->trace[i], pulpsim_now(sim));
    if (!trace_close(o->trace[i], &error))
      status = cli_fail(CLI_NO_OUTPUT, "%s", error.text);
  }
  o->traces = 0;
  if (o->profile && write_profile(o))
    status = CLI_NO_OUTPUT;
  profile_free(o->profile);
  o->profile = NULL;
  if (o->check)
    check_report(o->check, stderr);
  check_free(o->check);
  o->check = NULL;
  return status;
}
