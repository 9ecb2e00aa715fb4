#include "sim/stdout_check.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

static const char *name;
static bool told;

static void look(void) {
  errno = 0;
  if (!ferror(stdout) && fflush(stdout) == 0)
    return;
  if (!told)
    fprintf(stderr, "%s: stdout cannot be written%s%s\n", name, errno ? ": " : "",
            errno ? strerror(errno) : "");
  fflush(stderr);
  _exit(EX_CANTCREAT);
}

void stdout_check_at_exit(const char *program) {
  name = program;
  atexit(look);
}

void stdout_check_told(void) {
  told = true;
}
