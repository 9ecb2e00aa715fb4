// sim/config.h: what a machine is made of: the keys, their values, and where they come from.
//
// Every key is declared in config_keys.def with type, unit, range, default, meaning and
// source. A configuration is a plain structure with one member per key; it starts from the
// defaults, takes a YAML file, then single settings, and is checked as a whole by config_check().
//
// YAML files hold nested maps whose joined names are the keys:
//
//   include: pulp-open        # start from another configuration
//   cluster:
//     cores: 4
//     tcdm: {banks: 8}
//
// Numbers are decimal or 0x-hexadecimal; `k` and `M` behind a number multiply by 1024 and
// 1024 x 1024. A key may be given once per file; unknown keys are errors.
#ifndef PULPSIM_CONFIG_H
#define PULPSIM_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// The words of each CHOICE key: WORD(constant, "text").
#define CONFIG_SET_model(WORD)                                                                     \
  WORD(CONFIG_MODEL_RI5CY, "ri5cy") WORD(CONFIG_MODEL_CV32E40P, "cv32e40p")
#define CONFIG_SET_isa(WORD)                                                                       \
  WORD(CONFIG_ISA_AUTO, "auto")                                                                    \
  WORD(CONFIG_ISA_XPULPV2, "xpulpv2") WORD(CONFIG_ISA_COREV, "corev")
#define CONFIG_SET_divider(WORD)                                                                   \
  WORD(CONFIG_DIVIDER_E906, "e906")                                                                \
  WORD(CONFIG_DIVIDER_MVP, "mvp") WORD(CONFIG_DIVIDER_NONE, "none")
#define CONFIG_SET_results(WORD) WORD(CONFIG_RESULTS_IEEE, "ieee") WORD(CONFIG_RESULTS_RTL, "rtl")
#define CONFIG_SET_arbiter(WORD) WORD(CONFIG_ARBITER_LIC, "lic") WORD(CONFIG_ARBITER_XBAR, "xbar")
#define CONFIG_SET_icache(WORD)  WORD(CONFIG_ICACHE_IDEAL, "ideal") WORD(CONFIG_ICACHE_HIER, "hier")
#define CONFIG_SET_sharing(WORD)                                                                   \
  WORD(CONFIG_SHARING_PRIVATE, "private") WORD(CONFIG_SHARING_SHARED, "shared")
#define CONFIG_SET_boot(WORD)                                                                      \
  WORD(CONFIG_BOOT_AUTO, "auto")                                                                   \
  WORD(CONFIG_BOOT_STANDALONE, "standalone") WORD(CONFIG_BOOT_SOC, "soc")
#define CONFIG_SET_map(WORD)                                                                       \
  WORD(CONFIG_MAP_PULP, "pulp")                                                                    \
  WORD(CONFIG_MAP_CV32E40P, "cv32e40p")                                                            \
  WORD(CONFIG_MAP_CLUSTER_RTL, "cluster-rtl") WORD(CONFIG_MAP_GENERIC, "generic")

#define CONFIG_CONSTANT(constant, text) constant,
enum config_model { CONFIG_SET_model(CONFIG_CONSTANT) };
enum config_isa { CONFIG_SET_isa(CONFIG_CONSTANT) };
enum config_divider { CONFIG_SET_divider(CONFIG_CONSTANT) };
enum config_results { CONFIG_SET_results(CONFIG_CONSTANT) };
enum config_arbiter { CONFIG_SET_arbiter(CONFIG_CONSTANT) };
enum config_icache { CONFIG_SET_icache(CONFIG_CONSTANT) };
enum config_sharing { CONFIG_SET_sharing(CONFIG_CONSTANT) };
enum config_boot { CONFIG_SET_boot(CONFIG_CONSTANT) };
enum config_map { CONFIG_SET_map(CONFIG_CONSTANT) };
#undef CONFIG_CONSTANT

// All values are 32-bit words: numbers, 0 or 1 for BOOL, the constant above for CHOICE.
struct pulpsim_config {
#define KEY(field, name, type, value, unit, meaning, source) uint32_t field;
#include "sim/config_keys.def"
#undef KEY
  char machine[64]; // name of the configuration that was loaded, for reports
};

