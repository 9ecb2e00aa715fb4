// sim/core/clocked_tap.h: a tap on a core while its cycle model drives it (observe/tap.h).
#ifndef PULPSIM_CLOCKED_TAP_H
#define PULPSIM_CLOCKED_TAP_H

#include "core/core.h"

// From now on the cycle model of `c` reports to c->tap.
void clocked_tap_attach(struct core *c);

// Whether a debugger wants the core to stop in front of the instruction that leaves ID at the clock
// edge of cycle `now`. Ask before the edge; then it must not be made, and asked again later.
bool clocked_tap_holds(struct core *c, cycle_t now);

// The clock edge of cycle `now` has been made.
void clocked_tap_edge(struct core *c, cycle_t now);

#endif
