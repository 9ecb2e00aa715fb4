// sim/core/exec_leave.h: folded execution leaves what comes to the cycle model.
#ifndef PULPSIM_EXEC_LEAVE_H
#define PULPSIM_EXEC_LEAVE_H

#include "core/exec_verify.h"

// Leaves block `next`, entered at `t` behind boundary `u` without a redirection, to the cycle
// model, and stops. `delay`: cycles lost at the boundary.
void exec_leave_line(struct core *c, const struct uop *u, struct block *next, cycle_t t,
                     cycle_t delay);

// Leaves block `b`, entered at `t`, to the cycle model, and stops.
void exec_hand_over(struct core *c, struct block *b, cycle_t t);

// False: no jump that redirects the fetch while the access of `u` waits, and so may hide some of
// the waiting, follows it. What follows a boundary that has not been passed (UOP_EDGE) is not
// known. (Behind a boundary there is one more, of no meaning.)
static inline bool exec_may_hide(const struct uop *u) {
  unsigned behind = u[1].flags | u[2].flags;
  return behind & (UOP_JUMP | UOP_COVERED | UOP_EDGE);
}

// Whether a jump behind the access that the core is about to present would, while that waits, fetch
// what is not in its cache. Then exec_leave_at_access() leaves the access to the cycle model, which
// must be run at once.
bool exec_hides_miss(struct core *c);
void exec_leave_at_access(struct core *c);

// Whether it is to do so if the access that the core is about to present has to wait.
static inline bool exec_must_not_wait(struct core *c) {
  return (exec_may_hide(c->at) && exec_hides_miss(c)) ||
         (c->host->resident && exec_is_narrow(c, exec_block_of(c->at)));
}

// What has to trap at `u`, in EX in cycle `t`, is left to it.
void exec_trap(struct core *c, const struct uop *u, cycle_t t);

#endif
