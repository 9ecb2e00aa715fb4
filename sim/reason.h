// sim/reason.h: why a run has ended, in words: a sentence, and lines behind it that say more.
#ifndef PULPSIM_REASON_H
#define PULPSIM_REASON_H

#include "sim/machine.h"

// Core `c` cannot go on at `pc`, and ends the run.
void reason_keep_trap(struct pulpsim *sim, const struct core *c, uint32_t pc, const char *text);

// Behind a run that has ended: finds the words.
void reason_explain(struct pulpsim *sim);

#endif
