// sim/cli/run.c: builds the machine, runs the program, reports.
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/cli/cli.h"
#include "sim/cli/options.h"
#include "sim/cli/outputs.h"
#include "sim/cli/progress.h"
#include "sim/cli/signals.h"
#include "sim/cli/signature.h"
#include "sim/loop_hint.h"
#include "sim/number.h"
#include "sim/piped_file.h"
#include "sim/result_file.h"
#include "sim/stdout_check.h"
#include "sim/summary.h"

// One run, from the command line to the report.
struct run {
  struct run_options options;
  struct pulpsim_config *config;
  struct pulpsim *sim;
  struct progress progress;
  struct observation observation;
  struct run_end end;
  struct result_file stats_file;
  FILE *stats;
  FILE *guest;      // where the program's stdout goes to
  int output_error; // errno of the first of its outputs that could not be written
  uint32_t until;
  char reason[600];
};

static void on_output(void *user, int fd, const char *bytes, size_t count) {
  struct run *run = user;
  FILE *out = fd == 2 ? stderr : run->guest;
  progress_clear(&run->progress);
  errno = 0;
  bool kept = fd != 2 || fflush(stdout) == 0;
  kept &= fwrite(bytes, 1, count, out) == count;
  if (count && bytes[count - 1] == '\n' && fflush(out) != 0) // who reads a pipe sees it grow
    kept = false;
  if (kept || run->output_error)
    return;
  run->output_error = errno ? errno : EIO; // nobody will see what comes
  pulpsim_interrupt(run->sim);
}

static int configure(struct run *run) {
  struct pulpsim_error error;
  struct run_options *o = &run->options;
  if (!(o->program = piped_file(o->program)))
    return cli_fail(CLI_BAD_PROGRAM, "cannot read the program from its pipe: %s", strerror(errno));
  run->config = pulpsim_config_new(o->config ? o->config : pulpsim_config_for(o->program), &error);
  if (!run->config)
    return cli_fail(CLI_BAD_CONFIG, "%s", error.text);
  for (unsigned i = 0; i < o->setting_count; i++) {
    if (!pulpsim_config_set(run->config, o->settings[i], &error))
      return cli_fail(CLI_BAD_CONFIG, "%s", error.text);
  }
  if (!pulpsim_config_check(run->config, &error))
    return cli_fail(CLI_BAD_CONFIG, "%s", error.text);
  return 0;
}

static int load(struct run *run) {
  struct pulpsim_error error;
  const struct run_options *o = &run->options;
  run->sim = pulpsim_new(run->config, &error);
  if (!run->sim)
    return cli_fail(CLI_BAD_CONFIG, "%s", error.text);
  if (!pulpsim_set_engine(run->sim, o->plain ? PULPSIM_PLAIN : PULPSIM_FAST))
    return cli_fail(CLI_INTERNAL, "out of memory");
  if (!pulpsim_load(run->sim, o->program, &error))
    return cli_fail(CLI_BAD_PROGRAM, "%s", error.text);
  for (unsigned i = 0; i < o->load_count; i++) {
    if (!pulpsim_load_file(run->sim, o->loads[i].path, o->loads[i].address, &error))
      return cli_fail(CLI_BAD_PROGRAM, "%s", error.text);
  }
  bool input = !o->observe.gdb || strcmp(o->observe.gdb, "stdio") != 0;
  if (!pulpsim_grant(run->sim, o->files, input, &error))
    return cli_fail(CLI_USAGE, "--files %s", error.text);
  pulpsim_arguments(run->sim, o->guest_argc, o->guest_argv);
  pulpsim_shuffle(run->sim, o->seed);
  pulpsim_on_output(run->sim, on_output, run);
  return 0;
}

// What is needed after the run is looked at before it: a mistake should not cost the run.
static int prepare_outputs(struct run *run) {
  const struct run_options *o = &run->options;
  struct pulpsim_error error;
  uint64_t address = 0;
  if (o->until && !pulpsim_symbol(run->sim, o->until, &run->until)) {
    if (!number_parse(o->until, 0, &address) || address > UINT32_MAX)
      return cli_fail(CLI_USAGE, "--until %s: neither a symbol of the program nor an address",
                      o->until);
    run->until = (uint32_t)address;
  }
  int status = outputs_check(o);
  if (status)
    return status;
  run->guest = outputs_take_stdout(o) ? stderr : stdout;
  if (o->stats) {
    run->stats = strcmp(o->stats, "-") == 0 ? stdout : result_file_open(&run->stats_file, o->stats);
    if (!run->stats)
      return cli_fail(CLI_NO_OUTPUT, "--stats %s: %s", o->stats, strerror(errno));
  }
  if (o->signature && !signature_check(run->sim, o->signature, &error))
    return cli_fail(CLI_NO_OUTPUT, "%s", error.text);
  status = cli_writable("--signature", o->signature);
  if (status == 0)
    status = cli_writable("--profile", o->observe.profile);
  return status ? status : cli_writable("--flame", o->observe.flame);
}

