// deploy/tune/train_memory.h: what of a network that trains is kept in L2, what is computed again,
// and what lies in L3.
//
// Where all has room nothing is done. Else each layer takes its step as soon as its gradients are
// there, which share one place; then outputs are computed again, as few cycles of them as make
// room; then weights go to L3 with the sums of their gradients, as few bytes as make room: a byte
// of weights goes through L3 three times a step, at a fraction of a byte a cycle.
#ifndef TUNE_TRAIN_MEMORY_H
#define TUNE_TRAIN_MEMORY_H

#include "deploy/tune/train_plan.h"

enum train_wish { TRAIN_FIT, TRAIN_ALL, TRAIN_NONE, TRAIN_WISHES }; // as needed, or in any case

struct train_memory_options {
  uint32_t batch, l2_bytes;
  enum train_wish l3, again;
};

struct train_memory {
  bool at_once;          // gradients share one place
  uint32_t slots;        // for weights in L3; 0: none are there
  uint32_t slot_floats;  // the largest such layer's
  uint32_t shared;       // elements of the place that outputs share
  uint64_t l2_bytes;     // of all arrays
  uint64_t l3_floats;    // of weights there
  uint64_t again_cycles; // of what is computed again, about
};

// Chooses, and marks the layers. False with the sentence: L2 has no room.
bool train_memory_choose(struct train_memory *memory, struct train_plan *plan,
                         const struct train_memory_options *options, struct net_error *error);

// Floats of weights in L2 and of the largest layer; elements of the largest output, an even number.
uint32_t train_memory_near(const struct train_plan *plan);
uint32_t train_memory_largest(const struct train_plan *plan);
uint32_t train_memory_largest_out(const struct train_plan *plan);

#endif
