// bench/unverified.c
#include "bench/unverified.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/config.h"

enum { KEYS = 32, KEY = 64, DEPTH = 6, INDENT = 2 };

struct keys {
  char key[KEYS][KEY];
  unsigned count;
};

// What decides how long cores wait for what, in programs `of` that; without a cause, what they
// compute with. A key of no line decides nothing that a kernel meets.
static const struct {
  const char *key, *cause;
  unsigned of;
} decides[] = {
    {"cluster.tcdm.arbiter", "tcdm_conflict", 0},
    {"cluster.icache.model", "fetch", 0},
    {"cluster.icache.refill_latency", "fetch", 0},
    {"cluster.dma.memory_latency", "dma_wait", 0},
    {"cluster.fpu.sharing", "fpu_contention", 0},
    {"core.fpu.addmul_latency", "fpu_dependency", 0},
    {"core.fpu.others_latency", "fpu_dependency", 0},
    {"core.fpu.divider", "fpu_dependency", 0},
    {"core.smallfloat", NULL, OF_HALVES},
    {"l2.latency", "l2_wait", 0},
    {"l3.clock_mhz", "sleep", OF_L3},
    {"soc.cluster_clock_mhz", "l2_wait", 0},
    {"soc.soc_clock_mhz", "l2_wait", 0},
};

static void forget(struct keys *k, const char *key) {
  for (unsigned i = 0; i < k->count; i++)
    if (strcmp(k->key[i], key) == 0) {
      k->count--;
      memmove(k->key[i], k->key[i + 1], (k->count - i) * sizeof *k->key);
      return;
    }
}

static void note(struct keys *k, const char *key, bool unverified) {
  forget(k, key);
  if (unverified && k->count < KEYS)
    snprintf(k->key[k->count++], KEY, "%s", key);
}

static void read_machine(struct keys *k, const char *name, unsigned depth);

// A line of a machine's file: a map's name, a key with its value, or neither. `path`: the maps that
// it is in.
static void read_line(struct keys *k, char path[DEPTH][KEY], const char *line, unsigned depth) {
  char name[KEY], value[KEY] = "", whole[DEPTH * KEY] = "";
  size_t indent = strspn(line, " ") / INDENT;
  const char *comment = strchr(line, '#');
  if (indent >= DEPTH || !isalpha((unsigned char)line[indent * INDENT]) ||
      sscanf(line, " %63[a-z0-9_]: %63[^ #\n]", name, value) < 1)
    return;
  if (!*value) {
    snprintf(path[indent], KEY, "%s", name);
    return;
  }
  if (strcmp(name, "include") == 0) {
    read_machine(k, value, depth + 1);
    return;
  }
  for (size_t i = 0; i < indent; i++)
    strcat(strcat(whole, path[i]), ".");
  strcat(whole, name);
  note(k, whole, comment && strstr(comment, "unverified"));
}

static void read_machine(struct keys *k, const char *name, unsigned depth) {
  char origin[1024], error[CONFIG_ERROR_SIZE], path[DEPTH][KEY] = {""};
  size_t size;
  char *found = depth < DEPTH ? config_find(name, &size, origin, sizeof origin, error) : NULL;
  char *text = found ? strndup(found, size) : NULL, *rest = text;
  for (char *line; text && (line = strsep(&rest, "\n")) != NULL;)
    read_line(k, path, line, depth);
  free(text);
  free(found);
}

// The settings behind a machine's name.
static bool is_set(const char *settings, const char *key) {
  size_t length = strlen(key);
  for (const char *s = settings; (s = strchr(s, ',')) != NULL;)
    if (strncmp(++s, key, length) == 0 && s[length] == '=')
      return true;
  return false;
}

static uint64_t waited(const struct pulpsim_counts *counts, const char *cause) {
  for (unsigned i = 0; i < PULPSIM_CAUSES; i++)
    if (strcmp(pulpsim_cause_name(i), cause) == 0)
      return counts->stalls[i];
  return 0;
}

static bool depends(const char *key, const struct pulpsim_counts *counts, unsigned of) {
  for (size_t i = 0; i < sizeof decides / sizeof *decides; i++) {
    if (strcmp(decides[i].key, key) != 0)
      continue;
    if (decides[i].of & ~of)
      return false;
    return !decides[i].cause || !counts || !counts->cycles ||
           1000 * waited(counts, decides[i].cause) >= counts->cycles;
  }
  return false;
}

const char *unverified_keys(const char *machine, const struct pulpsim_counts *counts, unsigned of,
                            char text[UNVERIFIED_TEXT]) {
  struct keys k = {.count = 0};
  char name[UNVERIFIED_MACHINE];
  size_t used = 0;
  const char *settings = machine + strcspn(machine, ",");
  snprintf(name, sizeof name, "%.*s", (int)(settings - machine), machine);
  read_machine(&k, name, 0);
  *text = '\0';
  for (unsigned i = 0; i < k.count && used < UNVERIFIED_TEXT - KEY; i++)
    if (!is_set(settings, k.key[i]) && depends(k.key[i], counts, of))
      used +=
          (size_t)snprintf(text + used, UNVERIFIED_TEXT - used, "%s%s", used ? ", " : "", k.key[i]);
  return text;
}
