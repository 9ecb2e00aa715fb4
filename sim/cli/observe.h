// sim/cli/observe.h: the options that watch a run: traces, profile, debugger, checks.
#ifndef PULPSIM_CLI_OBSERVE_H
#define PULPSIM_CLI_OBSERVE_H

#include <argp.h>

#include "sim/pulpsim.h"

enum { OBSERVE_TRACES = 4 };

struct trace;
struct profile;
struct check;

struct observe_options {
  const char *trace[OBSERVE_TRACES];
  unsigned traces;
  const char *profile, *flame; // files
  bool annotate, check;
  const char *gdb; // [HOST:]PORT or "stdio"
};

// What was started for these options.
struct observation {
  const struct observe_options *options;
  const char *program;
  struct trace *trace[OBSERVE_TRACES];
  unsigned traces;
  struct profile *profile;
  struct check *check;
};

// Child parser of the run's options; its input is a struct observe_options.
extern const struct argp observe_argp;

// Starts what the options ask for on a machine with its program loaded. Returns an exit status, 0
// if all is well; a message has been printed otherwise.
int observe_start(struct observation *o, const struct observe_options *options, struct pulpsim *sim,
                  const char *program);

// Lets a debugger run the program, if one was asked for. Sets `more` if the program is to go on
// without it. Returns an exit status.
int observe_debug(struct observation *o, struct pulpsim *sim, bool *more);

// Ends it and writes the files. Accepts an observation that was never started.
int observe_end(struct observation *o, struct pulpsim *sim);

#endif
