// sim/main.c: the program `pulpsim`: hands over to one of its commands.
#include <string.h>

#include "sim/cli/cli.h"

int main(int argc, char **argv) {
  static const struct {
    const char *name, *title;
    int (*run)(int argc, char **argv);
  } commands[] = {
      {"config", "pulpsim config", cli_config},
      {"disasm", "pulpsim disasm", cli_disasm},
      {"isa", "pulpsim isa", cli_isa},
  };
  for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof *commands; i++) {
    if (strcmp(argv[1], commands[i].name) == 0) {
      argv[1] = (char *)commands[i].title;
      return commands[i].run(argc - 1, argv + 1);
    }
  }
  return cli_run(argc, argv);
}
