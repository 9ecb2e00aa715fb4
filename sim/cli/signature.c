// sim/cli/signature.c: the memory between two symbols as text.
#include "sim/cli/signature.h"

#include <errno.h>
#include <string.h>

#include "sim/result_file.h"

static bool fail(struct pulpsim_error *error, const char *path, const char *reason) {
  snprintf(error->text, sizeof error->text, "--signature %.200s: %s", path, reason);
  return false;
}

static bool find(const struct pulpsim *sim, const char *path, uint32_t *begin, uint32_t *end,
                 struct pulpsim_error *error) {
  return (pulpsim_symbol(sim, "begin_signature", begin) &&
          pulpsim_symbol(sim, "end_signature", end) && *end >= *begin) ||
         fail(error, path, "the program has no symbols begin_signature and end_signature");
}

bool signature_check(const struct pulpsim *sim, const char *path, struct pulpsim_error *error) {
  uint32_t begin, end;
  return find(sim, path, &begin, &end, error);
}

bool signature_write(const struct pulpsim *sim, const char *path, uint32_t granularity,
                     struct pulpsim_error *error) {
  uint32_t begin, end;
  if (!find(sim, path, &begin, &end, error))
    return false;
  struct result_file result;
  FILE *out = result_file_open(&result, path);
  if (!out)
    return fail(error, path, strerror(errno));
  bool ok = true;
  for (uint32_t a = begin; ok && a < end; a += granularity) {
    uint8_t line[16] = {0};
    uint32_t count = end - a < granularity ? end - a : granularity;
    ok = pulpsim_read(sim, a, line, count);
    for (uint32_t i = granularity; ok && i-- > 0;)
      fprintf(out, "%02x", line[i]);
    fputc('\n', out);
  }
  if (!result_file_close(&result, ok) && ok)
    return fail(error, path, strerror(errno));
  return ok || fail(error, path, "the signature lies outside the machine's memories");
}
