#include "root.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool is_root(const char *place) {
  char file[PATH_MAX + 32]; // what every such folder has
  return snprintf(file, sizeof file, "%s/kernels/rt/link.ld", place) < (int)sizeof file &&
         access(file, R_OK) == 0;
}

bool root_above(const char *program, char *place, size_t size) {
  size_t length = strlen(program);
  for (const char *slash; (slash = memrchr(program, '/', length)) != NULL;) {
    length = (size_t)(slash - program);
    static const char *const inside[] = {"", "/lib/pulpsim"};
    for (size_t i = 0; i < sizeof inside / sizeof *inside; i++) {
      int used = snprintf(place, size, "%.*s%s", (int)length, program, inside[i]);
      if (used > 0 && (size_t)used < size && is_root(place))
        return true;
    }
  }
  return false;
}

const char *root_default(void) {
  static char place[PATH_MAX];
  char program[PATH_MAX];
  if (is_root("."))
    return ".";
  ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  program[length > 0 ? length : 0] = '\0';
  return root_above(program, place, sizeof place) ? place : ".";
}
