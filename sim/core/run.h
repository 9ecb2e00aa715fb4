// sim/core/run.h: driving a core.
#ifndef PULPSIM_RUN_H
#define PULPSIM_RUN_H

#include "core/core.h"

// The cycle model that drives this core; before core_start().
void core_attach_pipeline(struct core *c, struct pipeline *p);

// Presents the access in c->acc to whoever serves it (the cycle model's `present`).
void core_present(struct core *c, cycle_t now);

// Answers the access in c->acc: granted in cycle `grant` (now), its data valid in cycle `valid`
// (> grant). c->acc.data holds a load's value; c->wait_cause the cause of the cycles waited since
// c->acc.since. The core runs on to its next stop.
void core_grant(struct core *c, cycle_t grant, cycle_t valid);

// Makes the access in c->acc, which the TCDM has granted in cycle `now`; the core runs on.
void core_served(struct core *c, cycle_t now);

enum { CORE_QUANTUM = 64 }; // run-ahead without any access to shared state, in cycles

// How far a core may run ahead of the engine. Where the run ends, all stop alike, however far they
// might have got.
static inline cycle_t core_limit(const struct engine *e, cycle_t now) {
  cycle_t limit = now + CORE_QUANTUM;
  return limit <= e->last ? limit : e->last + 1;
}

// From now on the core's clock edges are watched. `watcher` must outlive it.
void core_watch_edges(struct core *c, const struct core_watcher *watcher);

// Something that the core has asked for fails: reports a trap where it has got to meanwhile.
void core_fault(struct core *c, const char *text, cycle_t now);

// The access in c->acc reaches nothing: reports a trap with the core, pc and address.
void core_access_fault(struct core *c, cycle_t now);

// Starts the core at `pc` in cycle `now`; its first instruction leaves ID in cycle now + 5 (RI5CY:
// 4) at the earliest, as after the release of reset.
void core_start(struct core *c, uint32_t pc, cycle_t now);

#endif
