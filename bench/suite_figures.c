// bench/suite_figures.c: the figures of a suite: published ones, by reference to the file that
// holds them or in place, and the project's own targets.
#include <stdio.h>
#include <string.h>

#include "bench/suite_reader.h"

static const struct {
  const char *name, *title;
} metrics[METRICS] = {
    [METRIC_MAC_PER_CLOCK] = {"mac_per_clock", "MAC/clk"},
    [METRIC_CYCLES] = {"cycles", "cycles"},
    [METRIC_SPEEDUP] = {"speedup", "speed-up"},
    [METRIC_RELATIVE] = {"relative", "relative speed"},
    [METRIC_UTILIZATION] = {"utilization", "utilization"},
    [METRIC_MS] = {"ms", "ms"},
    [METRIC_FRAMES] = {"frames_per_second", "frames/s"},
    [METRIC_MJ] = {"mj", "mJ"},
    [METRIC_BYTES] = {"bytes", "bytes"},
};

const char *bench_metric_name(enum bench_metric metric) {
  return metrics[metric].name;
}

const char *bench_metric_title(enum bench_metric metric) {
  return metrics[metric].title;
}

const char *reader_text(struct reader *r, node *map, const char *key, const char *otherwise) {
  return expand_text(&r->expand, tree_get_text(r->tree, map, key, otherwise), map);
}

void reader_open_figures(struct reader *r, node *root) {
  const char *name = reader_text(r, root, "figures", ""), *slash = strrchr(r->tree->path, '/');
  if (!*name)
    return;
  int folder = slash ? (int)(slash - r->tree->path) + 1 : 0;
  if (!tree_open(&r->figures, pool_printf(&r->suite->pool, "%.*s%s", folder, r->tree->path, name)))
    tree_fail(r->tree, tree_get(r->tree, root, "figures"), "%s", r->figures.error);
}

// ---------------------------------------------------------------- what is measured

// Clock and power.
struct bench_point {
  double mhz, mw;
};

static enum bench_metric read_metric(struct reader *r, node *where, const char *text) {
  for (unsigned i = 0; i < METRICS; i++) {
    if (strcmp(text, metrics[i].name) == 0)
      return (enum bench_metric)i;
  }
  tree_fail(r->tree, where,
            "'metric: %s' is none of mac_per_clock, cycles, speedup, relative, "
            "utilization, ms, frames_per_second, mj, bytes",
            text);
  return METRIC_MAC_PER_CLOCK;
}

// Time needs a clock, energy a power, and nothing else takes them.
static void check_point(struct reader *r, node *map, const struct bench_measure *m) {
  bool time = m->metric == METRIC_MS || m->metric == METRIC_FRAMES || m->metric == METRIC_MJ;
  if ((m->mhz > 0) != time || m->mhz < 0)
    tree_fail(r->tree, map, "'mhz' is the clock of ms, frames_per_second and mj, which need it");
  if ((m->mw > 0) != (m->metric == METRIC_MJ) || m->mw < 0)
    tree_fail(r->tree, map, "'mw' is the power of mj, which needs it");
}

static struct bench_measure read_measure(struct reader *r, node *map, const char *metric,
                                         struct bench_point point, const struct bench_case *c) {
  unsigned last = c->core_counts ? c->core_count[c->core_counts - 1] : 1;
  struct bench_measure m = {
      .metric = read_metric(r, map, metric),
      .cores = (unsigned)tree_get_number(r->tree, map, "cores", last),
      .to = reader_text(r, map, "to", ""),
      .mhz = tree_get_number(r->tree, map, "mhz", point.mhz),
      .mw = tree_get_number(r->tree, map, "mw", point.mw),
  };
  m.to_cores = (unsigned)tree_get_number(r->tree, map, "to_cores", m.cores);
  if ((m.metric == METRIC_RELATIVE) != (*m.to != '\0'))
    tree_fail(r->tree, map, "'to' names another case and goes with 'metric: relative'");
  check_point(r, map, &m);
  return m;
}

// ---------------------------------------------------------------- published

// "SOURCE.FIGURE" in the file of figures: a copy of what it says there, or an empty text.
struct found {
  double value;
  struct bench_point point;
  const char *metric, *platform, *machine, *scope, *source, *note;
};

static const char *keep(struct reader *r, node *map, const char *key, const char *otherwise) {
  return pool_copy(&r->suite->pool, tree_get_text(&r->figures, map, key, otherwise));
}

