// deploy/emit/pieces.h: the weights, in the pieces in which they come from L3, and where in L2
// these are put.
//
// A piece may be anywhere that no tensor has which lives at its layer. Pieces come in the order of
// their use, each as soon as nobody needs any more what was in its place: a tensor, or a piece
// before it.
#ifndef PIECES_H
#define PIECES_H

#include "lives.h"
#include "plan.h"

// Bytes of L2 that the layer's filters need at the least: a tile's, or all that come again with
// each patch of the output.
uint32_t pieces_least(const struct tile_layer *tile);

// Cuts all layers' weights; gap[i]: the largest stretch of L2 at layer i.
void pieces_cut(struct plan *plan, const uint32_t *gap);

// Places in 0..limit - 1. Every piece has one if none is larger than its layer's gap.
void pieces_place(struct plan *plan, uint32_t limit);

// Whether the layer's first filters may come to L2 before the layer in front of it has ended.
bool pieces_early(const struct plan *plan, uint32_t layer);

// The first pieces, as many, whose places nothing else has at any time: they need not come again
// for the next image.
uint32_t pieces_kept(const struct plan *plan);

#endif
