// bench/suite.c: reads suites.
#include "bench/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/suite_reader.h"

static void read_cores(struct reader *r, node *map, struct bench_case *c) {
  node *list = tree_get(r->tree, map, "cores");
  size_t count = tree_count(list);
  if (!list || list->type != YAML_SEQUENCE_NODE || !count ||
      count > sizeof c->core_count / sizeof *c->core_count) {
    tree_fail(r->tree, list ? list : map, "'cores' takes a list of numbers, e.g. [1, 8]");
    return;
  }
  for (size_t i = 0; i < count; i++) {
    node *item = tree_item(r->tree, list, i);
    const char *text = tree_text(item);
    int cores = text ? atoi(expand_text(&r->expand, text, item)) : 0;
    if (cores < 1 || cores > BENCH_MAX_CORES)
      tree_fail(r->tree, item, "cores: 1 to %d", BENCH_MAX_CORES);
    c->core_count[c->core_counts++] = (unsigned)cores;
  }
}

static struct bench_pair *read_pairs(struct reader *r, node *map, const char *key, size_t *count) {
  node *pairs = tree_get(r->tree, map, key);
  if (pairs && pairs->type != YAML_MAPPING_NODE)
    tree_fail(r->tree, pairs, "'%s' takes a map", key);
  *count = tree_count(pairs);
  struct bench_pair *out = pool_take(&r->suite->pool, *count * sizeof *out);
  for (size_t i = 0; i < *count; i++) {
    const char *value = tree_text(tree_item(r->tree, pairs, i));
    if (!value)
      tree_fail(r->tree, pairs, "'%s': values are single words or numbers", key);
    out[i].key = pool_copy(&r->suite->pool, tree_key(r->tree, pairs, i));
    out[i].value = expand_text(&r->expand, value ? value : "", pairs);
  }
  return out;
}

// "i8", "i4", "i2", "f32", "f16", or the bits of input, weights and output: "i8 i4 i8".
static void read_type(struct reader *r, node *map, struct bench_case *c) {
  const char *text = reader_text(r, map, "type", "");
  unsigned count = 0;
  if (!*text)
    return;
  for (char *end; *text && count < 3; text = end + strspn(end, " ")) {
    c->type = *text == 'i' ? TYPE_INT : TYPE_F32;
    c->bits[count++] = (unsigned)strtoul(text + 1, &end, 10);
    if (end == text + 1 || (*text != 'i' && *text != 'f'))
      break;
  }
  for (; count && count < 3; count++)
    c->bits[count] = c->bits[0];
  if (*text || !c->bits[0] || !c->bits[1] || !c->bits[2])
    tree_fail(r->tree, map, "'type' takes f32, f16, i8, i4, i2, or three of them: i8 i4 i8");
  if (c->type == TYPE_F32 && c->bits[0] == 16)
    c->type = TYPE_F16;
}

static void read_layer(struct reader *r, node *map, struct bench_case *c) {
  c->layer = reader_text(r, map, "layer", "");
  if (*c->layer && c->type == TYPE_NONE)
    tree_fail(r->tree, map, "a 'layer' needs a 'type'");
  else if (*c->layer && !layer_parse(&c->shape, c->layer, c->bits))
    tree_fail(r->tree, tree_get(r->tree, map, "layer"), "'layer: %s' is no layer (docs/reports.md)",
              c->layer);
}

// A number, or MACs over slots of the inner loop: "64/24".
static double read_limit(struct reader *r, node *map) {
  char *end;
  const char *text = reader_text(r, map, "limit", "");
  double macs = strtod(text, &end), slots = 1;
  if (*text && *end == '/')
    slots = strtod(end + 1, &end);
  if (*end || macs < 0 || slots <= 0)
    tree_fail(r->tree, map, "'limit: %s' takes MAC per cycle, or MACs/slots", text);
  return slots > 0 ? macs / slots : 0;
}

