// deploy/cli/picture.h: a network as a picture (SVG 1.1).
#ifndef PICTURE_H
#define PICTURE_H

#include "deploy/net/net.h"

// A row per layer, in order; a line from every layer that it reads; a bar for its share of the
// multiply-accumulates.
void picture_write(const struct net *net, FILE *out);

#endif
