// sim/observe/core_tap.h: a tap on a core (observe/tap.h): it listens to the core's cycle model.
#ifndef PULPSIM_CORE_TAP_H
#define PULPSIM_CORE_TAP_H

#include "core/core.h"

// From now on the cycle model of `c` reports to c->watcher_self.
void core_tap_attach(struct core *c);
// And no longer to anybody.
void core_tap_detach(struct core *c);

#endif
