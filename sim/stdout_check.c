#include "sim/stdout_check.h"

#include <errno.h>
#include <fcntl.h>
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

// A file opened later does not come to be stdin, stdout or stderr where one of these is closed;
// what is done with it fails as before.
static void fill(int fd, int mode) {
  if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", mode) < 0)
    errno = 0; // there is no /dev/null: as it was
}

void stdout_check_at_exit(const char *program) {
  fill(STDIN_FILENO, O_WRONLY);
  fill(STDOUT_FILENO, O_RDONLY);
  fill(STDERR_FILENO, O_RDONLY);
  name = program;
  atexit(look);
}

void stdout_check_told(void) {
  told = true;
}
