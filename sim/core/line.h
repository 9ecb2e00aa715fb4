// sim/core/line.h: instructions that have been executed folded, for the cycle model to replay.
//
// The cycle model can begin behind a redirection, where nothing is under way. To take over further
// on it replays what came since, each instruction without its effect, each access with the wait
// that it had (core.wait). That works for instructions whose time and whose effect on the pipeline
// are known without their operands.
#ifndef PULPSIM_LINE_H
#define PULPSIM_LINE_H

#include "core/block.h"

enum { LINE_BLOCKS = 8 }; // at most, in a line

// Whether `u` can be replayed.
bool line_replays(const struct uop *u);

// From the beginning of block `b`, whose first instruction left ID in `first`.
struct line line_from_block(const struct block *b, cycle_t first);

// How many instructions in front of `u`, in its block, line_of_last() can take.
unsigned line_tail(const struct uop *u);

// The `n` last instructions in front of `u`, which was reached in `t`.
struct line line_of_last(const struct core *c, const struct uop *u, unsigned n, cycle_t t);

// From where the state of the pipeline was known last (core.known_at) to boundary `u`, reached in
// `t`. False: not all of that can be replayed, or it is too long.
bool line_since_known(struct core *c, const struct uop *u, cycle_t t, struct line *line);

#endif
