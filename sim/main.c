// sim/main.c: the program `pulpsim`: hands over to one of its commands.
#include <string.h>
#include <unistd.h>

#include "sim/cli/cli.h"
#include "sim/spelling.h"
#include "sim/stdout_check.h"

static const struct command {
  const char *name, *title;
  int (*run)(int argc, char **argv);
} commands[] = {
    {"config", "pulpsim config", cli_config},
    {"disasm", "pulpsim disasm", cli_disasm},
    {"isa", "pulpsim isa", cli_isa},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

// A command that may have been meant: `name` is no option, and there is no program of that name.
static const struct command *near_command(const char *name) {
  if (*name == '-' || access(name, F_OK) == 0)
    return NULL;
  for (size_t i = 0; i < COMMANDS; i++) {
    unsigned far = 1 + (unsigned)strlen(commands[i].name) / 3;
    if (spelling_distance(name, commands[i].name, far) < far)
      return &commands[i];
  }
  return NULL;
}

int main(int argc, char **argv) {
  stdout_check_at_exit("pulpsim");
  for (size_t i = 0; argc > 1 && i < COMMANDS; i++) {
    if (strcmp(argv[1], commands[i].name) == 0) {
      argv[1] = (char *)commands[i].title;
      return commands[i].run(argc - 1, argv + 1);
    }
  }
  const struct command *near = argc > 1 ? near_command(argv[1]) : NULL;
  if (near)
    return cli_fail(CLI_USAGE, "'%s': neither a command nor a program; did you mean '%s'?", argv[1],
                    near->title);
  return cli_run(argc, argv);
}
