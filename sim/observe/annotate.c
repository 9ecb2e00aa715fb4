// A profile for the terminal: functions, loops and lines that cost most, and what they wait for.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/out_of_memory.h"
#include "observe/profile.h"

enum { MOST_FUNCTIONS = 8, MOST_LOOPS = 8, MOST_LINES = 16, TEXT = 44 };

struct row {
  uint32_t from, to; // first and last pc
  const char *file;
  unsigned line, last_line;
  uint64_t count; // iterations of a loop
  uint64_t cost[PROFILE_EVENTS];
};

struct table {
  struct row *row;
  size_t count;
};

static void add_cost(struct row *r, const uint64_t *cost) {
  for (unsigned i = 0; i < PROFILE_EVENTS; i++)
    r->cost[i] += cost[i];
}

static int by_cycles(const void *a, const void *b) {
  const struct row *x = a, *y = b;
  uint64_t m = x->cost[PROFILE_CYCLES], n = y->cost[PROFILE_CYCLES];
  if (m != n)
    return m < n ? 1 : -1;
  return (x->from > y->from) - (x->from < y->from);
}

static void sort(struct table *t) {
  if (t->count)
    qsort(t->row, t->count, sizeof *t->row, by_cycles);
}

static struct table functions(const struct profile_data *d) {
  struct table t = {must_have(calloc(d->places + 1, sizeof(struct row))), 0};
  uint32_t last = 0, start;
  for (size_t i = 0; i < d->places; i++) {
    profile_function(d->sim, d->place[i].pc, &start);
    if (i == 0 || start != last)
      t.row[t.count++].from = d->place[i].pc;
    last = start;
    add_cost(&t.row[t.count - 1], d->place[i].cost);
  }
  sort(&t);
  return t;
}

static struct row *row_of_line(struct table *t, const char *file, unsigned line) {
  for (size_t i = t->count; i-- > 0;)
    if (t->row[i].line == line && strcmp(t->row[i].file, file) == 0)
      return &t->row[i];
  t->row[t->count] = (struct row){.file = file, .line = line};
  return &t->row[t->count++];
}

// Without debug information: one row per instruction.
static struct table source_lines(const struct profile_data *d) {
  struct table t = {must_have(calloc(d->places + 1, sizeof(struct row))), 0};
  for (size_t i = 0; i < d->places; i++) {
    const char *file;
    unsigned line;
    struct row *r;
    if (lines_find(d->lines, d->place[i].pc, &file, &line))
      r = row_of_line(&t, file, line);
    else
      r = &t.row[t.count++], r->file = "";
    if (!r->from)
      r->from = d->place[i].pc;
    add_cost(r, d->place[i].cost);
  }
  sort(&t);
  return t;
}

static void measure_loop(const struct profile_data *d, struct row *r) {
  unsigned line;
  const char *file;
  r->file = "";
  for (size_t i = 0; i < d->places; i++) {
    uint32_t pc = d->place[i].pc;
    if (pc < r->from || pc > r->to)
      continue;
    add_cost(r, d->place[i].cost);
    if (!lines_find(d->lines, pc, &file, &line))
      continue;
    if (!*r->file)
      r->file = file, r->line = r->last_line = line;
    if (strcmp(file, r->file) != 0)
      continue;
    r->line = line < r->line ? line : r->line;
    r->last_line = line > r->last_line ? line : r->last_line;
  }
}

static bool contains(const struct profile_loop *outer, const struct profile_loop *inner) {
  return outer != inner && outer->to <= inner->to && outer->from >= inner->from;
}

// Innermost loops only: what is around them shows in the lines.
static struct table loops(const struct profile_data *d) {
  struct table t = {must_have(calloc(d->loops + 1, sizeof(struct row))), 0};
  for (size_t i = 0; i < d->loops; i++) {
    bool inner = true;
    for (size_t j = 0; j < d->loops; j++)
      inner = inner && !contains(&d->loop[i], &d->loop[j]);
    if (!inner)
      continue;
    struct row *r = &t.row[t.count++];
    r->from = d->loop[i].to;
    r->to = d->loop[i].from;
    r->count = d->loop[i].count;
    measure_loop(d, r);
  }
  sort(&t);
  return t;
}

// ---- printing

struct style {
  const char *bold, *red, *plain;
};

static double percent(uint64_t part, uint64_t whole) {
  return whole ? 100.0 * (double)part / (double)whole : 0;
}

