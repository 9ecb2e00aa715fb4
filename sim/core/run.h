// sim/core/run.h: driving a core.
#ifndef PULPSIM_RUN_H
#define PULPSIM_RUN_H

#include "core/block_parts.h"

// From now on the cycle model decides this core's time; before core_start().
void core_attach_pipeline(struct core *c, struct pipeline *p);

// Presents the access in c->acc to whoever serves it (the cycle model's `present`).
void core_present(struct core *c, cycle_t now);

// Answers the access in c->acc: granted in cycle `grant` (now), its data valid in cycle `valid`
// (> grant). c->acc.data holds a load's value; c->wait_cause the cause of the cycles waited since
// c->acc.since. The core runs on to its next stop.
void core_grant(struct core *c, cycle_t grant, cycle_t valid);

// Makes the access in c->acc, which the TCDM has granted in cycle `now`; the core runs on.
void core_served(struct core *c, cycle_t now);

// The same for an access of a core that runs folded, that it has asked its group for, and that has
// waited since; the core's bounds are set.
void core_served_late(struct core *c, cycle_t now);

// What the core's actor does in cycle `now`, unless it asks for a word of the TCDM, which is its
// group's (core_group.h). `alone`: no other core acts in this cycle. True: it asks for one now.
bool core_step(struct core *c, cycle_t now, bool alone);

// The cycle model makes the access at c->at, in cycle `now`: see exec_must_not_wait().
void core_leave_at_access(struct core *c, cycle_t now);

// False: that need not be asked. (Of code that is not known yet, on RI5CY, a run may be one of the
// fetch.)
static inline bool core_may_have_to_leave(const struct core *c) {
  return c->host->resident || c->model == CORE_RI5CY;
}

// While only core `c` is being stepped: the earliest cycle in which anybody else may act.
static inline cycle_t core_quiet_until(const struct core *c) {
  cycle_t next = engine_next(c->engine), last = c->engine->last;
  return next <= last ? next : last + 1;
}

enum { CORE_QUANTUM = 64 }; // run-ahead without any access to shared state, in cycles

// How far a core may run before it has to ask again. While nobody else has an appointment before
// `horizon`, nobody else can ask for a bank either. Where the run ends, all stop alike, however far
// they might have got.
static inline cycle_t core_limit(const struct engine *e, cycle_t now, cycle_t horizon) {
  cycle_t limit = horizon > now + CORE_QUANTUM ? horizon : now + CORE_QUANTUM;
  return limit <= e->last ? limit : e->last + 1;
}

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
