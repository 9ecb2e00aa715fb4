#include "root.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *const sign = "kernels/rt/link.ld"; // what every such folder has

const char *root_default(void) {
  static char place[PATH_MAX];
  char file[PATH_MAX + 32];
  if (access(sign, R_OK) == 0)
    return ".";
  ssize_t length = readlink("/proc/self/exe", place, sizeof place - sizeof "/lib/pulpsim");
  for (int up = 0; up < 2 && length > 0; up++) { // PREFIX/bin/pulpsim-deploy
    char *slash = memrchr(place, '/', (size_t)length);
    length = slash ? slash - place : 0;
  }
  if (length <= 0)
    return ".";
  snprintf(place + length, sizeof place - (size_t)length, "/lib/pulpsim");
  snprintf(file, sizeof file, "%s/%s", place, sign);
  return access(file, R_OK) == 0 ? place : ".";
}
