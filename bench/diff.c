// bench/diff.c: compares reports run by run: suite, case, number of cores.
#include "bench/diff.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench/tree.h"

struct entry {
  const char *suite, *name;
  unsigned cores;
  bool ok, found;
  const char *status;
  uint64_t cycles;
};

struct entries {
  struct tree tree;
  struct entry *entry;
  size_t count;
};

struct tally {
  unsigned slower, faster, broken, same, added;
};

static void add_runs(struct entries *e, const char *suite, node *c) {
  node *runs = tree_get(&e->tree, c, "runs");
  for (size_t i = 0; i < tree_count(runs); i++) {
    node *run = tree_item(&e->tree, runs, i);
    struct entry *more = realloc(e->entry, (e->count + 1) * sizeof *more);
    if (!more) {
      tree_fail(&e->tree, run, "out of memory");
      return;
    }
    e->entry = more;
    struct entry *new = &more[e->count++];
    *new = (struct entry){.suite = suite,
                          .name = tree_get_text(&e->tree, c, "name", ""),
                          .cores = (unsigned)tree_get_count(&e->tree, run, "cores"),
                          .status = tree_get_text(&e->tree, run, "status", ""),
                          .cycles = tree_get_count(&e->tree, run, "cycles")};
    new->ok = strcmp(new->status, "ok") == 0;
  }
}

static bool read_entries(struct entries *e, const char *path) {
  *e = (struct entries){.entry = NULL};
  if (tree_open(&e->tree, path)) {
    node *root = tree_root(&e->tree), *suites = tree_get(&e->tree, root, "suites");
    if (strcmp(tree_get_text(&e->tree, root, "schema", ""), "pulpsim-bench/1") != 0)
      tree_fail(&e->tree, root, "is no report of this program (schema pulpsim-bench/1)");
    for (size_t i = 0; i < tree_count(suites); i++) {
      node *suite = tree_item(&e->tree, suites, i), *cases = tree_get(&e->tree, suite, "cases");
      for (size_t j = 0; j < tree_count(cases); j++)
        add_runs(e, tree_get_text(&e->tree, suite, "id", ""), tree_item(&e->tree, cases, j));
    }
  }
  if (*e->tree.error)
    fprintf(stderr, "pulpsim-bench: %s\n", e->tree.error);
  return !*e->tree.error;
}

static struct entry *find(struct entries *e, const struct entry *like) {
  for (size_t i = 0; i < e->count; i++) {
    struct entry *x = &e->entry[i];
    if (x->cores == like->cores && strcmp(x->suite, like->suite) == 0 &&
        strcmp(x->name, like->name) == 0)
      return x;
  }
  return NULL;
}

static void say(FILE *out, const struct entry *a, const char *verdict) {
  fprintf(out, "%-9s %-12s %-44s %2u  ", verdict, a->suite, a->name, a->cores);
}

static void compare(FILE *out, const struct entry *a, struct entry *b, double percent,
                    struct tally *t) {
  if (b)
    b->found = true;
  if (!b || (a->ok && !b->ok)) {
    t->broken++;
    say(out, a, b ? "BROKEN" : "GONE");
    fprintf(out, "%s -> %s\n", a->status, b ? b->status : "not there");
    return;
  }
  if (!a->ok) {
    if (!b->ok)
      return;
    t->added++;
    say(out, a, "works");
    fprintf(out, "%s -> %" PRIu64 "\n", a->status, b->cycles);
    return;
  }
  double change = a->cycles ? 100 * ((double)b->cycles / (double)a->cycles - 1) : 0;
  bool slower = change > percent, faster = change < -percent;
  t->slower += slower;
  t->faster += faster;
  t->same += !slower && !faster;
  if (a->cycles == b->cycles)
    return;
  say(out, a, slower ? "SLOWER" : faster ? "faster" : "about");
  fprintf(out, "%10" PRIu64 " -> %10" PRIu64 " cycles  %+.2f %%\n", a->cycles, b->cycles, change);
}

enum diff_end bench_diff(FILE *out, const char *before, const char *after, double percent) {
  struct entries a, b = {.entry = NULL};
  struct tally t = {0};
  bool ok = read_entries(&a, before) && read_entries(&b, after);
  for (size_t i = 0; ok && i < a.count; i++)
    compare(out, &a.entry[i], find(&b, &a.entry[i]), percent, &t);
  for (size_t i = 0; ok && i < b.count; i++) {
    if (!b.entry[i].found) {
      t.added++;
      say(out, &b.entry[i], "new");
      fprintf(out, "%s\n", b.entry[i].status);
    }
  }
  if (ok)
    fprintf(out, "%u slower, %u broken or gone, %u faster, %u new, %u the same within %g %%\n",
            t.slower, t.broken, t.faster, t.added, t.same, percent);
  tree_close(&a.tree);
  tree_close(&b.tree);
  free(a.entry);
  free(b.entry);
  if (!ok)
    return DIFF_BAD_FILE;
  return t.slower || t.broken ? DIFF_WORSE : DIFF_NONE;
}