static bool find_figure(struct reader *r, const char *name, struct found *found) {
  static const char *const source_keys[] = {"source", "platform", "machine", "figures", NULL};
  static const char *const keys[] = {"value",   "metric", "mhz",  "mw", "platform",
                                     "machine", "scope",  "note", NULL};
  const char *dot = strchr(name, '.');
  struct tree *t = &r->figures;
  if (!t->loaded || !dot)
    return false;
  const char *id = pool_printf(&r->suite->pool, "%.*s", (int)(dot - name), name);
  node *source = tree_get(t, tree_root(t), id), *all = tree_get(t, source, "figures");
  node *figure = tree_get(t, all, dot + 1);
  if (!figure)
    return false;
  tree_only(t, source, source_keys);
  tree_only(t, figure, keys);
  *found = (struct found){
      .value = tree_get_number(t, figure, "value", 0),
      .point = {tree_get_number(t, figure, "mhz", 0), tree_get_number(t, figure, "mw", 0)},
      .metric = keep(r, figure, "metric", "mac_per_clock"),
      .scope = keep(r, figure, "scope", ""),
      .source = keep(r, source, "source", ""),
      .note = keep(r, figure, "note", "")};
  found->platform = keep(r, figure, "platform", tree_get_text(t, source, "platform", ""));
  found->machine = keep(r, figure, "machine", tree_get_text(t, source, "machine", ""));
  return true;
}

static struct bench_published read_one(struct reader *r, node *item, const struct bench_case *c) {
  static const char *const keys[] = {"value",    "metric",  "cores", "to",     "to_cores",
                                     "platform", "source",  "note",  "figure", "mhz",
                                     "mw",       "machine", "scope", NULL};
  struct found f = {0, {0, 0}, "mac_per_clock", "", "", "", "", ""};
  const char *name = tree_text(item); // of a figure, alone or as a key
  if (!name) {
    tree_only(r->tree, item, keys);
    name = reader_text(r, item, "figure", "");
  } else {
    name = expand_text(&r->expand, name, item);
  }
  if (*name && !find_figure(r, name, &f))
    tree_fail(r->tree, item, "there is no published figure '%s'", name);
  const char *note = reader_text(r, item, "note", "");
  if (*note && *f.note)
    note = pool_printf(&r->suite->pool, "%s; %s", f.note, note);
  struct bench_published p = {
      .measure = read_measure(r, item, reader_text(r, item, "metric", f.metric), f.point, c),
      .value = tree_get_number(r->tree, item, "value", f.value),
      .platform = reader_text(r, item, "platform", f.platform),
      .machine = reader_text(r, item, "machine", f.machine),
      .scope = reader_text(r, item, "scope", f.scope),
      .source = reader_text(r, item, "source", f.source),
      .note = *note ? note : f.note,
  };
  if (*r->figures.error)
    tree_fail(r->tree, item, "%s", r->figures.error);
  if (p.value <= 0 || !*p.platform || !*p.source)
    tree_fail(r->tree, item, "a published figure needs a positive value, a platform, a source");
  return p;
}

// A list of maps or names; NULL if there is none.
static node *list_of(struct reader *r, node *map, const char *key) {
  node *list = tree_get(r->tree, map, key);
  if (list && list->type != YAML_SEQUENCE_NODE)
    tree_fail(r->tree, list, "'%s' takes a list", key);
  return list && list->type == YAML_SEQUENCE_NODE ? list : NULL;
}

void reader_published(struct reader *r, node *map, struct bench_case *c) {
  node *list = list_of(r, map, "published");
  c->published_count = tree_count(list);
  c->published = pool_take(&r->suite->pool, c->published_count * sizeof *c->published);
  for (size_t i = 0; i < c->published_count; i++)
    c->published[i] = read_one(r, tree_item(r->tree, list, i), c);
}

// ---------------------------------------------------------------- targets

void reader_targets(struct reader *r, node *map, struct bench_case *c) {
  static const char *const keys[] = {"bar",      "goal", "metric", "cores", "to",
                                     "to_cores", "mhz",  "mw",     NULL};
  node *list = list_of(r, map, "targets");
  c->target_count = tree_count(list);
  c->targets = pool_take(&r->suite->pool, c->target_count * sizeof *c->targets);
  for (size_t i = 0; i < c->target_count; i++) {
    node *item = tree_item(r->tree, list, i);
    tree_only(r->tree, item, keys);
    c->targets[i] = (struct bench_target){
        .measure = read_measure(r, item, reader_text(r, item, "metric", "mac_per_clock"),
                                (struct bench_point){0, 0}, c),
        .bar = tree_get_number(r->tree, item, "bar", 0),
        .goal = tree_get_number(r->tree, item, "goal", 0),
    };
    if (c->targets[i].bar <= 0)
      tree_fail(r->tree, item, "a target needs a positive 'bar'");
  }
}
