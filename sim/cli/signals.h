// sim/cli/signals.h: signals that end a run, with its results kept.
#ifndef PULPSIM_SIGNALS_H
#define PULPSIM_SIGNALS_H

#include "sim/pulpsim.h"

// From now on SIGINT (Ctrl-C), SIGTERM and SIGHUP interrupt the machine, unless they were ignored;
// a second one ends this program. A closed pipe is an error of who writes to it.
void signals_catch(struct pulpsim *sim);

// The signal that has interrupted it; 0: none.
int signals_caught(void);

#endif
