// deploy/lower/order.h: in which order a value's elements stand in the file, against its tensor's.
//
// A tensor of the net is height x width x channels. A file's value has its elements in an order of
// these axes, most significant first ("chw" in ONNX; "hwc" behind a Transpose, in Keras's graphs),
// and a shape that Reshape, Flatten, Squeeze change without moving any. Axes of one element stand
// anywhere.
#ifndef DEPLOY_ORDER_H
#define DEPLOY_ORDER_H

#include "deploy/graph/graph.h"

struct order {
  char axes[4]; // 'c', 'h' and 'w'
};

extern const struct order order_first, order_last; // "chw", "hwc"

bool order_same(const struct net_tensor *t, struct order a, struct order b);
// Which axis each dimension of the shape is; 0: of one element. False: dimensions join axes, or cut
// them.
bool order_axes(const struct net_tensor *t, struct order order, const struct array *shape,
                char axes[ARRAY_RANK]);
// Whether the value is a picture as ONNX's operators read it, 1 x c (x h) x w, or a vector 1 x c.
bool order_is_picture(const struct net_tensor *t, struct order order, const struct array *shape);
// ... channels last: 1 (x h) x w x c. Each axis has its dimension.
bool order_is_last(const struct net_tensor *t, struct order order, const struct array *shape);
// The dimension of the channels; -1: they have none of their own.
int order_channels(const struct net_tensor *t, struct order order, const struct array *shape);
// The order behind a Transpose of a value of this shape. False: it moves what has no dimension of
// its own.
bool order_transpose(const struct net_tensor *t, struct order order, const struct array *shape,
                     const struct graph_node *node, struct order *to);
// For each element of the file its number in the tensor; the caller frees it.
size_t *order_places(const struct net_tensor *t, struct order order);

#endif