static void check_subject(struct reader *r, node *map, const struct bench_case *c) {
  if (!*c->name || !*c->program == !*c->network)
    tree_fail(r->tree, map, "a case needs 'name', and 'program' or 'network'");
  if (*c->deploy && !*c->network)
    tree_fail(r->tree, map, "'deploy' has options for a 'network'");
}

static struct bench_case read_case(struct reader *r, node *map) {
  struct bench_case c = {.name = reader_text(r, map, "name", ""),
                         .program = reader_text(r, map, "program", ""),
                         .chip = reader_text(r, map, "chip", ""),
                         .network = reader_text(r, map, "network", ""),
                         .deploy = reader_text(r, map, "deploy", ""),
                         .region = reader_text(r, map, "region", ""),
                         .note = reader_text(r, map, "note", ""),
                         .limit = read_limit(r, map),
                         .table = reader_text(r, map, "table", ""),
                         .row = reader_text(r, map, "row", ""),
                         .column = reader_text(r, map, "column", "")};
  c.machine = reader_text(r, map, "machine", *c.network ? "gap8" : "pulp-open");
  c.scope = reader_text(r, map, "scope", *c.network ? "whole network" : "");
  check_subject(r, map, &c);
  read_cores(r, map, &c);
  read_type(r, map, &c);
  read_layer(r, map, &c);
  reader_published(r, map, &c);
  reader_targets(r, map, &c);
  c.set = read_pairs(r, map, "set", &c.set_count);
  c.data = read_pairs(r, map, "data", &c.data_count);
  return c;
}

// NULL if there is none.
static const struct bench_case *find_case(const struct bench_suite *suite, const char *name) {
  for (size_t i = 0; i < suite->case_count; i++) {
    if (strcmp(suite->cases[i].name, name) == 0)
      return &suite->cases[i];
  }
  return NULL;
}

static void add_case(struct reader *r, const struct bench_case *c, node *where) {
  struct bench_suite *s = r->suite;
  if (find_case(s, c->name))
    tree_fail(r->tree, where, "two cases are called '%s'", c->name);
  if ((s->case_count & (s->case_count - 1)) == 0) { // full: twice the room
    size_t room = s->case_count ? 2 * s->case_count : 1;
    struct bench_case *more = pool_take(&s->pool, room * sizeof *more);
    if (s->case_count)
      memcpy(more, s->cases, s->case_count * sizeof *more);
    s->cases = more;
  }
  s->cases[s->case_count++] = *c;
}

static void read_cases(struct reader *r, node *list) {
  static const char *const keys[] = {"name",  "program", "machine", "note", "limit",     "cores",
                                     "type",  "layer",   "set",     "data", "published", "targets",
                                     "over",  "region",  "table",   "row",  "column",    "chip",
                                     "scope", "network", "deploy",  NULL};
  for (size_t i = 0; i < tree_count(list); i++) {
    node *map = tree_item(r->tree, list, i);
    tree_only(r->tree, map, keys);
    expand_begin(&r->expand, &r->suite->pool, r->tree, tree_get(r->tree, map, "over"));
    do {
      struct bench_case c = read_case(r, map);
      add_case(r, &c, map);
    } while (!*r->tree->error && expand_next(&r->expand));
  }
}

// Figures that refer to other cases must find them.
static void check_reference(struct reader *r, const struct bench_case *c,
                            const struct bench_measure *m) {
  if (*m->to && !find_case(r->suite, m->to))
    tree_fail(r->tree, NULL, "case '%s': there is no case '%s' to compare with", c->name, m->to);
}

static void check_references(struct reader *r) {
  for (size_t i = 0; i < r->suite->case_count; i++) {
    const struct bench_case *c = &r->suite->cases[i];
    for (size_t j = 0; j < c->published_count; j++)
      check_reference(r, c, &c->published[j].measure);
    for (size_t j = 0; j < c->target_count; j++)
      check_reference(r, c, &c->targets[j].measure);
    if (*c->table && !bench_suite_table(r->suite, c->table))
      tree_fail(r->tree, NULL, "case '%s': there is no table '%s'", c->name, c->table);
  }
}

