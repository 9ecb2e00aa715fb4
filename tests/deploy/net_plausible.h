// tests/deploy/net_plausible.h: networks like those that people have, but of shapes that nobody
// chose, drawn at random: convolutions with windows of 1 to 7, depthwise and dilated ones, groups,
// pools, residual additions, concatenations, products, tables; 8, 4 and 2 bits; every scheme.
#ifndef NET_PLAUSIBLE_H
#define NET_PLAUSIBLE_H

#include "deploy/net/net.h"

// A network that passes net_check(); the same of the same seed. Outputs use their range.
struct net *net_plausible(uint64_t seed, uint32_t layers);

#endif
