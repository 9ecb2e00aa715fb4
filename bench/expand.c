// bench/expand.c: variables of suites.
#include "bench/expand.h"

#include <string.h>

void expand_begin(struct expand *e, struct pool *pool, struct tree *tree, node *over) {
  *e = (struct expand){.pool = pool, .tree = tree, .count = tree_count(over)};
  if (over && (over->type != YAML_MAPPING_NODE || e->count > EXPAND_MAX))
    tree_fail(tree, over, "'over' takes a map of at most %d variables", EXPAND_MAX);
  if (*tree->error)
    e->count = 0;
  for (size_t i = 0; i < e->count; i++) {
    e->name[i] = tree_key(tree, over, i);
    e->list[i] = tree_item(tree, over, i);
    if (e->list[i]->type != YAML_SEQUENCE_NODE || !tree_count(e->list[i]))
      tree_fail(tree, e->list[i], "variable '%s' takes a list of values", e->name[i]);
  }
}

bool expand_next(struct expand *e) {
  for (size_t i = e->count; i-- > 0;) {
    if (++e->at[i] < tree_count(e->list[i]))
      return true;
    e->at[i] = 0;
  }
  return false;
}

static const char *value_of(struct expand *e, const char *name, size_t length) {
  for (size_t i = 0; i < e->count; i++) {
    if (strlen(e->name[i]) == length && strncmp(e->name[i], name, length) == 0)
      return tree_text(tree_item(e->tree, e->list[i], e->at[i]));
  }
  return NULL;
}

const char *expand_text(struct expand *e, const char *text, const node *where) {
  const char *done = pool_copy(e->pool, text);
  for (const char *open; (open = strstr(done, "${")) != NULL;) {
    const char *close = strchr(open, '}');
    const char *value = close ? value_of(e, open + 2, (size_t)(close - open - 2)) : NULL;
    if (!value) {
      tree_fail(e->tree, where, "'%s': no such variable under 'over'", open);
      return text;
    }
    done = pool_printf(e->pool, "%.*s%s%s", (int)(open - done), done, value, close + 1);
  }
  return done;
}
