// sim/cli/cli.c: what the commands share.
#include "sim/cli/cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

bool cli_terminal(FILE *out) {
  const char *kind = getenv("TERM");
  return isatty(fileno(out)) && kind && strcmp(kind, "dumb") != 0;
}

bool cli_colour(FILE *out) {
  const char *no = getenv("NO_COLOR");
  return !(no && *no) && cli_terminal(out);
}

int cli_writable(const char *option, const char *path) {
  struct stat info;
  if (!path || strcmp(path, "-") == 0 ||
      (stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)))
    return 0;
  FILE *f = fopen(path, "ab");
  if (!f)
    return cli_fail(CLI_NO_OUTPUT, "%s %s: cannot be written: %s", option, path, strerror(errno));
  fclose(f);
  return 0;
}

bool cli_number(const char *text, bool suffix, uint64_t *value) {
  bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  const char *digits = hex ? text + 2 : text;
  uint64_t scale = 1;
  char *end;
  if (!*digits || !strchr(hex ? "0123456789abcdefABCDEF" : "0123456789", *digits))
    return false;
  errno = 0;
  *value = strtoull(digits, &end, hex ? 16 : 10);
  if (errno != 0)
    return false;
  if (suffix && !hex && *end && !end[1]) {
    scale = *end == 'k' ? 1000 : *end == 'M' ? 1000000 : *end == 'G' ? 1000000000 : 0;
    end++;
  }
  return *end == '\0' && scale && !__builtin_mul_overflow(*value, scale, value);
}
