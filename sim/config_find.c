// sim/config_find.c: where named configurations are.
#include "sim/config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/out_of_memory.h"

enum { FILE_LIMIT = 1 << 20 }; // a configuration is a page of text

static const struct {
  const char *name, *text;
} builtin[] = {
#include "builtin_configs.inc"
    {NULL, NULL},
};

const char *config_builtin_name(size_t index) {
  return index < sizeof builtin / sizeof *builtin ? builtin[index].name : NULL;
}

// Reads a whole regular file; on failure NULL, with errno set.
static char *read_all(const char *path, size_t *size) {
  struct stat info;
  FILE *f = fopen(path, "rb");
  if (!f)
    return NULL;
  char *text = NULL;
  if (fstat(fileno(f), &info) == 0 && S_ISDIR(info.st_mode))
    errno = EISDIR;
  else
    text = must_have(malloc(FILE_LIMIT + 1));
  if (text) {
    *size = fread(text, 1, FILE_LIMIT + 1, f);
    if (ferror(f) || *size > FILE_LIMIT) {
      errno = ferror(f) ? EIO : EFBIG;
      free(text);
      text = NULL;
    }
  }
  int saved = errno;
  fclose(f);
  errno = saved;
  return text;
}

static bool ends_with(const char *text, const char *end) {
  size_t n = strlen(text), m = strlen(end);
  return n >= m && strcmp(text + n - m, end) == 0;
}

bool config_is_path(const char *name) {
  return strchr(name, '/') || ends_with(name, ".yml") || ends_with(name, ".yaml");
}

// DIR/../configs/NAME.yml (a build tree), then DIR/../share/pulpsim/configs/NAME.yml (installed),
// DIR being where the running program is.
static char *find_beside_program(const char *name, size_t *size, char *origin, size_t room) {
  static const char *const places[] = {"configs", "share/pulpsim/configs"};
  char program[512];
  ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  if (length <= 0)
    return NULL;
  program[length] = '\0';
  for (int up = 0; up < 2; up++) {
    char *slash = strrchr(program, '/');
    if (!slash)
      return NULL;
    *slash = '\0';
  }
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    snprintf(origin, room, "%s/%s/%s.yml", program, places[i], name);
    char *text = read_all(origin, size);
    if (text)
      return text;
  }
  return NULL;
}

static char *find_builtin(const char *name, size_t *size, char *origin, size_t room) {
  for (size_t i = 0; config_builtin_name(i); i++) {
    if (strcmp(builtin[i].name, name) == 0) {
      snprintf(origin, room, "(built-in) %s.yml", name);
      *size = strlen(builtin[i].text);
      return must_have(strdup(builtin[i].text));
    }
  }
  return NULL;
}

static void list_names(char *text, size_t size) {
  size_t used = 0;
  *text = '\0';
  for (size_t i = 0; config_builtin_name(i) && used < size; i++)
    used +=
        (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", config_builtin_name(i));
}

char *config_find(const char *name, size_t *size, char origin[], size_t origin_size,
                  char error[CONFIG_ERROR_SIZE]) {
  char names[256];
  if (config_is_path(name)) {
    snprintf(origin, origin_size, "%s", name);
    char *text = read_all(name, size);
    if (!text)
      snprintf(error, CONFIG_ERROR_SIZE, "cannot read the configuration %.300s: %s", name,
               strerror(errno));
    return text;
  }
  char *text = find_beside_program(name, size, origin, origin_size);
  if (!text)
    text = find_builtin(name, size, origin, origin_size);
  if (!text) {
    list_names(names, sizeof names);
    snprintf(error, CONFIG_ERROR_SIZE,
             "no configuration is called '%.60s'; there are %s, or give the path of a .yml file",
             name, names);
  }
  return text;
}
