// sim/cli/cli.h: the commands of the program `pulpsim`, and its exit statuses.
//
// The program that ran decides the exit status when it ended by itself; all others are here.
#ifndef PULPSIM_CLI_H
#define PULPSIM_CLI_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/pulpsim.h"

enum cli_exit {
  CLI_USAGE = 64,       // a mistake on the command line
  CLI_BAD_PROGRAM = 65, // the ELF file, or a file to load, cannot be used
  CLI_INTERNAL = 70,    // out of memory
  CLI_NO_OUTPUT = 73,   // an output file cannot be written
  CLI_BAD_CONFIG = 78,  // the configuration is wrong
  CLI_TRAP = 120,       // illegal instruction, bad access, unhandled trap
  CLI_DEADLOCK = 121,   // every core sleeps and nothing is pending
  CLI_LIMIT = 124,      // --max-cycles
  CLI_SIGNAL = 128,     // and the number of the signal that ended the run: 130 is Ctrl-C
};

// Each command takes the arguments behind its name; argv[0] is "pulpsim COMMAND".
int cli_run(int argc, char **argv);
int cli_config(int argc, char **argv);
int cli_disasm(int argc, char **argv);
int cli_isa(int argc, char **argv);

// Prints "pulpsim: " and the sentence to stderr; returns `status`.
int cli_fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Whether to colour what goes to `out`: an able terminal, and NO_COLOR is unset or empty
// (https://no-color.org).
bool cli_colour(FILE *out);

// Before the run: whether the file that `option` names can be written after it. "-" and what is not
// a plain file count as such. Otherwise says why, and returns CLI_NO_OUTPUT. 0 also if `path` is
// NULL.
int cli_writable(const char *option, const char *path);

#endif
