// deploy/quant/shapes.h: shapes of published networks, for what needs no weights.
#ifndef SHAPES_H
#define SHAPES_H

#include "deploy/net/net.h"

// Whether a name is of a family: "mobilenet_v1:RESOLUTION:WIDTH".
bool shapes_named(const char *name);

// Layers, tensors and windows, without arrays (not for net_check). MobileNetV1 (Howard et al.,
// arXiv:1704.04861, table 1): resolutions of 32 to 512, multiples of 32, widths of 0.25 to 1.0 in
// quarters; 28 layers with weights, and the pool. NULL with the sentence.
struct net *shapes_new(const char *name, struct net_error *error);

#endif
