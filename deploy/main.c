// deploy/main.c: the program `pulpsim-deploy`: hands over to one of its commands.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "deploy/cli/cli.h"
#include "deploy/family/family.h"
#include "sim/spelling.h"
#include "sim/stdout_check.h"

static const struct command {
  const char *name, *title, *what;
  int (*run)(int argc, char **argv);
} commands[] = {
    {"fit", "pulpsim-deploy fit", "bits for every tensor, such that a network fits a device",
     cli_fit},
    {"info", "pulpsim-deploy info", "layers, shapes, operations and bytes of a model", cli_info},
    {"quantize", "pulpsim-deploy quantize", "an integer network of a model, and inputs",
     cli_quantize},
    {"requant", "pulpsim-deploy requant", "an integer network, its requantizations in 32 bits",
     cli_requant},
    {"run", "pulpsim-deploy run", "execute a model on the host", cli_run},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static int help(void) {
  puts("usage: pulpsim-deploy COMMAND [OPTION...]\n\nNeural networks on the simulated machine.\n");
  for (size_t i = 0; i < COMMANDS; i++)
    printf("  %-10s %s\n", commands[i].name, commands[i].what);
  printf("  %-10s %s\n", "MODEL -o DIR", "C for the machine");
  puts("\n`pulpsim-deploy COMMAND --help` shows a command's options; --version: the version.");
  return 0;
}

static int version(void) {
  puts("pulpsim-deploy " PULPSIM_VERSION);
  return 0;
}

// A command that may have been meant: `name` is no model.
static const char *near_command(const char *name) {
  if (*name == '-' || access(name, F_OK) == 0 || family_named(name))
    return NULL;
  for (size_t i = 0; i < COMMANDS; i++) {
    unsigned far = 1 + (unsigned)strlen(commands[i].name) / 3;
    if (spelling_distance(name, commands[i].name, far) < far)
      return commands[i].title;
  }
  return NULL;
}

int main(int argc, char **argv) {
  stdout_check_at_exit("pulpsim-deploy");
  if (argc < 2)
    return deploy_fail(DEPLOY_USAGE, "give a command; `pulpsim-deploy --help` lists them");
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
    return help();
  if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)
    return version();
  for (size_t i = 0; i < COMMANDS; i++) {
    if (strcmp(argv[1], commands[i].name) == 0) {
      argv[1] = (char *)commands[i].title;
      return commands[i].run(argc - 1, argv + 1);
    }
  }
  const char *near = near_command(argv[1]);
  if (near)
    return deploy_fail(DEPLOY_USAGE, "'%s': neither a command nor a model; did you mean '%s'?",
                       argv[1], near);
  if (argc > 2 || family_named(argv[1]) || access(argv[1], F_OK) == 0)
    return cli_emit(argc, argv);
  return deploy_fail(DEPLOY_USAGE, "no command '%s'; `pulpsim-deploy --help` lists them", argv[1]);
}
