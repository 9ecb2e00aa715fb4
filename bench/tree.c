// bench/tree.c: a thin layer over libyaml's documents.
#include "bench/tree.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void parse_error(struct tree *tree, const yaml_parser_t *parser) {
  snprintf(tree->error, sizeof tree->error, "%s:%zu: %s", tree->path, parser->problem_mark.line + 1,
           parser->problem ? parser->problem : "not YAML");
}

bool tree_open(struct tree *tree, const char *path) {
  yaml_parser_t parser;
  *tree = (struct tree){.path = path};
  struct stat info;
  FILE *f = fopen(path, "r");
  if (f && fstat(fileno(f), &info) == 0 && S_ISDIR(info.st_mode)) {
    fclose(f);
    f = NULL;
    errno = EISDIR;
  }
  if (!f || !yaml_parser_initialize(&parser)) {
    snprintf(tree->error, sizeof tree->error, "%s: %s", path, strerror(errno));
    if (f)
      fclose(f);
    return false;
  }
  yaml_parser_set_input_file(&parser, f);
  tree->loaded = yaml_parser_load(&parser, &tree->document);
  if (!tree->loaded)
    parse_error(tree, &parser);
  else if (!tree_root(tree))
    snprintf(tree->error, sizeof tree->error, "%s: is empty", path);
  yaml_parser_delete(&parser);
  fclose(f);
  return !*tree->error;
}

void tree_close(struct tree *tree) {
  if (tree->loaded)
    yaml_document_delete(&tree->document);
  tree->loaded = false;
}

node *tree_root(struct tree *tree) {
  return yaml_document_get_root_node(&tree->document);
}

const char *tree_text(node *scalar) {
  return scalar && scalar->type == YAML_SCALAR_NODE ? (const char *)scalar->data.scalar.value
                                                    : NULL;
}

size_t tree_count(node *list) {
  if (list && list->type == YAML_SEQUENCE_NODE)
    return (size_t)(list->data.sequence.items.top - list->data.sequence.items.start);
  if (list && list->type == YAML_MAPPING_NODE)
    return (size_t)(list->data.mapping.pairs.top - list->data.mapping.pairs.start);
  return 0;
}

node *tree_item(struct tree *tree, node *list, size_t index) {
  if (index >= tree_count(list))
    return NULL;
  int id = list->type == YAML_SEQUENCE_NODE ? list->data.sequence.items.start[index]
                                            : list->data.mapping.pairs.start[index].value;
  return yaml_document_get_node(&tree->document, id);
}

const char *tree_key(struct tree *tree, node *map, size_t index) {
  const char *key = NULL;
  if (map && map->type == YAML_MAPPING_NODE && index < tree_count(map))
    key = tree_text(
        yaml_document_get_node(&tree->document, map->data.mapping.pairs.start[index].key));
  return key ? key : "";
}

node *tree_get(struct tree *tree, node *map, const char *key) {
  for (size_t i = 0; map && map->type == YAML_MAPPING_NODE && i < tree_count(map); i++) {
    if (strcmp(tree_key(tree, map, i), key) == 0)
      return tree_item(tree, map, i);
  }
  return NULL;
}

const char *tree_get_text(struct tree *tree, node *map, const char *key, const char *otherwise) {
  node *value = tree_get(tree, map, key);
  const char *text = tree_text(value);
  if (value && !text)
    tree_fail(tree, value, "'%s' takes text", key);
  return text ? text : otherwise;
}

double tree_get_number(struct tree *tree, node *map, const char *key, double otherwise) {
  char *end = NULL;
  const char *text = tree_get_text(tree, map, key, NULL);
  if (!text)
    return otherwise;
  double value = strtod(text, &end);
  if (end == text || *end) {
    tree_fail(tree, tree_get(tree, map, key), "'%s: %s': takes a number", key, text);
    return otherwise;
  }
  return value;
}

uint64_t tree_get_count(struct tree *tree, node *map, const char *key) {
  char *end = NULL;
  const char *text = tree_get_text(tree, map, key, NULL);
  if (!text)
    return 0;
  uint64_t value = strtoull(text, &end, 10);
  if (*text < '0' || *text > '9' || *end) {
    tree_fail(tree, tree_get(tree, map, key), "'%s: %s': takes a whole number", key, text);
    return 0;
  }
  return value;
}

void tree_only(struct tree *tree, node *map, const char *const *keys) {
  if (!map || map->type != YAML_MAPPING_NODE) {
    tree_fail(tree, map, "expected a map that begins with '%s'", keys[0]);
    return;
  }
  for (size_t i = 0; i < tree_count(map); i++) {
    const char *const *known = keys;
    while (*known && strcmp(*known, tree_key(tree, map, i)) != 0)
      known++;
    if (!*known)
      tree_fail(tree, tree_item(tree, map, i), "unknown key '%s'", tree_key(tree, map, i));
  }
}

void tree_fail(struct tree *tree, const node *where, const char *format, ...) {
  va_list list;
  if (*tree->error)
    return;
  int used = snprintf(tree->error, sizeof tree->error, "%s:%zu: ", tree->path,
                      where ? where->start_mark.line + 1 : 1);
  if (used < 0 || (size_t)used >= sizeof tree->error)
    return;
  va_start(list, format);
  vsnprintf(tree->error + used, sizeof tree->error - (size_t)used, format, list);
  va_end(list);
}
