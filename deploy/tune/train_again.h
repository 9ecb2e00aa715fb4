// deploy/tune/train_again.h: which outputs are computed again, as they share a place.
//
// What a shared output is computed from is kept, so no two neighbours are shared. All of a set but
// the uppermost, which nobody has overwritten, are computed once more.
#ifndef TUNE_TRAIN_AGAIN_H
#define TUNE_TRAIN_AGAIN_H

#include "deploy/tune/train_plan.h"

// Cycles of a layer's pass forward, about: as kernels/train has them on eight cores.
uint64_t train_again_forward(const struct train_plan *plan, uint32_t layer);

// A set of layers, by bits; only the first 64 are looked at.
struct train_again {
  uint64_t set;
  uint64_t elements; // of these outputs
  uint64_t cycles;   // of computing them again
};

// Of sets whose outputs have at most `place` elements each: the fewest cycles for `wanted`
// elements; without such a set the one with the most elements. Exact, but where more than some
// thousand sets are each the best of something.
struct train_again train_again_choose(const struct train_plan *plan, uint32_t place,
                                      uint64_t wanted);

// Marks the set's layers as shared, and those that are computed again.
void train_again_mark(struct train_plan *plan, uint64_t set);

#endif
