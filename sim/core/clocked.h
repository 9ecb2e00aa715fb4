// sim/core/clocked.h: a core that is driven by the cycle model.
//
// A cycle has two halves: the core asks, in the rank of cores; then the clock's edge, behind
// whoever answers. Where all that a cycle asks for is answered at once, the edge follows its
// requests without delay; and as long as a core asks for nothing that others might contest, it runs
// ahead of the engine. What it does not know of its future is only what
// comes from outside: the end of a wait, or an interrupt.
#ifndef PULPSIM_CLOCKED_H
#define PULPSIM_CLOCKED_H

#include "core/core.h"

// Clocks cycle `now`, and those behind it that the core is alone with. True: it does not, for it
// asks for a word of the TCDM, as if it had promised to.
bool clocked_step(struct core *c, cycle_t now);

// The core has promised to ask for a word of the TCDM in cycle `now`: others want its bank, too,
// and it has to ask; or another has got it, and it asks again.
void clocked_contested(struct core *c, cycle_t now);
void clocked_lost(struct core *c, cycle_t now);

// The edge of cycle `now` follows, in its rank.
static inline void clocked_edge_is_due(struct core *c, cycle_t now) {
  engine_wake(c->engine, c->edge_actor, now);
}

#endif
