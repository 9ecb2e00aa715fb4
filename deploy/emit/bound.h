// deploy/emit/bound.h: the least cycles that a layer with these tiles can take, by what is scarce.
#ifndef BOUND_H
#define BOUND_H

#include "plan.h"

struct bound {
  uint64_t compute; // of eight cores: slots of the kernels' inner loops (docs/kernels-nn.md)
  uint64_t l2; // of the DMA between L2 and L1: 8 bytes a cycle, whatever is moved more than once
  uint64_t l3; // of the weights from L3: a byte a cycle; others of the time may hide it
};

struct bound bound_of(const struct plan *plan, uint32_t layer);
uint64_t bound_most(const struct bound *bound, const char **which); // "compute", "l2" or "l3"

// Cycles of all layers: simulated or estimated ones, or what the worst bound says.
uint64_t bound_estimate(const struct plan *plan);

#endif
