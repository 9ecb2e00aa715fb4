// deploy/emit/range.h: within what a layer's sums lie, whatever its inputs are.
#ifndef RANGE_H
#define RANGE_H

#include "deploy/net/net.h"

struct range {
  int64_t low, high;
};

// Of output channel c, before lambda. Of layers with weights.
struct range range_of_sums(const struct net *net, const struct net_layer *layer, uint32_t c);

// Whether kappa * sum + lambda stays within 32 bits in every channel, with `more` beside.
bool range_fits(const struct net *net, const struct net_layer *layer, int64_t more);

#endif
