// sim/core/run.h: driving a core.
#ifndef PULPSIM_RUN_H
#define PULPSIM_RUN_H

#include "core/core.h"

// The cores of a machine, stepped together: requests for different banks of an otherwise idle
// TCDM are granted in one pass.
struct core_group {
  struct core *core; // array; core[i].actor == ENGINE_CORES + i
  unsigned count;
  struct engine *engine;
  struct tcdm *tcdm; // NULL: each core has its own data memory
};

// Registers the cores with their engine and memory, once all their members are set.
void core_group_attach(struct core_group *g);

// From now on the cycle model decides this core's time; before core_start().
void core_attach_pipeline(struct core *c, struct pipeline *p);

// Presents the access in c->acc to whoever serves it (the cycle model's `present`).
void core_present(struct core *c, cycle_t now);

// Answers the access in c->acc: granted in cycle `grant` (now), its data valid in cycle `valid`
// (> grant). c->acc.data holds a load's value; c->wait_cause the cause of the cycles waited since
// c->acc.since. The core runs on to its next stop.
void core_grant(struct core *c, cycle_t grant, cycle_t valid);

// Makes the access of a core that asked for it (CORE_ASKS), in cycle `now`; the core runs on.
void core_serve_asked(struct core *c, cycle_t now);

// From now on a tap is told what the core's cycle model does.
void core_watch_edges(struct core *c);

// Lets a core that a debugger holds run ahead on its own, to its next stop.
void core_run_held(struct core *c);

// The access in c->acc reaches nothing: reports a trap with the core, pc and address.
void core_access_fault(struct core *c, cycle_t now);

// Starts the core at `pc` in cycle `now`; its first instruction leaves ID in cycle now + 5 (RI5CY:
// 4) at the earliest, as after the release of reset.
void core_start(struct core *c, uint32_t pc, cycle_t now);

#endif
