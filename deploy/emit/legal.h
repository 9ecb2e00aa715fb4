// deploy/emit/legal.h: a network whose every layer one kernel executes.
#ifndef LEGAL_H
#define LEGAL_H

#include "deploy/net/net.h"

// A copy, in which some layers are others that compute the same: windows of pools whose outputs are
// of another kind than their inputs in two steps, averages by any number as depthwise layers,
// groups and dilations as filters with zeros where that is faster, zero points of weights taken off
// where 8 bits hold the difference, thresholds of signed codes as those of unsigned ones and a
// table. Tensors keep their numbers; new ones come behind. The caller frees.
struct net *legal_net(const struct net *net);

#endif
