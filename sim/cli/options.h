// sim/cli/options.h: the command line of a run.
#ifndef PULPSIM_OPTIONS_H
#define PULPSIM_OPTIONS_H

#include "sim/cli/cli.h"
#include "sim/cli/observe.h"

// A file to place in memory before the run.
struct load_option {
  const char *path;
  uint32_t address;
};

struct run_options {
  const char *config;    // --config; NULL: what the program is made for
  const char **settings; // --set and --cores, in order
  unsigned setting_count;
  struct load_option *loads; // --load
  unsigned load_count;
  uint64_t max_cycles;
  const char *until;     // --until: symbol or address; NULL: to the end
  const char *files;     // --files: directory, or NULL
  const char *stats;     // --stats: path, or "-"
  const char *signature; // --signature
  uint32_t signature_granularity;
  uint64_t seed;
  bool plain; // --engine plain
  bool quiet;
  struct observe_options observe;
  const char *program;
  int guest_argc;
  char **guest_argv;
};

// Parses; on a mistake prints a sentence and exits with CLI_USAGE, as argp does.
void options_parse(struct run_options *options, int argc, char **argv);
void options_free(struct run_options *options);

#endif
