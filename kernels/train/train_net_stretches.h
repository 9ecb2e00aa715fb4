// kernels/train/train_net_stretches.h: a pass over arrays in L2 of as many items, each of which
// alone: a stretch of all arrays at a time goes through L1, the next one on its way meanwhile, and
// each core takes its part of it.
//
// Weights and gradients: a few cycles an item, as many as the DMA takes to move it. One command
// brings a stretch of an array for all cores; those of each core by itself would wait in the DMA's
// queue behind one another.
#ifndef TRAIN_NET_STRETCHES_H
#define TRAIN_NET_STRETCHES_H

#include "kernels/status.h"
#include "kernels/train/train_net.h"

enum { TRAIN_NET_ARRAYS = 4 };

struct train_net_stretches {
  // NULL: the pass is without. `bytes` an item: 4 or 8.
  struct {
    const void *array;
    uint32_t bytes;
    bool out;
  } of[TRAIN_NET_ARRAYS];
  // Called by each core for its items of each stretch; at[i]: the first one of array i in L1, NULL
  // without an array. `state` is the caller's.
  void (*compute)(const void *state, float *const *at, uint32_t items);
};

// A pass (train_net_pass.h). BAD_SHAPE: L1 holds no two stretches.
enum kernel_status train_net_stretches(const struct train_net *net,
                                       const struct train_net_stretches *stretches, uint32_t count,
                                       const void *state);

#endif
