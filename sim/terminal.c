#include "sim/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool terminal_is_able(FILE *out) {
  const char *kind = getenv("TERM");
  return isatty(fileno(out)) && kind && strcmp(kind, "dumb") != 0;
}

int terminal_columns(FILE *out) {
  struct winsize size;
  return ioctl(fileno(out), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}
