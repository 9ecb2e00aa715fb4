// deploy/read/onnx_external.c: see onnx_external.h.
#include "deploy/read/onnx_external.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>

#include "deploy/memory.h"

__attribute__((format(printf, 4, 5))) static bool
fail(struct net_error *error, const Onnx__Tensor *tensor, int status, const char *format, ...) {
  char what[NET_ERROR_TEXT / 2];
  va_list args;
  va_start(args, format);
  vsnprintf(what, sizeof what, format, args);
  va_end(args);
  snprintf(error->text, sizeof error->text, "tensor '%.80s': %s", tensor->name ? tensor->name : "",
           what);
  error->status = status;
  return false;
}

static const char *entry(const Onnx__Tensor *tensor, const char *key) {
  const char *value = NULL;
  for (size_t i = 0; i < tensor->n_external_data; i++) {
    const Onnx__Entry *e = tensor->external_data[i];
    if (e->key && e->value && strcmp(e->key, key) == 0)
      value = e->value;
  }
  return value;
}

// A whole number of at least 0; absent: `otherwise`.
static bool number(const Onnx__Tensor *tensor, const char *key, uint64_t otherwise, uint64_t *to) {
  const char *text = entry(tensor, key);
  char *end;
  *to = otherwise;
  if (!text)
    return true;
  errno = 0;
  *to = strtoull(text, &end, 10);
  return *text >= '0' && *text <= '9' && !*end && !errno && *to <= INT64_MAX;
}

// A relative path that never goes up.
static bool goes_down(const char *location) {
  if (!*location || *location == '/' || strchr(location, '\\'))
    return false;
  for (const char *at = location; at; at = strchr(at, '/')) {
    at += *at == '/';
    if (strncmp(at, "..", 2) == 0 && (at[2] == '/' || !at[2]))
      return false;
  }
  return true;
}

// Where links lead must be within the model's directory, too.
static char *path_of(const char *model, const char *location) {
  const char *slash = strrchr(model, '/');
  char *directory =
      slash ? memory_format("%.*s", (int)(slash - model + 1), model) : memory_text("./");
  char *path = memory_format("%s%s", directory, location);
  char *real = realpath(path, NULL), *home = realpath(directory, NULL);
  size_t length = home ? strlen(home) : 0;
  bool inside = !real || (home && strncmp(real, home, length) == 0 &&
                          (real[length] == '/' || strcmp(home, "/") == 0));
  free(real);
  free(home);
  free(directory);
  if (inside)
    return path;
  free(path);
  return NULL;
}

bool onnx_external(const Onnx__Tensor *tensor, const char *model, void *data, size_t size,
                   struct net_error *error) {
  const char *location = entry(tensor, "location");
  uint64_t offset, length;
  struct stat status;
  if (!model)
    return fail(error, tensor, EX_UNAVAILABLE,
                "its values are in a file beside the model, whose place is not known");
  if (!location || !number(tensor, "offset", 0, &offset) ||
      !number(tensor, "length", size, &length) || length != size)
    return fail(error, tensor, EX_DATAERR,
                "external data of which location, offset or length is not as it must be (%zu "
                "bytes)",
                size);
  char *path = goes_down(location) ? path_of(model, location) : NULL;
  if (!path)
    return fail(error, tensor, EX_DATAERR,
                "external data in '%.100s'; files in the model's directory are read", location);
  FILE *file = fopen(path, "rb");
  bool there = file && fstat(fileno(file), &status) == 0 && S_ISREG(status.st_mode);
  bool good =
      there && fseeko(file, (off_t)offset, SEEK_SET) == 0 && fread(data, 1, size, file) == size;
  if (!there)
    fail(error, tensor, EX_NOINPUT, "its values are in %.150s: %s", path,
         file ? "no file" : strerror(errno));
  else if (!good)
    fail(error, tensor, EX_DATAERR, "%.150s has not the %zu bytes from %llu on", path, size,
         (unsigned long long)offset);
  if (file)
    fclose(file);
  free(path);
  return good;
}
