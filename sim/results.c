#include "sim/results.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

#include "sim/result_file.h"

static int taken = -1;

bool result_possible(const char *path) {
  struct result_file r;
  struct stat info;
  if (stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode))
    return true; // who reads a pipe would take this for its end
  if (!result_file_open(&r, path))
    return false;
  result_file_close(&r, false);
  return true;
}

static int take(char *text, size_t size) {
  fflush(stdout);
  int mode = fcntl(STDOUT_FILENO, F_GETFL);
  if (mode >= 0 && (mode & O_ACCMODE) == O_RDONLY) // closed (stdout_check.h)
    errno = EBADF;
  else
    taken = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (taken >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
    return 0;
  snprintf(text, size, "stdout cannot be written: %s", strerror(errno));
  return EX_CANTCREAT;
}

int result_stdout_take(const struct result_name *names, size_t count, char *text, size_t size) {
  const struct result_name *first = NULL;
  for (size_t i = 0; i < count; i++) {
    const struct result_name *n = &names[i];
    if (!n->path || strcmp(n->path, "-") != 0)
      continue;
    if (first) {
      snprintf(text, size, "%s%s and %s%s both go to stdout: name a file for one of them",
               first->option, first->printed ? "" : " -", n->option, n->printed ? "" : " -");
      return EX_USAGE;
    }
    first = n;
  }
  return !first || first->printed ? 0 : take(text, size);
}

int results_check(const struct result_name *names, size_t count, char *text, size_t size) {
  for (size_t i = 0; i < count; i++) {
    const char *path = names[i].path;
    if (!path || strcmp(path, "-") == 0 || result_possible(path))
      continue;
    snprintf(text, size, "%s: %s", path, strerror(errno));
    return EX_CANTCREAT;
  }
  return result_stdout_take(names, count, text, size);
}

int result_stdout_give(const char *path) {
  int fd = strcmp(path, "-") == 0 ? taken : -1;
  if (fd >= 0)
    taken = -1;
  return fd;
}
