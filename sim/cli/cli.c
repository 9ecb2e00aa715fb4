// sim/cli/cli.c: what the commands share.
#include "sim/cli/cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "sim/results.h"
#include "sim/terminal.h"

int cli_fail(int status, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fflush(stdout);
  fputs("pulpsim: ", stderr);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
  return status;
}

bool cli_colour(FILE *out) {
  const char *no = getenv("NO_COLOR");
  return !(no && *no) && terminal_is_able(out);
}

int cli_writable(const char *option, const char *path) {
  if (!path || strcmp(path, "-") == 0 || result_possible(path))
    return 0;
  return cli_fail(CLI_NO_OUTPUT, "%s %s: cannot be written: %s", option, path, strerror(errno));
}
