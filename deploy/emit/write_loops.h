// deploy/emit/write_loops.h: the inner loops that a network needs, as C, in the place of the
// library's tables of all: what no layer needs is not in the program.
#ifndef WRITE_LOOPS_H
#define WRITE_LOOPS_H

#include "plan.h"

// nn_strip_mixed(), nn_finish(), nn_add_words(), nn_dw_quads_of() and tile_clip() with what the
// plan's layers use, into net.c.
void write_loops(const struct plan *plan, FILE *f);

#endif
