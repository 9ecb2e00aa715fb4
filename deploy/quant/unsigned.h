// deploy/quant/unsigned.h: signed codes of 8 bits become unsigned ones, 128 more, in all tensors
// between layers that can do with them: the same network but for pools that divide, whose halves
// below the zero point then go up, not down.
//
// Zero points and biases take it up. At the network's ends, whose codes are the caller's, a table
// stands between, where it pays: at an input whose zero point becomes 0, as kernels pad, and at any
// output.
#ifndef UNSIGNED_H
#define UNSIGNED_H

#include "deploy/net/net.h"

// Of a network that has passed net_check(), and does afterwards. How many tensors have changed.
uint32_t unsigned_codes(struct net *net);

#endif
