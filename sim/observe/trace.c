#include "observe/trace.h"

#include <stdlib.h>
#include <string.h>

#include "engine/out_of_memory.h"
#include "observe/site.h"
#include "sim/control.h"

static const struct trace_format *const formats[] = {
    &trace_log, &trace_spike, &trace_konata, &trace_perfetto, &trace_vcd, &trace_rvfi,
};
enum { FORMATS = sizeof formats / sizeof *formats };

// ---- callbacks

static void on_insn(void *user, const struct pulpsim_insn_event *e) {
  struct trace *t = user;
  if (!filter_takes_insn(&t->filter, e))
    return;
  t->took = true;
  t->format->insn(t, e);
}

static void on_rest(void *user, unsigned core, const uint32_t *stalls) {
  struct trace *t = user;
  if (t->format->rest)
    t->format->rest(t, core, stalls);
}

static void on_region(void *user, unsigned core, uint32_t id, bool begin, uint64_t cycle) {
  struct trace *t = user;
  filter_region(&t->filter, core, id, begin);
  if (t->format->region && filter_takes(&t->filter, core, cycle))
    t->format->region(t, core, id, begin, cycle);
}

static void on_dma(void *user, unsigned transfer, bool begin, uint64_t cycle, uint32_t bytes) {
  struct trace *t = user;
  if (t->format->dma && cycle >= t->filter.from && cycle <= t->filter.to)
    t->format->dma(t, transfer, begin, cycle, bytes);
}

// ---- opening and closing

static const struct trace_format *find_format(const char *name, size_t length) {
  for (size_t i = 0; i < FORMATS; i++)
    if (strlen(formats[i]->name) == length && strncmp(formats[i]->name, name, length) == 0)
      return formats[i];
  return NULL;
}

static void no_such_kind(const char *spec, struct pulpsim_error *error) {
  size_t n = (size_t)snprintf(error->text, sizeof error->text,
                              "'%s': takes KIND=FILE, with KIND one of", spec);
  for (size_t i = 0; i < FORMATS && n < sizeof error->text; i++)
    n += (size_t)snprintf(error->text + n, sizeof error->text - n, " %s", formats[i]->name);
}

static bool has_ending(const char *text, const char *end) {
  size_t n = strlen(text), m = strlen(end);
  return n >= m && strcmp(text + n - m, end) == 0;
}

// Splits "KIND=FILE,settings" and applies the settings. `text` is cut into pieces.
static bool parse(struct trace *t, const char *spec, char *text, char **path,
                  struct pulpsim_error *error) {
  char *equals = strchr(text, '=');
  t->format = equals ? find_format(text, (size_t)(equals - text)) : NULL;
  if (!t->format || !equals || !equals[1] || equals[1] == ',') {
    no_such_kind(spec, error);
    return false;
  }
  char *rest;
  *path = strtok_r(equals + 1, ",", &rest);
  if (strcmp(t->format->name, "vcd") != 0 && has_ending(*path, ".fst")) {
    snprintf(error->text, sizeof error->text, "'%s': an FST file takes vcd=FILE.fst", spec);
    return false;
  }
  filter_init(&t->filter);
  for (char *s; (s = strtok_r(NULL, ",", &rest));)
    if (!filter_set(&t->filter, t->sim, s, error))
      return false;
  if (t->filter.from <= t->filter.to)
    return true;
  snprintf(error->text, sizeof error->text, "'%s': ends before it begins; exchange from and to",
           spec);
  return false;
}

static void discard(struct trace *t) {
  if (!t)
    return;
  ordered_free(t->lines);
  sites_free(t->sites);
  if (t->format && t->state && t->format->discard)
    t->format->discard(t->state);
  free(t->state);
  free(t);
}

static bool start(struct trace *t, const char *path, struct pulpsim_error *error) {
  t->sink = sink_open(path, error);
  if (!t->sink)
    return false;
  t->state = must_have(calloc(1, t->format->state_size + 1));
  t->lines = t->format->ordered ? ordered_new(t->sim, t->sink, t->format->render, t) : NULL;
  t->sites = t->format->compact ? sites_new() : NULL;
  bool all = !t->filter.chooses,
       logged = all && t->format->compact && control_log(t->sim, t->lines, t->sites);
  const struct pulpsim_observer observer = {.user = t,
                                            .sources = t->format->sources,
                                            .ahead = t->format->ordered,
                                            .insn = logged ? NULL
                                                    : all  ? t->format->insn
                                                           : on_insn,
                                            .rest = on_rest,
                                            .region = on_region,
                                            .dma = on_dma};
  if (pulpsim_observe(t->sim, &observer)) {
    if (t->format->begin)
      t->format->begin(t);
    if (t->lines)
      ordered_begin(t->lines);
    return true;
  }
  sink_close(t->sink, error);
  snprintf(error->text, sizeof error->text, "%s: too many traces and profiles at once", path);
  return false;
}

struct trace *trace_open(struct pulpsim *sim, const char *spec, bool *understood,
                         struct pulpsim_error *error) {
  struct trace *t = must_have(calloc(1, sizeof *t));
  char *text = must_have(strdup(spec)), *path = NULL;
  t->sim = sim;
  *understood = parse(t, spec, text, &path, error);
  bool open = *understood && start(t, path, error);
  free(text);
  if (open)
    return t;
  discard(t);
  return NULL;
}

bool trace_is_empty(const struct trace *t) {
  return t->filter.chooses && !t->took;
}

// Behind the cycle in which the program ended there is nothing, however far cores had got ahead.
static uint64_t end_of(struct pulpsim *sim) {
  enum pulpsim_state state = pulpsim_state(sim);
  bool ended = state == PULPSIM_EXITED || state == PULPSIM_TRAPPED;
  return ended ? pulpsim_stats(sim)->cycles : UINT64_MAX;
}

bool trace_close(struct trace *t, struct pulpsim_error *error) {
  if (!t)
    return true;
  if (t->lines)
    ordered_finish(t->lines, end_of(t->sim));
  if (t->format->end)
    t->format->end(t);
  bool complete = sink_close(t->sink, error);
  discard(t);
  return complete;
}
