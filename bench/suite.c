// bench/suite.c: reads suites.
#include "bench/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/expand.h"

static const struct {
  const char *name, *title;
} metrics[METRICS] = {
    [METRIC_MAC_PER_CLOCK] = {"mac_per_clock", "MAC/clk"},
    [METRIC_CYCLES] = {"cycles", "cycles"},
    [METRIC_SPEEDUP] = {"speedup", "speed-up"},
    [METRIC_RELATIVE] = {"relative", "relative speed"},
    [METRIC_UTILIZATION] = {"utilization", "utilization"},
};

const char *bench_metric_name(enum bench_metric metric) {
  return metrics[metric].name;
}

const char *bench_metric_title(enum bench_metric metric) {
  return metrics[metric].title;
}

// A file that is being read.
struct reader {
  struct tree *tree;
  struct bench_suite *suite;
  struct expand expand;
};

static const char *text_of(struct reader *r, node *map, const char *key, const char *otherwise) {
  return expand_text(&r->expand, tree_get_text(r->tree, map, key, otherwise), map);
}

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
  const char *text = text_of(r, map, "type", "");
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
  c->layer = text_of(r, map, "layer", "");
  if (*c->layer && c->type == TYPE_NONE)
    tree_fail(r->tree, map, "a 'layer' needs a 'type'");
  else if (*c->layer && !layer_parse(&c->shape, c->layer, c->bits))
    tree_fail(r->tree, tree_get(r->tree, map, "layer"), "'layer: %s' is no layer (docs/reports.md)",
              c->layer);
}

static enum bench_metric read_metric(struct reader *r, node *map) {
  const char *text = text_of(r, map, "metric", "mac_per_clock");
  for (unsigned i = 0; i < METRICS; i++) {
    if (strcmp(text, metrics[i].name) == 0)
      return (enum bench_metric)i;
  }
  tree_fail(r->tree, map,
            "'metric: %s' is none of mac_per_clock, cycles, speedup, relative, "
            "utilization",
            text);
  return METRIC_MAC_PER_CLOCK;
}

static void read_published(struct reader *r, node *map, struct bench_case *c) {
  static const char *const keys[] = {"value",    "metric", "cores", "to", "to_cores",
                                     "platform", "source", "note",  NULL};
  node *list = tree_get(r->tree, map, "published");
  if (list && list->type != YAML_SEQUENCE_NODE)
    tree_fail(r->tree, list, "'published' takes a list");
  c->published_count = tree_count(list);
  c->published = pool_take(&r->suite->pool, c->published_count * sizeof *c->published);
  for (size_t i = 0; i < c->published_count; i++) {
    node *item = tree_item(r->tree, list, i);
    unsigned last = c->core_counts ? c->core_count[c->core_counts - 1] : 1;
    tree_only(r->tree, item, keys);
    struct bench_published *p = &c->published[i];
    *p = (struct bench_published){.metric = read_metric(r, item),
                                  .value = tree_get_number(r->tree, item, "value", 0),
                                  .cores = (unsigned)tree_get_number(r->tree, item, "cores", last),
                                  .to = text_of(r, item, "to", ""),
                                  .platform = text_of(r, item, "platform", ""),
                                  .source = text_of(r, item, "source", ""),
                                  .note = text_of(r, item, "note", "")};
    p->to_cores = (unsigned)tree_get_number(r->tree, item, "to_cores", p->cores);
    if (p->value <= 0 || !*p->platform || !*p->source)
      tree_fail(r->tree, item, "a published figure needs a positive value, a platform, a source");
    if ((p->metric == METRIC_RELATIVE) != (*p->to != '\0'))
      tree_fail(r->tree, item, "'to' names another case and goes with 'metric: relative'");
  }
}

static struct bench_case read_case(struct reader *r, node *map) {
  struct bench_case c = {.name = text_of(r, map, "name", ""),
                         .program = text_of(r, map, "program", ""),
                         .machine = text_of(r, map, "machine", "pulp-open"),
                         .note = text_of(r, map, "note", ""),
                         .limit = tree_get_number(r->tree, map, "limit", 0)};
  if (!*c.name || !*c.program)
    tree_fail(r->tree, map, "a case needs 'name' and 'program'");
  read_cores(r, map, &c);
  read_type(r, map, &c);
  read_layer(r, map, &c);
  read_published(r, map, &c);
  c.set = read_pairs(r, map, "set", &c.set_count);
  c.data = read_pairs(r, map, "data", &c.data_count);
  return c;
}

static void add_case(struct reader *r, const struct bench_case *c, node *where) {
  struct bench_suite *s = r->suite;
  if (bench_suite_find(s, c->name))
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
  static const char *const keys[] = {"name",      "program", "machine", "note", "limit",
                                     "cores",     "type",    "layer",   "set",  "data",
                                     "published", "over",    NULL};
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
static void check_references(struct reader *r) {
  for (size_t i = 0; i < r->suite->case_count; i++) {
    const struct bench_case *c = &r->suite->cases[i];
    for (size_t j = 0; j < c->published_count; j++) {
      const char *to = c->published[j].to;
      if (*to && !bench_suite_find(r->suite, to))
        tree_fail(r->tree, NULL, "case '%s': there is no case '%s' to compare with", c->name, to);
    }
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

bool bench_suite_read(struct bench_suite *suite, const char *path, char *error, size_t error_size) {
  static const char *const keys[] = {"title", "about", "cases", NULL};
  struct tree tree;
  struct reader r = {.tree = &tree, .suite = suite};
  *suite = (struct bench_suite){.id = ""};
  suite->id = file_stem(&suite->pool, path);
  if (tree_open(&tree, path)) {
    node *root = tree_root(&tree), *cases = tree_get(&tree, root, "cases");
    expand_begin(&r.expand, &suite->pool, &tree, NULL);
    tree_only(&tree, root, keys);
    suite->title = text_of(&r, root, "title", suite->id);
    suite->about = text_of(&r, root, "about", "");
    if (!cases || cases->type != YAML_SEQUENCE_NODE)
      tree_fail(&tree, root, "'cases' takes a list of measurements");
    read_cases(&r, cases);
    check_references(&r);
  }
  snprintf(error, error_size, "%s", tree.error);
  tree_close(&tree);
  return !*tree.error;
}

void bench_suite_free(struct bench_suite *suite) {
  pool_free(&suite->pool);
}

const struct bench_case *bench_suite_find(const struct bench_suite *suite, const char *name) {
  for (size_t i = 0; i < suite->case_count; i++) {
    if (strcmp(suite->cases[i].name, name) == 0)
      return &suite->cases[i];
  }
  return NULL;
}
