// deploy/family/mixed.h: a network by name with 8, 4 or 2 bits for each tensor.
#ifndef FAMILY_MIXED_H
#define FAMILY_MIXED_H

#include "deploy/net/net.h"

// `weights`: bits per layer (0: none); `tensors`: bits of each activation, 32 where sums are. Of a
// family's network with 8 bits (family.h) the weights lose their low bits, and requantizations
// bring the sums that this leaves to the outputs' codes: by NET_NORM where all are 8 bits, else by
// NET_ICN (Rusci et al., MLSys 2020, Eq. 4), per channel.
void family_mix(struct net *net, const uint8_t *weights, const uint8_t *tensors);

#endif
