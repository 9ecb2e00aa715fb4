// sim/observe/filter.h: which events a trace takes: a range of cycles, one core, one region or
// function.
#ifndef PULPSIM_FILTER_H
#define PULPSIM_FILTER_H

#include "sim/pulpsim.h"

struct filter {
  bool chooses;             // anything at all
  uint64_t from, to;        // cycles, both included
  uint32_t cores;           // bit c: core c
  int region;               // its number; -1: everywhere
  uint32_t inside;          // bit c: core c is in the region
  uint32_t code, code_size; // instructions at these addresses
};

// Takes everything.
void filter_init(struct filter *f);

// One setting: "from=100", "to=2000", "core=3", "region=conv" (a number, or the name of a region
// that the loaded program declares; else of one of its functions). Returns false with a sentence in
// `error`.
bool filter_set(struct filter *f, const struct pulpsim *sim, const char *setting,
                struct pulpsim_error *error);

static inline bool filter_takes(const struct filter *f, unsigned core, uint64_t cycle) {
  return cycle >= f->from && cycle <= f->to && (f->cores >> core & 1) &&
         (f->region < 0 || (f->inside >> core & 1));
}

static inline bool filter_takes_insn(const struct filter *f, const struct pulpsim_insn_event *e) {
  return !f->chooses || (e->pc - f->code < f->code_size && filter_takes(f, e->core, e->cycle));
}

void filter_region(struct filter *f, unsigned core, uint32_t id, bool begin);

#endif
