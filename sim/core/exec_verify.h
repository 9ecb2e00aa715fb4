// sim/core/exec_verify.h: which blocks run folded now, and which the cycle model runs.
#ifndef PULPSIM_EXEC_VERIFY_H
#define PULPSIM_EXEC_VERIFY_H

#include <stddef.h>

#include "core/block.h"

static inline struct block *exec_block_of(const struct uop *u) {
  return (struct block *)((char *)(u - u->place) - offsetof(struct block, uop));
}

// Puts `b` among those whose entries are folded, unless it is there.
void exec_list(struct core *c, struct block *b);

// The cycle model takes over, and does not give back as long as c->settles: behind the next
// redirection, where the state of the pipeline is known for certain.
void exec_settle(struct core *c);
void exec_unsettle(struct core *c);

// Whether that is so at block `b`, to which the fetch is redirected: its first instruction leaves
// ID in cycle `t`.
bool exec_settles_at(struct core *c, struct block *b, cycle_t t);

// Whether block `b` may run folded now if it is entered by a redirection, or in whatever way;
// remembered until the code epoch changes.
bool exec_verify(struct core *c, struct block *b);
bool exec_verify_wide(struct core *c, struct block *b);

// Whether it may run folded only as long as no access waits. Before one does,
// exec_leave_at_access().
static inline bool exec_is_narrow(const struct core *c, const struct block *b) {
  return b->wide[c->index] != *c->cache_epoch && b->verified[c->index] == *c->cache_epoch;
}

// Whether block `b`, entered in whatever way, is for the cycle model to run.
bool exec_must_be_clocked(struct core *c, struct block *b);

// The next block is the cycle model's, whatever it is.
void exec_clock_next(struct core *c);

#endif