// The three causes that cost most, as shares of the row's cycles.
static void put_causes(FILE *out, const struct row *r, const struct style *s) {
  bool shown[PROFILE_EVENTS] = {false};
  for (unsigned n = 0; n < 3; n++) {
    unsigned best = 0;
    for (unsigned i = PROFILE_CAUSES; i < PROFILE_EVENTS; i++)
      if (!shown[i] && r->cost[i] && (!best || r->cost[i] > r->cost[best]))
        best = i;
    double share = best ? percent(r->cost[best], r->cost[PROFILE_CYCLES]) : 0;
    if (!best || share < 0.5)
      break;
    shown[best] = true;
    fprintf(out, "  %s%s %.0f%%%s", share >= 20 ? s->red : "", profile_event_name(best), share,
            s->plain);
  }
  fputc('\n', out);
}

static void put_numbers(FILE *out, const struct profile_data *d, const struct row *r) {
  fprintf(out, "%6.1f%% %12" PRIu64 " %5.2f ",
          percent(r->cost[PROFILE_CYCLES], d->total[PROFILE_CYCLES]), r->cost[PROFILE_CYCLES],
          r->cost[PROFILE_CYCLES]
              ? (double)r->cost[PROFILE_INSTRUCTIONS] / (double)r->cost[PROFILE_CYCLES]
              : 0);
}

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static void put_functions(FILE *out, const struct profile_data *d, const struct style *s) {
  struct table t = functions(d);
  fprintf(out, "%sFunctions%s\n cycles        count   IPC\n", s->bold, s->plain);
  for (size_t i = 0; i < t.count && i < MOST_FUNCTIONS; i++) {
    put_numbers(out, d, &t.row[i]);
    fprintf(out, "%-*s", TEXT, profile_function(d->sim, t.row[i].from, NULL));
    put_causes(out, &t.row[i], s);
  }
  free(t.row);
}

static void put_loops(FILE *out, const struct profile_data *d, const struct style *s) {
  struct table t = loops(d);
  if (t.count)
    fprintf(out, "%sInnermost loops%s\n cycles        count   IPC\n", s->bold, s->plain);
  for (size_t i = 0; i < t.count && i < MOST_LOOPS; i++) {
    const struct row *r = &t.row[i];
    char place[96], text[160];
    if (*r->file)
      snprintf(place, sizeof place, "%.40s:%u-%u", base_name(r->file), r->line, r->last_line);
    else
      snprintf(place, sizeof place, "0x%x-0x%x", r->from, r->to);
    snprintf(text, sizeof text, "%s %s", profile_function(d->sim, r->from, NULL), place);
    put_numbers(out, d, r);
    fprintf(out, "%-*s  %.1f cycles x %" PRIu64, TEXT, text,
            (double)r->cost[PROFILE_CYCLES] / (double)(r->count + 1), r->count + 1);
    put_causes(out, r, s);
  }
  free(t.row);
}

static void put_lines(FILE *out, const struct profile_data *d, const struct style *s) {
  struct table t = source_lines(d);
  fprintf(out, "%sLines%s\n cycles        count   IPC\n", s->bold, s->plain);
  for (size_t i = 0; i < t.count && i < MOST_LINES; i++) {
    const struct row *r = &t.row[i];
    char text[96] = "", line[TEXT + 1];
    if (*r->file)
      lines_text(r->file, r->line, text, sizeof text);
    char place[24 + 12 + sizeof text]; // name, colon, number, blank
    snprintf(place, sizeof place, "%.24s:%u %s", base_name(r->file), r->line, text);
    if (*r->file)
      snprintf(line, sizeof line, "%.*s", TEXT, place);
    else
      snprintf(line, sizeof line, "%s 0x%x", profile_function(d->sim, r->from, NULL), r->from);
    put_numbers(out, d, r);
    fprintf(out, "%-*s", TEXT, line);
    put_causes(out, r, s);
  }
  free(t.row);
}

void profile_annotate(struct profile *p, FILE *out, bool colour) {
  static const struct style styles[] = {{"", "", ""}, {"\033[1m", "\033[31m", "\033[0m"}};
  const struct profile_data *d = profile_data(p);
  const struct style *s = &styles[colour];
  put_functions(out, d, s);
  put_loops(out, d, s);
  put_lines(out, d, s);
  fprintf(out, "All cores together; %% behind a cause: of the row's own cycles.\n");
}
