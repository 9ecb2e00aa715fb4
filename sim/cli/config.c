// sim/cli/config.c: `pulpsim config`: keys, machines, checks.
#include <argp.h>
#include <stdlib.h>

#include "sim/cli/cli.h"

struct config_options {
  char action; // 0, 'l'ist, 's'how, 'c'heck, 'n'ames
  bool markdown;
  const char **settings;
  unsigned setting_count;
  const char **files;
  unsigned file_count;
};

enum { OPT_MARKDOWN = 0x100 };

static const struct argp_option table[] = {
    {"list", 'l', NULL, 0, "all keys with range, default and meaning", 0},
    {"names", 'n', NULL, 0, "the configurations that come with the program", 0},
    {"show", 's', NULL, 0, "all values of a configuration, as YAML (default pulp-open)", 0},
    {"check", 'c', NULL, 0, "say what is wrong with each configuration, if anything", 0},
    {"set", 'S', "KEY=VALUE", 0, "change one key first; may be repeated; alone: --show", 0},
    {"markdown", OPT_MARKDOWN, NULL, 0, "with --list: as a page", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state) {
  struct config_options *o = state->input;
  switch (key) {
  case 'l':
  case 'n':
  case 's':
  case 'c':
    if (o->action && o->action != key)
      argp_error(state, "one of --list, --names, --show, --check at a time");
    o->action = (char)key;
    return 0;
  case 'S':
    o->settings[o->setting_count++] = arg;
    return 0;
  case OPT_MARKDOWN:
    o->markdown = true;
    return 0;
  case ARGP_KEY_ARG:
    o->files[o->file_count++] = arg;
    return 0;
  case ARGP_KEY_END:
    if (!o->action && o->setting_count)
      o->action = 's';
    if (!o->action)
      argp_error(state, "say what to do: --list, --names, --show or --check");
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

// Loads, changes and checks one configuration; shows it if asked to.
static int treat(const struct config_options *o, const char *name) {
  struct pulpsim_error error;
  struct pulpsim_config *config = pulpsim_config_new(name, &error);
  bool ok = config != NULL;
  for (unsigned i = 0; ok && i < o->setting_count; i++)
    ok = pulpsim_config_set(config, o->settings[i], &error);
  if (ok && !pulpsim_config_check(config, &error)) {
    pulpsim_config_free(config);
    return cli_fail(CLI_BAD_CONFIG, "%s: %s", name, error.text);
  }
  if (ok && o->action == 's')
    pulpsim_config_show(config, stdout);
  pulpsim_config_free(config);
  return ok ? 0 : cli_fail(CLI_BAD_CONFIG, "%s", error.text);
}

static int act(struct config_options *o) {
  int status = 0;
  if (o->action == 'l') {
    pulpsim_config_list(stdout, o->markdown);
  } else if (o->action == 'n') {
    for (size_t i = 0; pulpsim_config_name(i); i++)
      puts(pulpsim_config_name(i));
  } else {
    if (o->file_count == 0)
      o->files[o->file_count++] = "pulp-open";
    for (unsigned i = 0; i < o->file_count; i++) {
      int one = treat(o, o->files[i]);
      status = one ? one : status;
    }
  }
  return status;
}

int cli_config(int argc, char **argv) {
  static const struct argp argp = {table,
                                   parse,
                                   "[NAME|FILE...]",
                                   "Lists the keys of a machine's configuration, shows or checks "
                                   "configurations.",
                                   NULL,
                                   NULL,
                                   NULL};
  struct config_options o = {0};
  o.settings = calloc((size_t)argc + 1, sizeof *o.settings);
  o.files = calloc((size_t)argc + 2, sizeof *o.files);
  int status = o.settings && o.files ? 0 : cli_fail(CLI_INTERNAL, "out of memory");
  argp_err_exit_status = CLI_USAGE;
  if (status == 0) {
    argp_parse(&argp, argc, argv, 0, NULL, &o);
    status = act(&o);
  }
  free(o.settings);
  free(o.files);
  return status;
}
