// deploy/family/mobilenet.h: the two MobileNets, any resolution and width.
#ifndef FAMILY_MOBILENET_H
#define FAMILY_MOBILENET_H

#include "builder.h"

// `alpha` scales the channels; width 32 * alpha and so on.
struct net *mobilenet_v1(const char *name, uint32_t resolution, double alpha, uint32_t classes);
struct net *mobilenet_v2(const char *name, uint32_t resolution, double alpha, uint32_t classes);

#endif
