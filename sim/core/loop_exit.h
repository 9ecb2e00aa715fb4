// sim/core/loop_exit.h: hardware loops behind which code is the cycle model's, as it is where it is
// missing from the instruction cache.
//
// The fetch is ahead of the core, by how much depends on every wait of a round, and when it asks
// for the missing code depends on that. So the cycle model takes over. It can begin with the last
// round, because a jump back empties the fetch's FIFO: RI5CY's fetch goes to the loop's start in
// the cycle in which the last instruction is first seen in IF, with nothing of what it had fetched
// ahead (prefetch_ri5cy.c: next_loop, replace_second), so that its state depends on the cycles in
// which the last few instructions moved on, and on nothing before them. These are replayed.
//
// So is the last round, if all of it can be: then it runs folded, and is replayed when it is done.
// Else the cycle model runs it.
//
// Where the last instructions do not tell (too few of them, one whose time depends on data, or the
// last one may wait in IF), how far the fetch is ahead at a round's end depends on how far it was
// at its start, and so on all rounds before: a fetch that is a word ahead in every other round
// stays so for ever. Such loops are the cycle model's as a whole, unless all code behind them is
// there.
//
// On CV32E40P, whose fetch is two words ahead at most, two cycles are enough for it to forget how
// far it was: the cycle model runs the last round, begun as if behind a redirection. Suite
// loop_exit_fetch holds the prefetcher's model against that: each state in which a round can begin,
// each way in which ID may wait. (Bodies are of three instructions or more, see loop_rules.h.)
#ifndef PULPSIM_LOOP_EXIT_H
#define PULPSIM_LOOP_EXIT_H

#include "core/block.h"

enum { LOOP_EXIT_ROUNDS = 1 };

// False where the question below need not be asked, of a loop with so many rounds left.
static inline bool loop_exit_may_be_due(const struct core *c, uint32_t rounds) {
  return rounds <= LOOP_EXIT_ROUNDS && c->host->resident;
}

// Whether, at boundary `u` of hardware loop `loop`, whose counter has just been decremented, the
// cycle model is to run what is left of the loop.
bool loop_exit_is_due(struct core *c, const struct uop *u, unsigned loop);

// Whether the cycle model need not take over before the end of the loop's last round, because all
// of that can be replayed then. Asked when it is due.
bool loop_exit_can_wait(struct core *c, const struct uop *u);

// Notes what is to be replayed then. The last instruction in front of `u` was done in `t`, the
// round begins at `first`.
void loop_exit_note(struct core *c, const struct uop *u, cycle_t t, cycle_t first, unsigned loop);

// Leaves the rest of the loop to it, from block `start` on, and stops. The last instruction in
// front of `u` was done in `t`.
void loop_exit(struct core *c, const struct uop *u, struct block *start, cycle_t t, unsigned loop);

// Whether `b` is in the last round of a hardware loop behind which the cycle model is to run, and
// in no loop inside of that which is far enough from its end: at that end it is decided again.
bool loop_exit_in_last_round(struct core *c, const struct block *b);

// Whether `b` runs on to the end of such a loop, with `rounds` left, which are too few to run any
// folded.
bool loop_exit_is_near(struct core *c, struct block *b, unsigned loop, uint32_t rounds);

// Whether the last instructions of the loop that ends where the run of `b` does, do not tell the
// state of the fetch: no round of it is folded unless the code behind it is there.
bool loop_exit_is_unknown(struct core *c, struct block *b);

#endif
