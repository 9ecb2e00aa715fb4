#include "sim/piped_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST = 1 << 30 };

static int write_all(int fd, const char *bytes, ssize_t count) {
  while (count > 0) {
    ssize_t n = write(fd, bytes, (size_t)count);
    if (n < 0 && errno != EINTR)
      return -1;
    if (n > 0) {
      bytes += n;
      count -= n;
    }
  }
  return 0;
}

static bool copy(int from, int to) {
  char part[1 << 16];
  ssize_t n, all = 0;
  while ((n = read(from, part, sizeof part)) != 0) {
    if ((n < 0 && errno != EINTR) || write_all(to, part, n) != 0)
      return false;
    all += n > 0 ? n : 0;
    if (all > MOST) {
      errno = EFBIG;
      return false;
    }
  }
  return true;
}

// Puts a file that can be read anew in the place of the pipe `from`.
static bool keep(int from) {
  int fd = memfd_create("piped", MFD_CLOEXEC);
  bool good = fd >= 0 && copy(from, fd) && dup2(fd, from) >= 0;
  int saved = errno;
  if (fd >= 0)
    close(fd);
  errno = saved;
  return good;
}

static bool is_pipe(int fd) {
  struct stat info;
  return fstat(fd, &info) == 0 && (S_ISFIFO(info.st_mode) || S_ISSOCK(info.st_mode));
}

static int number_of(const char *path) {
  int fd, end = 0;
  if (strcmp(path, "/dev/stdin") == 0)
    return STDIN_FILENO;
  // NOLINTNEXTLINE(cert-err34-c): what is no descriptor is no pipe
  return sscanf(path, "/dev/fd/%d%n", &fd, &end) == 1 && !path[end] ? fd : -1;
}

const char *piped_file(const char *path) {
  static bool read_stdin; // a second "-" is the same file
  int fd = number_of(path);
  if (strcmp(path, "-") == 0) {
    read_stdin = read_stdin || keep(STDIN_FILENO);
    return read_stdin ? "/dev/stdin" : NULL;
  }
  return fd < 0 || !is_pipe(fd) || keep(fd) ? path : NULL;
}

const char *piped_file_refusal(const struct stat *status) {
  if (S_ISREG(status->st_mode))
    return NULL;
  return S_ISDIR(status->st_mode) ? "a directory"
                                  : "no file; of pipes, stdin (-) and <(command) are read";
}

FILE *piped_file_open(const char **path, const char **why) {
  struct stat status;
  FILE *file = NULL;
  const char *kept = piped_file(*path);
  *path = kept ? kept : *path;
  *why = NULL;
  if (kept && stat(kept, &status) == 0 && !(*why = piped_file_refusal(&status)))
    file = fopen(kept, "rb");
  if (!file && !*why)
    *why = strerror(errno);
  return file;
}

bool piped_file_is(const char *path) {
  return number_of(path) >= 0;
}
