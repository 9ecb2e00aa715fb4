// sim/observe/pending.h: holds back what a core has executed ahead of the others, for an observer
// who wants to hear of nothing that does not come to pass: when the run ends, some of it never was.
#ifndef PULPSIM_PENDING_H
#define PULPSIM_PENDING_H

#include "sim/pulpsim.h"

struct pending;

struct pending *pending_new(const struct pulpsim *sim, const struct pulpsim_observer *observer);
void pending_free(struct pending *pending);

// An observer's `insn`, with a struct pending as its `user`.
void pending_insn(void *user, const struct pulpsim_insn_event *event);

// The run has ended in cycle `end` (UINT64_MAX: it has only paused). Tells what was before; what is
// told from now on is passed on at once.
void pending_end(struct pending *pending, uint64_t end);

#endif
