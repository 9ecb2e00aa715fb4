// bench/cache.c: one JSON file per result.
#include "bench/cache.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/list.h"
#include "bench/record.h"

uint64_t cache_hash(uint64_t hash, const void *data, size_t size) {
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ ((const uint8_t *)data)[i]) * UINT64_C(0x100000001b3);
  return hash;
}

bool cache_hash_file(uint64_t *hash, const char *path, struct pulpsim_error *error) {
  char buffer[65536];
  FILE *f = fopen(path, "rb");
  if (!f) {
    bench_list_missing(path, error->text, sizeof error->text);
    return false;
  }
  for (size_t n; (n = fread(buffer, 1, sizeof buffer, f)) > 0;)
    *hash = cache_hash(*hash, buffer, n);
  bool ok = !ferror(f);
  if (!ok)
    snprintf(error->text, sizeof error->text, "%s: %s", path, strerror(errno));
  fclose(f);
  return ok;
}

// It is the same for all runs: read once.
static bool hash_simulator(uint64_t *hash, struct pulpsim_error *error) {
  static uint64_t known;
  uint64_t h = CACHE_HASH_BASIS;
  if (!known && !cache_hash_file(&h, "/proc/self/exe", error))
    return false;
  known = known ? known : h;
  *hash = known;
  return true;
}

bool cache_key(const struct bench_job *job, uint64_t *key, struct pulpsim_error *error) {
  char *text = NULL;
  size_t size = 0;
  uint64_t hash;
  if (!hash_simulator(&hash, error) || !cache_hash_file(&hash, job->elf, error))
    return false;
  struct pulpsim_config *config = bench_case_config(job, error);
  FILE *f = config ? open_memstream(&text, &size) : NULL;
  if (!f) {
    if (config)
      snprintf(error->text, sizeof error->text, "out of memory");
    pulpsim_config_free(config);
    return false;
  }
  pulpsim_config_show(config, f);
  pulpsim_config_free(config);
  for (size_t i = 0; i < job->data_count; i++)
    fprintf(f, "%s=%s\n", job->data[i].key, job->data[i].value);
  fprintf(f, "%s\n", job->region ? job->region : "");
  fclose(f);
  *key = cache_hash(hash, text, size);
  free(text);
  return true;
}

bool cache_get(const char *directory, uint64_t key, struct bench_result *result) {
  char path[1024];
  struct tree tree;
  snprintf(path, sizeof path, "%s/%016" PRIx64 ".json", directory, key);
  bool ok = tree_open(&tree, path) && record_read(&tree, tree_root(&tree), result);
  result->ok = ok && strcmp(tree_get_text(&tree, tree_root(&tree), "ok", "0"), "1") == 0;
  tree_close(&tree);
  return ok;
}

bool cache_put(const char *directory, uint64_t key, const struct bench_result *result) {
  char path[1024], part[1100];
  snprintf(path, sizeof path, "%s/%016" PRIx64 ".json", directory, key);
  snprintf(part, sizeof part, "%s.%ld", path, (long)getpid());
  FILE *f = fopen(part, "w");
  if (!f)
    return false;
  fprintf(f, "{\"ok\": %d, ", result->ok);
  record_write(f, result);
  fputs("}\n", f);
  bool ok = !ferror(f);
  ok = fclose(f) == 0 && ok;
  return ok && rename(part, path) == 0;
}