// Runs in slices of about a tenth of a second, so that the progress line and Ctrl-C can follow.
static enum pulpsim_state advance(struct run *run) {
  uint64_t cycles = run->options.max_cycles, slice = 100000;
  uint64_t limit = cycles == PULPSIM_NO_LIMIT ? cycles : cycles - 1; // from cycle 0 on
  for (;;) {
    uint64_t now = pulpsim_now(run->sim);
    uint64_t target = slice < limit - now ? now + slice : limit;
    double before = progress_elapsed(&run->progress);
    enum pulpsim_state state = run->options.until ? pulpsim_run_until(run->sim, run->until, target)
                               : target == limit  ? pulpsim_run_exactly(run->sim, target)
                                                  : pulpsim_run(run->sim, target);
    if (state != PULPSIM_READY || pulpsim_now(run->sim) >= limit)
      return state;
    double took = progress_elapsed(&run->progress) - before;
    if (took < 0.05)
      slice *= 2;
    else if (took > 0.2 && slice > 1000)
      slice /= 2;
    progress_update(&run->progress, run->sim);
  }
}

static int execute(struct run *run) {
  bool more;
  int status = observe_debug(&run->observation, run->sim, &more);
  if (!more)
    return status;
  pulpsim_on_output(run->sim, on_output, run);
  signals_catch(run->sim);
  progress_start(&run->progress, !run->options.quiet);
  enum pulpsim_state state = advance(run);
  progress_clear(&run->progress);
  run->end = (struct run_end){.state = state,
                              .limit = state == PULPSIM_READY,
                              .reached = state == PULPSIM_BREAK && run->options.until &&
                                         pulpsim_stop(run->sim)->kind == PULPSIM_STOP_BREAKPOINT,
                              .status = pulpsim_exit_status(run->sim),
                              .reason = pulpsim_reason(run->sim)};
  if (run->end.limit) {
    snprintf(run->reason, sizeof run->reason,
             "stopped by --max-cycles %" PRIu64 "; raise it if the program needs longer",
             run->options.max_cycles);
    run->end.reason = run->reason;
  } else if (run->end.reached) {
    snprintf(run->reason, sizeof run->reason, "core %u is about to execute --until %.200s",
             pulpsim_stop(run->sim)->core, run->options.until);
    run->end.reason = run->reason;
  }
  return status;
}

static int exit_status(const struct run *run) {
  int low = run->end.status & 0xff; // what a process can return
  switch (run->end.state) {
  case PULPSIM_EXITED:
    return low == 0 && run->end.status != 0 ? 0xff : low;
  case PULPSIM_TRAPPED:
    return CLI_TRAP;
  case PULPSIM_DEADLOCK:
    return CLI_DEADLOCK;
  case PULPSIM_READY:
    return CLI_LIMIT;
  default: // the place that --until named, or a signal
    return run->end.reached ? 0 : CLI_SIGNAL + signals_caught();
  }
}

static int write_stats(struct run *run) {
  errno = 0;
  bool good = stats_json_write(run->stats, pulpsim_stats(run->sim), &run->end);
  good &= result_file_close(&run->stats_file, good);
  return good ? 0 : cli_fail(CLI_NO_OUTPUT, "--stats %s: %s", run->options.stats, strerror(errno));
}

// What the program wrote, and this one.
static int flush_streams(struct run *run) {
  if (!run->output_error && fflush(stdout) != 0)
    run->output_error = errno;
  if (run->output_error)
    stdout_check_told();
  if (run->output_error)
    return cli_fail(CLI_NO_OUTPUT, "output is lost: it cannot be written: %s",
                    strerror(run->output_error));
  return ferror(stderr) ? CLI_NO_OUTPUT : 0; // there is nowhere to say so
}

static int report(struct run *run) {
  struct pulpsim_error error;
  const struct run_options *o = &run->options;
  const struct pulpsim_stats *stats = pulpsim_stats(run->sim);
  int status = exit_status(run);
  if (fflush(stdout) != 0 && !run->output_error)
    run->output_error = errno;
  if (!o->quiet)
    summary_print(stderr, stats, &run->end, cli_colour(stderr));
  else if (run->end.state != PULPSIM_EXITED && !run->end.reached && run->end.reason &&
           *run->end.reason)
    cli_fail(0, "%s", run->end.reason);
  char loops[256];
  if (!o->quiet && loop_hint(run->sim, loops, sizeof loops))
    fprintf(stderr, "%s\n", loops);
  const char *notice = pulpsim_notice(run->sim);
  if (*notice)
    cli_fail(0, "%s", notice);
  if (o->until && run->end.state == PULPSIM_EXITED)
    cli_fail(0, "--until %s: no core came to it", o->until);
  if (run->stats && write_stats(run))
    status = CLI_NO_OUTPUT;
  if (o->signature && !signature_write(run->sim, o->signature, o->signature_granularity, &error))
    status = cli_fail(CLI_NO_OUTPUT, "%s", error.text);
  return flush_streams(run) ? CLI_NO_OUTPUT : status;
}

int cli_run(int argc, char **argv) {
  struct run run = {0};
  options_parse(&run.options, argc, argv);
  int status = configure(&run);
  if (status == 0)
    status = load(&run);
  if (status == 0)
    status = prepare_outputs(&run);
  if (status == 0)
    status = observe_start(&run.observation, &run.options.observe, run.sim, run.options.program);
  if (status == 0) {
    status = execute(&run);
    status = status ? status : report(&run);
  }
  int observed = observe_end(&run.observation, run.sim);
  status = observed ? observed : status;
  result_file_close(&run.stats_file, false); // of a run that did not come to its report
  pulpsim_free(run.sim);
  pulpsim_config_free(run.config);
  options_free(&run.options);
  return status;
}
