// sim/config_yaml.c: configurations as YAML, by libyaml, with the line of every mistake.
//
// A file is parsed into a tree of nodes; maps are walked with their joined name, and only as
// deep as a key's name reaches: a map under an unknown name is an error, not descended into.
#include "sim/config.h"
#include "sim/spelling.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

enum { INCLUDE_LIMIT = 8, NAME_SIZE = 96 };

// One file being read.
struct reader {
  struct pulpsim_config *config;
  yaml_document_t *doc;
  const char *origin;
  unsigned depth; // of includes
  unsigned *line; // per key: where this file set it; 0: not yet
  char *error;
};

static bool parse(struct pulpsim_config *config, const char *text, size_t size, const char *origin,
                  unsigned depth, char *error);

static bool fail(const struct reader *r, const yaml_node_t *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool fail(const struct reader *r, const yaml_node_t *at, const char *format, ...) {
  char reason[CONFIG_ERROR_SIZE / 2];
  va_list args;
  va_start(args, format);
  vsnprintf(reason, sizeof reason, format, args);
  va_end(args);
  snprintf(r->error, CONFIG_ERROR_SIZE, "%.200s:%zu: %s", r->origin, at->start_mark.line + 1,
           reason);
  return false;
}

// Nothing was written where a map could be: "cluster:" with all below it commented out.
static bool is_empty(const yaml_node_t *node) {
  return node->type == YAML_SCALAR_NODE && node->data.scalar.length == 0;
}

// A scalar's text, or NULL when the node is something else or holds a NUL.
static const char *scalar(const yaml_node_t *node) {
  if (node->type != YAML_SCALAR_NODE)
    return NULL;
  const char *text = (const char *)node->data.scalar.value;
  return strlen(text) == node->data.scalar.length ? text : NULL;
}

static bool set_from_node(struct reader *r, const yaml_node_t *name_node, const yaml_node_t *node,
                          int index) {
  char reason[CONFIG_ERROR_SIZE];
  const struct config_key *key = &config_keys[index];
  const char *text = scalar(node);
  if (!text)
    return fail(r, node, "%s: takes a single value", key->name);
  if (r->line[index])
    return fail(r, name_node, "%s: already set in line %u; remove one of the two", key->name,
                r->line[index]);
  r->line[index] = (unsigned)name_node->start_mark.line + 1;
  return config_set_key(r->config, key, text, reason) || fail(r, node, "%.250s", reason);
}

static bool is_prefix(const char *name) {
  size_t n = strlen(name);
  for (size_t i = 0; i < config_key_count; i++) {
    if (strncmp(config_keys[i].name, name, n) == 0 && config_keys[i].name[n] == '.')
      return true;
  }
  return false;
}

// The map "cluster" or "core.fpu" that may have been meant, if it is less than `least` away; else
// "".
static void nearest_map(const char *name, unsigned least, char near[NAME_SIZE]) {
  *near = '\0';
  for (size_t i = 0; i < config_key_count; i++)
    for (const char *dot = config_keys[i].name; (dot = strchr(dot, '.')); dot++) {
      char map[NAME_SIZE];
      snprintf(map, sizeof map, "%.*s", (int)(dot - config_keys[i].name), config_keys[i].name);
      unsigned far = spelling_distance(name, map, least);
      if (far >= least)
        continue;
      least = far;
      memcpy(near, map, sizeof map);
    }
}

static bool unknown(struct reader *r, const yaml_node_t *at, const char *name) {
  enum { NEAR = 3 };
  char map[NAME_SIZE];
  const struct config_key *key = config_nearest_key(name);
  unsigned far = key ? spelling_distance(name, key->name, NEAR) : NEAR;
  bool of_no_map = key && !strchr(name, '.') && far >= NEAR;
  nearest_map(name, far < NEAR ? far : NEAR, map);
  if (*map && !of_no_map)
    return fail(r, at, "unknown key '%s'; did you mean '%s'?", name, map);
  if (key)
    return fail(r, at, "unknown key '%s'; did you mean '%s'?", name, key->name);
  return fail(r, at, "unknown key '%s'; `pulpsim config --list` shows all keys", name);
}

static bool read_map(struct reader *r, const yaml_node_t *map, const char *prefix);

static bool read_pair(struct reader *r, const yaml_node_pair_t *pair, const char *prefix) {
  const yaml_node_t *name_node = yaml_document_get_node(r->doc, pair->key);
  const yaml_node_t *node = yaml_document_get_node(r->doc, pair->value);
  const char *last = scalar(name_node);
  char name[NAME_SIZE];
  if (!last)
    return fail(r, name_node, "the name of a key must be a plain word");
  if (!*prefix && strcmp(last, "include") == 0)
    return true; // read before all else
  int length = snprintf(name, sizeof name, "%s%s%s", prefix, *prefix ? "." : "", last);
  if (length >= NAME_SIZE)
    return fail(r, name_node, "unknown key '%.60s...'", name);
  int index = config_find_key(name);
  if (index >= 0)
    return set_from_node(r, name_node, node, index);
  if (!is_prefix(name))
    return unknown(r, name_node, name);
  if (is_empty(node))
    return true;
  if (node->type != YAML_MAPPING_NODE)
    return fail(r, node, "%s: takes a map of keys, one per line", name);
  return read_map(r, node, name);
}

static bool read_map(struct reader *r, const yaml_node_t *map, const char *prefix) {
  for (const yaml_node_pair_t *p = map->data.mapping.pairs.start; p < map->data.mapping.pairs.top;
       p++) {
    if (!read_pair(r, p, prefix))
      return false;
  }
  return true;
}

// A path in an `include` is relative to the including file.
static void resolve(const char *origin, const char *name, char *path, size_t size) {
  const char *slash = strrchr(origin, '/');
  if (slash && config_is_path(name) && *name != '/')
    snprintf(path, size, "%.*s/%s", (int)(slash - origin), origin, name);
  else
    snprintf(path, size, "%s", name);
}

static bool read_include(struct reader *r, const yaml_node_t *node) {
  char path[1024], origin[1024], reason[CONFIG_ERROR_SIZE];
  const char *name = scalar(node);
  size_t size;
  if (!name)
    return fail(r, node, "include: takes the name or path of one configuration");
  if (r->depth == INCLUDE_LIMIT)
    return fail(r, node, "include: more than %d deep; does a file include itself?", INCLUDE_LIMIT);
  resolve(r->origin, name, path, sizeof path);
  char *text = config_find(path, &size, origin, sizeof origin, reason);
  if (!text)
    return fail(r, node, "include: %.230s", reason);
  bool ok = parse(r->config, text, size, origin, r->depth + 1, r->error);
  free(text);
  return ok;
}

static bool read_document(struct reader *r) {
  const yaml_node_t *root = yaml_document_get_root_node(r->doc);
  if (!root || is_empty(root))
    return true; // an empty file changes nothing
  if (root->type != YAML_MAPPING_NODE)
    return fail(r, root, "a configuration is a map of keys");
  const yaml_node_t *seen = NULL;
  for (const yaml_node_pair_t *p = root->data.mapping.pairs.start; p < root->data.mapping.pairs.top;
       p++) {
    const yaml_node_t *name = yaml_document_get_node(r->doc, p->key);
    const char *text = scalar(name);
    if (!text || strcmp(text, "include") != 0)
      continue;
    if (seen)
      return fail(r, name, "include: given twice; chain the files instead");
    seen = name;
    if (!read_include(r, yaml_document_get_node(r->doc, p->value)))
      return false;
  }
  return read_map(r, root, "");
}

static bool load_document(yaml_parser_t *parser, yaml_document_t *doc, const char *origin,
                          char *error) {
  if (yaml_parser_load(parser, doc))
    return true;
  size_t line = parser->problem_mark.line + 1;
  if (parser->error == YAML_MEMORY_ERROR)
    snprintf(error, CONFIG_ERROR_SIZE, "%.200s: out of memory", origin);
  else if (parser->error == YAML_READER_ERROR)
    snprintf(error, CONFIG_ERROR_SIZE, "%.200s: byte %zu: not UTF-8 text (%.100s)", origin,
             parser->problem_offset, parser->problem ? parser->problem : "unreadable");
  else
    snprintf(error, CONFIG_ERROR_SIZE, "%.200s:%zu: not YAML: %.150s", origin, line,
             parser->problem ? parser->problem : "unreadable");
  return false;
}

static bool is_last_document(yaml_parser_t *parser, const char *origin, char *error) {
  yaml_document_t doc;
  if (!load_document(parser, &doc, origin, error))
    return false;
  const yaml_node_t *root = yaml_document_get_root_node(&doc);
  if (root)
    snprintf(error, CONFIG_ERROR_SIZE, "%.200s:%zu: a second document; a configuration is one",
             origin, root->start_mark.line + 1);
  yaml_document_delete(&doc);
  return !root;
}

static bool parse(struct pulpsim_config *config, const char *text, size_t size, const char *origin,
                  unsigned depth, char *error) {
  yaml_parser_t parser;
  yaml_document_t doc;
  unsigned *line = calloc(config_key_count, sizeof *line);
  if (!line || !yaml_parser_initialize(&parser)) {
    free(line);
    snprintf(error, CONFIG_ERROR_SIZE, "%.200s: out of memory", origin);
    return false;
  }
  yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
  bool ok = load_document(&parser, &doc, origin, error);
  if (ok) {
    struct reader r = {config, &doc, origin, depth, line, error};
    ok = read_document(&r);
    yaml_document_delete(&doc);
  }
  ok = ok && is_last_document(&parser, origin, error);
  yaml_parser_delete(&parser);
  free(line);
  return ok;
}

bool config_parse(struct pulpsim_config *config, const char *text, size_t size, const char *origin,
                  char error[CONFIG_ERROR_SIZE]) {
  return parse(config, text, size, origin, 0, error);
}

// "configs/gap8.yml" -> "gap8"
static void name_machine(struct pulpsim_config *config, const char *path) {
  const char *slash = strrchr(path, '/');
  snprintf(config->machine, sizeof config->machine, "%.63s", slash ? slash + 1 : path);
  char *dot = strrchr(config->machine, '.');
  if (dot && config_is_path(path))
    *dot = '\0';
}

bool config_load(struct pulpsim_config *config, const char *name, char error[CONFIG_ERROR_SIZE]) {
  char origin[1024];
  size_t size;
  config_init(config);
  char *text = config_find(name, &size, origin, sizeof origin, error);
  if (!text)
    return false;
  bool ok = config_parse(config, text, size, origin, error);
  free(text);
  name_machine(config, name);
  return ok;
}
