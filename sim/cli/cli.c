// sim/cli/cli.c: what the commands share.
#include "sim/cli/cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/result_file.h"
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
  struct stat info;
  if (!path || strcmp(path, "-") == 0 ||
      (stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)))
    return 0;
  struct result_file result;
  if (!result_file_open(&result, path))
    return cli_fail(CLI_NO_OUTPUT, "%s %s: cannot be written: %s", option, path, strerror(errno));
  result_file_close(&result, false);
  return 0;
}
