// deploy/lower/picture.h: what the shapes of a file say of the picture that comes in.
#ifndef DEPLOY_PICTURE_H
#define DEPLOY_PICTURE_H

#include "deploy/graph/graph.h"
#include "deploy/net/net.h"

// Height, width and channels of a value: of one picture, 1 x channels (x height) x width, channels
// first or last, or of a vector. False: it is neither, or a size is not 1 to 65535.
bool picture_of(const struct array *shape, bool last, struct net_tensor *t);
// Whether a Transpose turns this input to channels first, behind nodes that work on each element.
bool picture_comes_last(const struct graph *graph, int value);
// An input that nothing has read may be a vector in the file, and a picture of one channel behind a
// node with this shape.
void picture_become(struct net *net, int tensor, const struct array *shape);

#endif
