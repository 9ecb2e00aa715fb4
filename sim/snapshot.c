// Snapshots of a machine: a copy of all that changes while it runs, put back into the same machine.
//
// The state of a machine lives in a few plain structures that never move, so a snapshot is a copy
// of their bytes, and pointers among them stay right. Decoded blocks are not part of it: they
// follow from the code and are kept until the machine is freed.
#include <stdlib.h>
#include <string.h>

#include "core/exec.h"
#include "core/pipeline.h"
#include "sim/machine.h"
#include "soc/platform.h"

enum { RANGES = 5 + MACHINE_MEMORIES + MACHINE_CORES };

struct range {
  void *at;
  size_t size;
};

struct pulpsim_snapshot {
  uint64_t cycle;
  size_t size;
  uint8_t bytes[];
};

static unsigned list_ranges(struct pulpsim *sim, struct range *r) {
  unsigned n = 0;
  r[n++] = (struct range){sim, sizeof *sim};
  if (sim->platform) {
    const struct icache *ic = &sim->platform->icache;
    r[n++] = (struct range){sim->platform, sizeof *sim->platform};
    if (ic->tags)
      r[n++] = (struct range){ic->tags, ic->tag_count * sizeof *ic->tags};
  }
  if (sim->control) {
    r[n++] = (struct range){sim->control->tap, sizeof sim->control->tap};
    r[n++] = (struct range){sim->control->core, sizeof sim->control->core};
  }
  for (unsigned i = 0; i < sim->memory_count; i++)
    r[n++] = (struct range){sim->memory[i].bytes, sim->memory[i].size};
  for (unsigned i = 0; i < sim->core_count; i++)
    if (sim->core[i].pipeline)
      r[n++] = (struct range){sim->core[i].pipeline, sizeof *sim->core[i].pipeline};
  return n;
}

// Counts kept in blocks move to the cores, which are part of the snapshot.
static void fold_all(struct pulpsim *sim) {
  for (unsigned i = 0; i < sim->core_count; i++)
    exec_counters(&sim->core[i]);
}

struct pulpsim_snapshot *pulpsim_save(struct pulpsim *sim) {
  struct range range[RANGES];
  fold_all(sim);
  unsigned n = list_ranges(sim, range);
  size_t size = 0;
  for (unsigned i = 0; i < n; i++)
    size += range[i].size;
  struct pulpsim_snapshot *s = malloc(sizeof *s + size);
  if (!s)
    return NULL;
  s->cycle = sim->engine.now;
  s->size = size;
  uint8_t *p = s->bytes;
  for (unsigned i = 0; i < n; i++) {
    memcpy(p, range[i].at, range[i].size);
    p += range[i].size;
  }
  return s;
}

// What belongs to the host and not to the machine's past: arrays that may have grown since, and who
// listens. (Small: a whole second machine would cost more than the copying itself.)
struct host_side {
  struct {
    struct block **dirty;
    unsigned dirty_room;
    struct pulpsim_marker *marker;
    size_t marker_room;
  } core[MACHINE_CORES];
  pulpsim_output *output;
  void *output_user;
  struct control *control;
  struct pulpsim_stats stats;
  struct pulpsim_core_stats *core_stats;
  struct pulpsim_region *region_stats;
  struct pulpsim_counts *region_counts;
  struct pulpsim_bank_stats *bank_stats;
};

static void take_host_side(struct host_side *h, const struct pulpsim *sim) {
  for (unsigned i = 0; i < MACHINE_CORES; i++) {
    h->core[i].dirty = sim->core[i].dirty;
    h->core[i].dirty_room = sim->core[i].dirty_room;
    h->core[i].marker = sim->marker[i].item;
    h->core[i].marker_room = sim->marker[i].room;
  }
  h->output = sim->output;
  h->output_user = sim->output_user;
  h->control = sim->control;
  h->stats = sim->stats;
  h->core_stats = sim->core_stats;
  h->region_stats = sim->region_stats;
  h->region_counts = sim->region_counts;
  h->bank_stats = sim->bank_stats;
}

static void put_host_side(struct pulpsim *sim, const struct host_side *h) {
  for (unsigned i = 0; i < MACHINE_CORES; i++) {
    sim->core[i].dirty = h->core[i].dirty;
    sim->core[i].dirty_room = h->core[i].dirty_room;
    sim->marker[i].item = h->core[i].marker;
    sim->marker[i].room = h->core[i].marker_room;
  }
  sim->output = h->output;
  sim->output_user = h->output_user;
  sim->control = h->control;
  sim->stats = h->stats;
  sim->core_stats = h->core_stats;
  sim->region_stats = h->region_stats;
  sim->region_counts = h->region_counts;
  sim->bank_stats = h->bank_stats;
  sim->interrupted = false;
}

void pulpsim_restore(struct pulpsim *sim, const struct pulpsim_snapshot *s) {
  struct range range[RANGES];
  struct host_side host;
  fold_all(sim);
  take_host_side(&host, sim);
  unsigned n = list_ranges(sim, range);
  const uint8_t *p = s->bytes;
  for (unsigned i = 0; i < n; i++) {
    memcpy(range[i].at, p, range[i].size);
    p += range[i].size;
  }
  put_host_side(sim, &host);
  block_flush(sim->blocks); // the code may have been different
}

void pulpsim_snapshot_free(struct pulpsim_snapshot *s) {
  free(s);
}

uint64_t pulpsim_snapshot_cycle(const struct pulpsim_snapshot *s) {
  return s->cycle;
}
size_t pulpsim_snapshot_size(const struct pulpsim_snapshot *s) {
  return s->size;
}
