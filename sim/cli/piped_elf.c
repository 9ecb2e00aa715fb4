#include "sim/cli/piped_elf.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

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

// Puts a file that can be read anew in the place of the pipe `from`.
static bool keep(int from) {
  char part[1 << 16];
  ssize_t n;
  int fd = memfd_create("program", 0);
  while (fd >= 0 && (n = read(from, part, sizeof part)) != 0)
    if ((n < 0 && errno != EINTR) || write_all(fd, part, n) != 0)
      return false;
  if (fd < 0 || dup2(fd, from) < 0)
    return false;
  close(fd);
  return true;
}

const char *piped_elf(const char *path) {
  struct stat info;
  int fd;
  if (strcmp(path, "-") == 0)
    return keep(STDIN_FILENO) ? "/dev/stdin" : NULL;
  if (sscanf(path, "/dev/fd/%d", &fd) == 1 && fstat(fd, &info) == 0 && S_ISFIFO(info.st_mode))
    return keep(fd) ? path : NULL;
  return path;
}