static bool read_flag(struct reader *r, node *map, const char *key) {
  const char *text = reader_text(r, map, key, "false");
  bool yes = strcmp(text, "true") == 0;
  if (!yes && strcmp(text, "false") != 0)
    tree_fail(r->tree, map, "'%s' takes true or false", key);
  return yes;
}

static enum bench_show read_show(struct reader *r, node *map) {
  static const char *const names[SHOWS] = {"mac_per_clock", "cycles", "latency", "ms"};
  const char *text = reader_text(r, map, "show", names[SHOW_MAC_PER_CLOCK]);
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
    if (strcmp(text, names[i]) == 0)
      return (enum bench_show)i;
  }
  tree_fail(r->tree, map, "'show' takes mac_per_clock, cycles, latency or ms");
  return SHOW_MAC_PER_CLOCK;
}

static void read_tables(struct reader *r, node *list) {
  static const char *const keys[] = {"name",        "about", "rows", "columns", "base_row",
                                     "base_column", "show",  "fold", "chart",   NULL};
  struct bench_suite *s = r->suite;
  s->tables = pool_take(&s->pool, tree_count(list) * sizeof *s->tables);
  for (size_t i = 0; i < tree_count(list); i++) {
    node *map = tree_item(r->tree, list, i);
    tree_only(r->tree, map, keys);
    s->tables[s->table_count++] =
        (struct bench_table_spec){.name = reader_text(r, map, "name", ""),
                                  .about = reader_text(r, map, "about", ""),
                                  .rows = reader_text(r, map, "rows", "kernel"),
                                  .columns = reader_text(r, map, "columns", ""),
                                  .base_row = reader_text(r, map, "base_row", ""),
                                  .base_column = reader_text(r, map, "base_column", ""),
                                  .show = read_show(r, map),
                                  .fold = read_flag(r, map, "fold"),
                                  .chart = read_flag(r, map, "chart")};
  }
}

static const char *file_stem(struct pool *pool, const char *path) {
  const char *slash = strrchr(path, '/');
  char *stem = pool_copy(pool, slash ? slash + 1 : path);
  char *dot = strrchr(stem, '.');
  if (dot)
    *dot = '\0';
  return stem;
}

static void read_root(struct reader *r, node *root) {
  static const char *const keys[] = {"title", "about", "figures", "tables", "cases", NULL};
  node *cases = tree_get(r->tree, root, "cases");
  expand_begin(&r->expand, &r->suite->pool, r->tree, NULL);
  tree_only(r->tree, root, keys);
  r->suite->title = reader_text(r, root, "title", r->suite->id);
  r->suite->about = reader_text(r, root, "about", "");
  if (!cases || cases->type != YAML_SEQUENCE_NODE)
    tree_fail(r->tree, root, "'cases' takes a list of measurements");
  reader_open_figures(r, root);
  read_tables(r, tree_get(r->tree, root, "tables"));
  read_cases(r, cases);
  check_references(r);
}

bool bench_suite_read(struct bench_suite *suite, const char *path, char *error, size_t error_size) {
  struct tree tree;
  struct reader r = {.tree = &tree, .suite = suite};
  *suite = (struct bench_suite){.id = ""};
  suite->id = file_stem(&suite->pool, path);
  if (tree_open(&tree, path))
    read_root(&r, tree_root(&tree));
  snprintf(error, error_size, "%s", tree.error);
  tree_close(&tree);
  tree_close(&r.figures);
  return !*error;
}

void bench_suite_free(struct bench_suite *suite) {
  pool_free(&suite->pool);
}

const struct bench_table_spec *bench_suite_table(const struct bench_suite *suite,
                                                 const char *name) {
  for (size_t i = 0; i < suite->table_count; i++) {
    if (strcmp(suite->tables[i].name, name) == 0)
      return &suite->tables[i];
  }
  return NULL;
}
