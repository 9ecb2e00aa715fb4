// sim/config.c: the table of keys, single values, and the rules among them.
#include "sim/config.h"

#include <stdlib.h>
#include <string.h>

#include "sim/number.h"
#include "sim/spelling.h"

#define CONFIG_TEXT(constant, text) text,
#define SET(name)                                                                                  \
  { CONFIG_SET_##name(CONFIG_TEXT) NULL }
static const char *const words_model[] = SET(model);
static const char *const words_isa[] = SET(isa);
static const char *const words_divider[] = SET(divider);
static const char *const words_results[] = SET(results);
static const char *const words_arbiter[] = SET(arbiter);
static const char *const words_icache[] = SET(icache);
static const char *const words_sharing[] = SET(sharing);
static const char *const words_boot[] = SET(boot);
static const char *const words_map[] = SET(map);
#undef SET

// What a TYPE of the declaration means for the table: type, range, words.
#define TYPE_INT(lo, hi)  .type = CONFIG_INT, .min = (lo), .max = (hi)
#define TYPE_POW2(lo, hi) .type = CONFIG_POW2, .min = (lo), .max = (hi)
#define TYPE_HEX(lo, hi)  .type = CONFIG_HEX, .min = (lo), .max = (hi)
#define TYPE_BOOL         .type = CONFIG_BOOL, .max = 1
#define TYPE_CHOICE(set)                                                                           \
  .type = CONFIG_CHOICE, .max = sizeof words_##set / sizeof *words_##set - 2, .words = words_##set

const struct config_key config_keys[] = {
#define KEY(field, key, kind, value, units, text, origin)                                          \
  {.name = (key),                                                                                  \
   .offset = offsetof(struct pulpsim_config, field),                                               \
   .initial = (value),                                                                             \
   .unit = (units),                                                                                \
   .meaning = (text),                                                                              \
   .source = (origin),                                                                             \
   TYPE_##kind},
#include "sim/config_keys.def"
#undef KEY
};
const size_t config_key_count = sizeof config_keys / sizeof *config_keys;

uint32_t config_value(const struct pulpsim_config *config, const struct config_key *key) {
  uint32_t value;
  memcpy(&value, (const char *)config + key->offset, sizeof value);
  return value;
}

static void store(struct pulpsim_config *config, const struct config_key *key, uint32_t value) {
  memcpy((char *)config + key->offset, &value, sizeof value);
}

void config_init(struct pulpsim_config *config) {
  memset(config, 0, sizeof *config);
  for (size_t i = 0; i < config_key_count; i++)
    store(config, &config_keys[i], config_keys[i].initial);
  snprintf(config->machine, sizeof config->machine, "default");
}

int config_find_key(const char *name) {
  for (size_t i = 0; i < config_key_count; i++) {
    if (strcmp(config_keys[i].name, name) == 0)
      return (int)i;
  }
  return -1;
}

// ---- the nearest key, for suggestions

// The name without its last part counts too: "cluster.cores" is near to "cores".
static unsigned difference(const char *name, const char *key, unsigned limit) {
  const char *last = strrchr(key, '.');
  if (last && strcmp(name, last + 1) == 0)
    return 1;
  return spelling_distance(name, key, limit);
}

const struct config_key *config_nearest_key(const char *name) {
  const struct config_key *best = NULL;
  unsigned least = 3 + (unsigned)(strlen(name) / 6);
  for (size_t i = 0; i < config_key_count; i++) {
    unsigned d = difference(name, config_keys[i].name, least);
    if (d < least) {
      least = d;
      best = &config_keys[i];
    }
  }
  return best;
}

// ---- values

void config_format(const struct config_key *key, uint32_t value, char text[CONFIG_TEXT_SIZE]) {
  switch (key->type) {
  case CONFIG_HEX:
    snprintf(text, CONFIG_TEXT_SIZE, "0x%08x", (unsigned)value);
    break;
  case CONFIG_BOOL:
    snprintf(text, CONFIG_TEXT_SIZE, "%s", value ? "true" : "false");
    break;
  case CONFIG_CHOICE:
    snprintf(text, CONFIG_TEXT_SIZE, "%s", key->words[value <= key->max ? value : 0]);
    break;
  default:
    snprintf(text, CONFIG_TEXT_SIZE, "%u", (unsigned)value);
  }
}

void config_format_range(const struct config_key *key, char *text, size_t size) {
  char low[CONFIG_TEXT_SIZE], high[CONFIG_TEXT_SIZE];
  if (key->type == CONFIG_BOOL) {
    snprintf(text, size, "true|false");
  } else if (key->type == CONFIG_CHOICE) {
    size_t used = 0;
    if (size)
      *text = '\0';
    for (const char *const *w = key->words; *w && used < size; w++)
      used += (size_t)snprintf(text + used, size - used, "%s%s", w == key->words ? "" : "|", *w);
  } else {
    config_format(key, key->min, low);
    config_format(key, key->max, high);
    snprintf(text, size, "%s..%s%s", low, high, key->type == CONFIG_POW2 ? ", a power of two" : "");
  }
}

static bool parse_value(const struct config_key *key, const char *text, uint64_t *value) {
  if (key->type == CONFIG_BOOL) {
    *value = strcmp(text, "true") == 0;
    return *value || strcmp(text, "false") == 0;
  }
  if (key->type == CONFIG_CHOICE) {
    for (*value = 0; *value <= key->max; ++*value) {
      if (strcmp(text, key->words[*value]) == 0)
        return true;
    }
    return false;
  }
  return number_parse(text, 1024, value);
}

bool config_set_key(struct pulpsim_config *config, const struct config_key *key, const char *text,
                    char error[CONFIG_ERROR_SIZE]) {
  char range[128];
  uint64_t value = 0;
  const char *problem = NULL;
  if (!parse_value(key, text, &value))
    problem =
        key->words || key->type == CONFIG_BOOL ? "is not one of its words" : "is not a number";
  else if (value < key->min || value > key->max)
    problem = "is out of range";
  else if (key->type == CONFIG_POW2 && (value & (value - 1)) != 0)
    problem = "is not a power of two";
  if (!problem) {
    store(config, key, (uint32_t)value);
    return true;
  }
  config_format_range(key, range, sizeof range);
  snprintf(error, CONFIG_ERROR_SIZE, "%s: '%.60s' %s (allowed: %s%s%s)", key->name, text, problem,
           range, *key->unit ? " " : "", key->unit);
  return false;
}

bool config_set(struct pulpsim_config *config, const char *setting, char error[CONFIG_ERROR_SIZE]) {
  char name[64], reason[CONFIG_ERROR_SIZE];
  const char *equals = strchr(setting, '=');
  if (!equals || equals == setting || (size_t)(equals - setting) >= sizeof name) {
    snprintf(error, CONFIG_ERROR_SIZE, "--set %.60s: a setting has the form key=value", setting);
    return false;
  }
  snprintf(name, sizeof name, "%.*s", (int)(equals - setting), setting);
  int index = config_find_key(name);
  if (index < 0) {
    const struct config_key *near = config_nearest_key(name);
    snprintf(error, CONFIG_ERROR_SIZE, "--set %.100s: unknown key '%s'; %s%s%s", setting, name,
             near ? "did you mean '" : "`pulpsim config --list` shows all keys",
             near ? near->name : "", near ? "'?" : "");
    return false;
  }
  if (config_set_key(config, &config_keys[index], equals + 1, reason))
    return true;
  snprintf(error, CONFIG_ERROR_SIZE, "--set %.400s", reason);
  return false;
}

// ---- rules among keys

static bool icache_fits(uint32_t size, uint32_t parts, uint32_t ways, uint32_t line) {
  return (uint64_t)parts * ways * line <= size;
}

bool config_check(const struct pulpsim_config *c, char error[CONFIG_ERROR_SIZE]) {
  const char *e = NULL;
  uint32_t row = 4 * c->cluster_tcdm_banks;
  if (c->cluster_tcdm_size % row != 0)
    e = "cluster.tcdm.size: not a whole number of rows; make it a multiple of 4 x "
        "cluster.tcdm.banks";
  else if (c->l2_size % 4 != 0 || c->l2_base % 4096 != 0)
    e = "l2.base, l2.size: not aligned; use multiples of 4096 and 4";
  else if ((uint64_t)c->l2_base + c->l2_size > UINT64_C(1) << 32)
    e = "l2.base, l2.size: L2 ends beyond the 32-bit address space; lower one of them";
  else if (c->memory_size % 4 != 0 || c->memory_base % 4096 != 0)
    e = "memory.base, memory.size: not aligned; use multiples of 4096 and 4";
  else if ((uint64_t)c->memory_base + c->memory_size > UINT64_C(1) << 32)
    e = "memory.base, memory.size: it ends beyond the 32-bit address space; lower one of them";
  else if (c->soc_map == CONFIG_MAP_CV32E40P &&
           (uint64_t)c->memory_base + c->memory_size > UINT64_C(0x80000000))
    e = "memory.base: the map cv32e40p has its test device at 0x80000000; end the memory below it, "
        "or set soc.map=generic";
  else if (!icache_fits(c->cluster_icache_private_size, 1, c->cluster_icache_private_ways,
                        c->cluster_icache_line))
    e = "cluster.icache.private_size: smaller than one line per way; enlarge it or lower "
        "private_ways or line";
  else if (!icache_fits(c->cluster_icache_shared_size, c->cluster_icache_shared_banks,
                        c->cluster_icache_shared_ways, c->cluster_icache_line))
    e = "cluster.icache.shared_size: smaller than one line per way and bank; enlarge it or lower "
        "shared_ways, shared_banks or line";
  else if (config_has_one_core(c) && c->cluster_cores != 1)
    e = "cluster.cores: the maps cv32e40p and generic have one core; set cluster.cores=1 or "
        "another "
        "soc.map";
  else if (c->cluster_active > c->cluster_cores)
    e = "cluster.active: more than there are; raise cluster.cores or lower it";
  else if (c->soc_map != CONFIG_MAP_PULP && c->soc_boot == CONFIG_BOOT_SOC)
    e = "soc.boot: only the map pulp has a fabric controller; set soc.boot=standalone";
  else if (c->soc_map == CONFIG_MAP_PULP && !c->cluster_tcdm_external_ports)
    e = "cluster.tcdm.external_ports: the fabric controller comes in through one; set it to 1 at "
        "least";
  else if (c->cluster_cores + c->cluster_tcdm_external_ports > 28)
    e = "cluster.tcdm.external_ports: with the cores and 4 ports of the DMA more than 32; lower it";
  else if (c->cluster_tcdm_accelerator_words > c->cluster_tcdm_banks)
    e = "cluster.tcdm.accelerator_words: more than there are banks; lower it";
  else if (c->cluster_cores + c->cluster_tcdm_external_ports + c->cluster_tcdm_accelerator_words >
               27 &&
           c->cluster_tcdm_accelerator_words)
    e = "cluster.tcdm.accelerator_words: with the cores, external ports and 4 ports of the DMA "
        "more "
        "than 31; lower it";
  else if (c->core_zfinx && !c->core_fpu_present)
    e = "core.zfinx: has no meaning without a float unit; set core.fpu.present=true";
  if (e)
    snprintf(error, CONFIG_ERROR_SIZE, "%s", e);
  return e == NULL;
}

// ---- hash

static uint64_t fnv1a(uint64_t hash, const char *text) {
  for (; *text; text++)
    hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
  return hash;
}

uint64_t config_hash(const struct pulpsim_config *config) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < config_key_count; i++) {
    char text[CONFIG_TEXT_SIZE];
    config_format(&config_keys[i], config_value(config, &config_keys[i]), text);
    hash = fnv1a(hash, config_keys[i].name);
    hash = fnv1a(fnv1a(hash, "="), text);
    hash = fnv1a(hash, "\n");
  }
  return hash;
}
