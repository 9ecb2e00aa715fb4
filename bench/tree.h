// bench/tree.h: a YAML file as a tree of maps, lists and scalars. JSON is read the same way: it is
// YAML.
//
// The first mistake found is kept in `error` ("FILE:LINE: what"); later look-ups then answer with
// nothing, so that a reader checks once, at the end.
#ifndef BENCH_TREE_H
#define BENCH_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <yaml.h>

struct tree {
  const char *path;
  yaml_document_t document;
  bool loaded;
  char error[512];
};

typedef yaml_node_t node;

// False with `error` filled in when there is no such file, or it is not YAML. Close it either way.
bool tree_open(struct tree *tree, const char *path);
void tree_close(struct tree *tree);

node *tree_root(struct tree *tree);
node *tree_get(struct tree *tree, node *map, const char *key); // NULL: not a map, or no such key
const char *tree_text(node *scalar);                           // NULL: not a scalar
const char *tree_get_text(struct tree *tree, node *map, const char *key, const char *otherwise);
double tree_get_number(struct tree *tree, node *map, const char *key, double otherwise);
uint64_t tree_get_count(struct tree *tree, node *map, const char *key); // 0 if absent

// Elements of a list, or pairs of a map; 0 if it is neither.
size_t tree_count(node *list);
node *tree_item(struct tree *tree, node *list, size_t index); // of a map: the value
const char *tree_key(struct tree *tree, node *map, size_t index);

// Every key of `map` must be among `keys` (NULL-terminated).
void tree_only(struct tree *tree, node *map, const char *const *keys);
void tree_fail(struct tree *tree, const node *where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
