// sim/observe/held.h: holds back what a core has executed ahead of the others, for an observer who
// wants to hear of nothing that does not come to pass: when the run ends, some of it never was.
#ifndef PULPSIM_HELD_H
#define PULPSIM_HELD_H

#include "sim/pulpsim.h"

struct held;

struct held *held_new(const struct pulpsim *sim, const struct pulpsim_observer *observer);
void held_free(struct held *held);

// An observer's `insn`, with a struct held as its `user`.
void held_insn(void *user, const struct pulpsim_insn_event *event);

// The run has ended in cycle `end` (UINT64_MAX: it has only paused). Tells what was before; what is
// told from now on is passed on at once.
void held_end(struct held *held, uint64_t end);

#endif
