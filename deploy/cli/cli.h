// deploy/cli/cli.h: the commands of the program `pulpsim-deploy`, and its exit statuses.
#ifndef DEPLOY_CLI_H
#define DEPLOY_CLI_H

#include <stdbool.h>

#include "deploy/net/net.h"
#include "sim/result_file.h"
#include "sim/results.h"

enum deploy_exit {
  DEPLOY_DIFFERENT = 1,    // run --golden: not equal
  DEPLOY_USAGE = 64,       // a mistake on the command line
  DEPLOY_BAD_MODEL = 65,   // a model, or an input, is damaged
  DEPLOY_NO_INPUT = 66,    // a file cannot be opened
  DEPLOY_UNSUPPORTED = 69, // an operator, or an attribute of one
  DEPLOY_INTERNAL = 70,    // out of memory
  DEPLOY_NO_OUTPUT = 73,   // a file cannot be written
  DEPLOY_NO_FIT = 80,      // fit: no assignment of bits fits the device
};

// Each command takes the arguments behind its name; argv[0] is "pulpsim-deploy COMMAND".
int cli_fit(int argc, char **argv);
int cli_info(int argc, char **argv);
int cli_quantize(int argc, char **argv);
int cli_requant(int argc, char **argv);
int cli_run(int argc, char **argv);
int cli_emit(int argc, char **argv); // "pulpsim-deploy MODEL -o DIR": argv[0] is the program

// Prints "pulpsim-deploy: " and the sentence to stderr; returns `status`.
int deploy_fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));
// ... the error's sentence and status, or `otherwise` where it has none.
int deploy_fail_with(const struct net_error *error, int otherwise);

// Of the results of a command one may be "-" (sim/results.h). The status, the sentence on stderr.
int deploy_stdout(const struct result_name *names, size_t count);
// ... and all can be written: before its work.
int deploy_results(const struct result_name *names, size_t count);
// A folder cannot be "-": the same.
int deploy_folder(const char *option, const char *path);

// A file of results for writing (sim/result_file.h); NULL after the sentence on stderr.
FILE *deploy_create(struct result_file *out, const char *path);
// It is whole. The status, the sentence on stderr.
int deploy_finish(struct result_file *out, const char *path);

// A network's text form (net_write) in a file. The status, the sentence on stderr.
int deploy_write_net(const struct net *net, const char *path);

#endif
