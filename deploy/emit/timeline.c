// deploy/emit/timeline.c: takes down what happens.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "deploy/memory.h"
#include "sim/result_file.h"
#include "sim/summary.h"
#include "timeline_parts.h"

enum { STEP = 128 };

struct timeline *timeline_new(void) {
  struct timeline *t = memory_new(1, sizeof *t);
  t->sample = memory_new(TIMELINE_SAMPLES, sizeof *t->sample);
  t->step = STEP;
  return t;
}

void timeline_free(struct timeline *t) {
  if (!t)
    return;
  for (uint32_t i = 0; i < t->layers; i++)
    free(t->layer[i].name);
  free(t->layer);
  free(t->sample);
  free(t->dma.item);
  free(t->l3.item);
  free(t);
}

static void add(struct timeline_list *list, struct timeline_transfer transfer) {
  MEMORY_APPEND(list->item, list->count);
  list->item[list->count++] = transfer;
}

static void on_dma(void *user, unsigned transfer, bool begin, uint64_t cycle, uint32_t bytes) {
  struct timeline *t = user;
  unsigned number = transfer % 64;
  struct timeline_transfer *open = &t->open[number];
  if (begin && open->bytes) {
    open->bytes += bytes;
  } else if (begin) {
    *open = (struct timeline_transfer){cycle, cycle, bytes, (uint8_t)number};
  } else if (open->bytes) {
    open->end = cycle;
    add(&t->dma, *open);
    open->bytes = 0;
  }
}

static void on_l3(void *user, bool to_l2, uint64_t begin, uint64_t end, uint32_t bytes) {
  add(&((struct timeline *)user)->l3, (struct timeline_transfer){begin, end, bytes, !to_l2});
}

void timeline_watch(struct timeline *t, struct pulpsim *sim) {
  pulpsim_observe(sim, &(struct pulpsim_observer){.user = t, .dma = on_dma, .l3 = on_l3});
}

// ---------------------------------------------------------------------------- samples

// All room taken: every second one goes, and the next come half as often.
static void thin_out(struct timeline *t) {
  for (uint32_t i = 0; i < TIMELINE_SAMPLES / 2; i++)
    t->sample[i] = t->sample[2 * i];
  t->samples = TIMELINE_SAMPLES / 2;
  t->step *= 2;
}

static void take(struct timeline *t, struct pulpsim *sim) {
  if (t->samples == TIMELINE_SAMPLES)
    thin_out(t);
  const struct pulpsim_stats *stats = pulpsim_stats(sim);
  struct timeline_sample *s = &t->sample[t->samples++];
  *s = (struct timeline_sample){.cycle = pulpsim_now(sim)};
  for (unsigned i = 0; i < TIMELINE_CORES && i < stats->core_count; i++)
    s->core[i] = stats->core[i].total;
}

void timeline_begin(struct timeline *t, struct pulpsim *sim) {
  t->samples = t->dma.count = t->l3.count = t->layers = 0;
  t->step = STEP;
  take(t, sim);
}

void timeline_look(struct timeline *t, struct pulpsim *sim) {
  if (t->samples && pulpsim_now(sim) >= t->sample[t->samples - 1].cycle + t->step)
    take(t, sim);
}

void timeline_layer(struct timeline *t, struct pulpsim *sim, const char *name) {
  MEMORY_APPEND(t->layer, t->layers);
  t->layer[t->layers++] = (struct timeline_layer){memory_text(name), pulpsim_now(sim)};
}

void timeline_shares(const struct timeline *t, uint32_t from, uint32_t to, unsigned core,
                     double share[BENCH_GROUPS]) {
  struct pulpsim_counts sum = {0};
  bool all = core == TIMELINE_CORES;
  for (unsigned i = all ? 0 : core; i < (all ? TIMELINE_CORES : core + 1); i++) {
    const struct pulpsim_counts *a = &t->sample[from].core[i], *b = &t->sample[to].core[i];
    for (unsigned c = 0; c < PULPSIM_CAUSES; c++) {
      sum.stalls[c] += b->stalls[c] - a->stalls[c];
      sum.cycles += b->stalls[c] - a->stalls[c];
    }
  }
  bench_group_shares(&sum, share);
}

bool timeline_write(const struct timeline *t, const char *title, const char *path,
                    struct net_error *error) {
  struct result_file out;
  size_t n = strlen(path);
  if (result_file_open(&out, path)) {
    if (n > 4 && strcmp(path + n - 4, ".svg") == 0)
      timeline_write_svg(t, title, out.file);
    else
      timeline_write_events(t, title, out.file);
    if (result_file_close(&out, true))
      return true;
  }
  net_fail(error, "%.300s: %s", path, strerror(errno));
  if (error)
    error->status = EX_CANTCREAT;
  return false;
}