enum config_type { CONFIG_INT, CONFIG_POW2, CONFIG_HEX, CONFIG_BOOL, CONFIG_CHOICE };

struct config_key {
  const char *name; // dotted
  enum config_type type;
  size_t offset; // of the member in struct pulpsim_config
  uint32_t initial, min, max;
  const char *const *words; // CHOICE: NULL-terminated
  const char *unit, *meaning, *source;
};

extern const struct config_key config_keys[];
extern const size_t config_key_count;

// Errors are one sentence that says where and what to do; no newline.
enum { CONFIG_ERROR_SIZE = 512 };

// Every key at its default.
void config_init(struct pulpsim_config *config);

// Starts from the defaults and reads a configuration: a path (it holds a '/' or ends in .yml or
// .yaml) or the name of one, see config_find(). On failure `config` is unspecified.
bool config_load(struct pulpsim_config *config, const char *name, char error[CONFIG_ERROR_SIZE]);

// Reads YAML text over what `config` holds; `origin` stands for the file in errors.
bool config_parse(struct pulpsim_config *config, const char *text, size_t size, const char *origin,
                  char error[CONFIG_ERROR_SIZE]);

// One setting, "key=value". On failure `config` is unchanged.
bool config_set(struct pulpsim_config *config, const char *setting, char error[CONFIG_ERROR_SIZE]);

// Rules that involve several keys. Settings may pass through combinations that are not
// allowed, so this is called once, at the end.
bool config_check(const struct pulpsim_config *config, char error[CONFIG_ERROR_SIZE]);

// Cores that start; the cluster was built with `cluster_cores`.
static inline unsigned config_active_cores(const struct pulpsim_config *config) {
  return config->cluster_active ? config->cluster_active : config->cluster_cores;
}

// Maps of one core that reaches its only memory in one cycle.
static inline bool config_has_one_core(const struct pulpsim_config *config) {
  return config->soc_map == CONFIG_MAP_CV32E40P || config->soc_map == CONFIG_MAP_GENERIC;
}

// Index into config_keys; -1 if there is none of that name.
int config_find_key(const char *name);

// The key whose name is nearest to `name`, or NULL if none is near.
const struct config_key *config_nearest_key(const char *name);

// Sets a key from text. On failure `error` holds the reason, without a place.
bool config_set_key(struct pulpsim_config *config, const struct config_key *key, const char *text,
                    char error[CONFIG_ERROR_SIZE]);

uint32_t config_value(const struct pulpsim_config *config, const struct config_key *key);

// The value as a YAML scalar, into `text`.
enum { CONFIG_TEXT_SIZE = 32 };
void config_format(const struct config_key *key, uint32_t value, char text[CONFIG_TEXT_SIZE]);

// What values a key takes ("1..16", "lic|xbar", "true|false").
void config_format_range(const struct config_key *key, char *text, size_t size);

// FNV-1a, 64 bits, over "key=value\n" of all keys in order of declaration: equal for equal
// machines, however they were described.
uint64_t config_hash(const struct pulpsim_config *config);

// The configuration as YAML that reads back to the same, with unit and range as comments.
void config_show(const struct pulpsim_config *config, FILE *out);

// All keys with type, range, default, unit and meaning, as text or as a Markdown page.
void config_list(FILE *out, bool markdown);

// ---- where named configurations are (config_find.c)

// Reads the configuration called `name`. Looked for in this order: the directories configs and
// share/pulpsim/configs beside the directory of the running program, then the copies
// compiled into it. Returns its text (to be freed) and where it was found; on failure NULL.
char *config_find(const char *name, size_t *size, char origin[], size_t origin_size,
                  char error[CONFIG_ERROR_SIZE]);

// Whether a configuration's name is a path: it holds a '/' or ends in .yml or .yaml.
bool config_is_path(const char *name);

// Names of the configurations compiled in; NULL beyond the last.
const char *config_builtin_name(size_t index);

#endif
