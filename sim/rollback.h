// sim/rollback.h: what a core does to all others at once, in a cycle in which these may be ahead.
//
// A core flushes the instruction caches, or switches them; it, or somebody else, writes to code.
// Cores of the fast engine that have gone on to later cycles have fetched there as if that had not
// been. Then the machine starts over, without being heard, and the plain engine, in which nobody is
// ahead, computes the cycles up to that one. Who does so again and again is left to the plain
// engine for good.
//
// Where the machine cannot start over (start.h), this one comes late for some, and the plain engine
// computes all that follows. With observers none is needed: who is watched is never ahead.
#ifndef PULPSIM_ROLLBACK_H
#define PULPSIM_ROLLBACK_H

#include "engine/engine.h"
#include "engine/limit.h"

enum { ROLLBACKS = LIMIT(8, 2) };

struct pulpsim;

struct rollbacks {
  struct rollback {
    cycle_t at, lead; // cycles in front of it that are the plain engine's
  } known[ROLLBACKS]; // in the order in which they were found
  unsigned count;
  bool always;      // there were too many
  bool due;         // one has come
  cycle_t at;       // ... in this cycle
  uint64_t unheard; // bytes of text that have been heard before
};

// In cycle `now` something changes for all cores, from the next one on.
void rollback_ask(struct pulpsim *sim, cycle_t now);

// In front of a part of a run: sees to it that the right engine computes it. Returns where it ends,
// `until` or before.
cycle_t rollback_approach(struct pulpsim *sim, cycle_t until);

// Behind it: if one is due, the machine starts over, and comes to the same cycle.
void rollback_run(struct pulpsim *sim);

#endif
