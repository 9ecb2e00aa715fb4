// deploy/emit/meet.h: what goes to L3, and which layer waits for what
// (kernels/tile/tile_stripes.h).
#ifndef MEET_H
#define MEET_H

#include "plan.h"

// Places in L3 of the tensors there, behind the weights and the inputs; the plan's stripes, and
// after which of them have gone each layer ends. Before pieces_place().
void meet_leave(struct plan *plan);

// Pieces that each layer waits for. Behind pieces_cut().
void meet_arrive(struct plan *plan);

// The layer with whose end all has gone to L3 that the rows of input `tensor`, which come, are of;
// NET_NONE: nothing goes there.
int meet_made(const struct plan *plan, int tensor);

#endif
