// Snapshots of a machine: a copy of all that changes while it runs, put back into the same machine.
//
// The state of a machine lives in a few plain structures that never move, so a snapshot is a copy
// of their bytes, and pointers among them stay right. Decoded blocks are not part of it: they
// follow from the code and are kept until the machine is freed.
#include <stdlib.h>
#include <string.h>

#include "core/pipeline.h"
#include "sim/machine.h"
#include "sim/platform.h"

enum { RANGES = 7 + MACHINE_MEMORIES + MACHINE_CORES, HOST_RANGES = 9 + 5 * MACHINE_CORES };

struct range {
  void *at;
  size_t size;
};

struct pulpsim_snapshot {
  uint64_t cycle;
  unsigned regions; // of sim->region: those behind had not been entered
  size_t size;
  uint8_t bytes[];
};

// Regions are most of the machine's own bytes, and hardly any are in use.
static unsigned used_regions(const struct pulpsim *sim) {
  unsigned n = MACHINE_REGIONS;
  while (n && !sim->region[n - 1].used)
    n--;
  return n;
}

static unsigned list_ranges(struct pulpsim *sim, unsigned regions, struct range *r) {
  unsigned n = 0;
  char *start = (char *)sim, *behind = (char *)(sim->region + MACHINE_REGIONS);
  r[n++] = (struct range){start, offsetof(struct pulpsim, region)};
  r[n++] = (struct range){sim->region, regions * sizeof *sim->region};
  r[n++] = (struct range){behind, (size_t)(start + sizeof *sim - behind)};
  if (sim->platform) {
    const struct icache *ic = &sim->platform->icache;
    r[n++] = (struct range){sim->platform, sizeof *sim->platform};
    if (ic->tags)
      r[n++] = (struct range){ic->tags, ic->tag_count * sizeof *ic->tags};
  }
  r[n++] = (struct range){sim->control->tap, sizeof sim->control->tap};
  r[n++] = (struct range){sim->control->core, sizeof sim->control->core};
  for (unsigned i = 0; i < sim->memory_count; i++)
    r[n++] = (struct range){sim->memory[i].bytes, sim->memory[i].size};
  for (unsigned i = 0; i < sim->core_count; i++)
    if (sim->core[i].pipeline)
      r[n++] = (struct range){sim->core[i].pipeline, sizeof *sim->core[i].pipeline};
  return n;
}

// What belongs to the host and not to the machine's past: arrays that may have grown since, and who
// listens.
static unsigned list_host_side(struct pulpsim *sim, struct range *r) {
  unsigned n = 0;
#define KEEP(member)                                                                               \
  r[n++] = (struct range) {                                                                        \
    &(member), sizeof(member)                                                                      \
  }
  for (unsigned i = 0; i < MACHINE_CORES; i++) {
    KEEP(sim->marker[i].item);
    KEEP(sim->marker[i].room);
  }
  KEEP(sim->start);
  KEEP(sim->output);
  KEEP(sim->output_user);
  KEEP(sim->control);
  KEEP(sim->stats);
  KEEP(sim->core_stats);
  KEEP(sim->region_stats);
  KEEP(sim->region_counts);
  KEEP(sim->bank_stats);
#undef KEEP
  return n;
}

static size_t total(const struct range *r, unsigned n) {
  size_t size = 0;
  for (unsigned i = 0; i < n; i++)
    size += r[i].size;
  return size;
}

static void gather(uint8_t *to, const struct range *r, unsigned n) {
  for (unsigned i = 0; i < n; to += r[i++].size)
    memcpy(to, r[i].at, r[i].size);
}

static void scatter(const struct range *r, unsigned n, const uint8_t *from) {
  for (unsigned i = 0; i < n; from += r[i++].size)
    memcpy(r[i].at, from, r[i].size);
}

struct pulpsim_snapshot *pulpsim_save(struct pulpsim *sim) {
  start_record_change(&sim->start); // the snapshot holds where things lie
  struct range range[RANGES];
  for (unsigned i = 0; i < sim->core_count; i++)
    if (sim->core[i].pipeline) {
      memo_leave(sim->core[i].pipeline);
      memo_count_all(&sim->core[i]);
    }
  unsigned regions = used_regions(sim), n = list_ranges(sim, regions, range);
  size_t size = total(range, n);
  struct pulpsim_snapshot *s = malloc(sizeof *s + size);
  if (!s)
    return NULL;
  s->cycle = sim->engine.now;
  s->regions = regions;
  s->size = size;
  gather(s->bytes, range, n);
  return s;
}

void pulpsim_restore(struct pulpsim *sim, const struct pulpsim_snapshot *s) {
  struct range range[RANGES], host[HOST_RANGES];
  uint8_t kept[HOST_RANGES * sizeof(void *) + sizeof(struct start) + sizeof(struct pulpsim_stats)];
  for (unsigned i = 0; i < sim->core_count; i++)
    if (sim->core[i].pipeline) {
      memo_leave(sim->core[i].pipeline);
      memo_count_all(&sim->core[i]);
    }
  unsigned kept_count = list_host_side(sim, host);
  gather(kept, host, kept_count);
  unsigned used = used_regions(sim);
  if (used > s->regions)
    memset(&sim->region[s->regions], 0, (used - s->regions) * sizeof *sim->region);
  scatter(range, list_ranges(sim, s->regions, range), s->bytes);
  scatter(host, kept_count, kept);
  sim->interrupted = false;
  start_record_change(&sim->start);
  pipeline_memo_forget(sim->memo);
  control_attach(sim);
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
