// deploy/emit/timeline_parts.h: what a timeline holds: timeline.c fills it, the writers read it.
#ifndef TIMELINE_PARTS_H
#define TIMELINE_PARTS_H

#include <stdio.h>

#include "bench/groups.h"
#include "timeline.h"

enum { TIMELINE_CORES = 8, TIMELINE_SAMPLES = 4096 };

struct timeline_sample {
  uint64_t cycle;
  struct pulpsim_counts core[TIMELINE_CORES]; // so far
};

struct timeline_transfer {
  uint64_t begin, end;
  uint32_t bytes;
  uint8_t number; // the DMA's; of the uDMA 1 from L2, else 0
};

struct timeline_layer {
  char *name;
  uint64_t end;
};

struct timeline_list {
  struct timeline_transfer *item;
  uint32_t count;
};

struct timeline {
  struct timeline_sample *sample;
  uint32_t samples;
  uint64_t step; // cycles between samples
  struct timeline_list dma, l3;
  struct timeline_transfer open[64]; // of the DMA, under way; no bytes: none
  struct timeline_layer *layer;
  uint32_t layers;
};

// Parts of a core's cycles between two samples; of all cores together if `core` is TIMELINE_CORES.
void timeline_shares(const struct timeline *t, uint32_t from, uint32_t to, unsigned core,
                     double share[BENCH_GROUPS]);

void timeline_write_svg(const struct timeline *t, const char *title, FILE *f);
void timeline_write_events(const struct timeline *t, const char *title, FILE *f);

#endif
