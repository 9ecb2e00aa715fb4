// deploy/cli/picture.h: a network as a picture (SVG 1.1).
#ifndef PICTURE_H
#define PICTURE_H

#include "deploy/net/net.h"

// A row for each input and layer, in order: operator and window, the shape and type that come out,
// its name (cut; whole as the row's title), multiply-accumulates and their share as a bar. Arrows
// lead from every layer that it reads. `real`: the network is in floats.
void picture_write(const struct net *net, bool real, FILE *out);

#endif
