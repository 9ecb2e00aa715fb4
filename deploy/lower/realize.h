// deploy/lower/realize.h: between the files that make real networks of graphs.
#ifndef DEPLOY_REALIZE_H
#define DEPLOY_REALIZE_H

#include "deploy/lower/order.h"
#include "deploy/lower/real.h"

// What a value of the graph is in the network.
struct real_stream {
  int tensor; // NET_NONE: nothing yet
  struct order order;
  uint32_t pad[4]; // top, left, bottom, right, from padding nodes
};

struct realize {
  struct graph *graph;
  struct real_net *real;
  struct real_stream *streams; // [value_count]
  struct net_error *error;
};

struct real_stream *realize_stream(const struct realize *r, const struct graph_node *node,
                                   uint32_t input);
const struct net_tensor *realize_tensor(const struct realize *r, int tensor);
// A computed input: its tensor's number, or NET_NONE after the sentence.
int realize_input(const struct realize *r, const struct graph_node *node, uint32_t input);

// ... which the operator reads as a picture, channels first; with what it reads.
int realize_picture(struct realize *r, const struct graph_node *node, uint32_t input);
// The pads of padding nodes become a layer of their own.
bool realize_settle(struct realize *r, const struct graph_node *node, uint32_t input);
const struct array *realize_shape(const struct realize *r, int value);

// A layer on these tensors with a new one for the node's output; kernel 1 x 1.
struct net_layer realize_layer(struct realize *r, const struct graph_node *node, enum net_kind kind,
                               const int *inputs, uint32_t count, uint32_t h, uint32_t w,
                               uint32_t c);
// ... in front of the node's own, as "NAME WHAT", with the input's channels.
struct net_layer realize_before(struct realize *r, const struct graph_node *node, const char *what,
                                enum net_kind kind, int input, uint32_t h, uint32_t w);
struct real_layer realize_numbers(void);
// Its output stands in this order.
void realize_add(struct realize *r, const struct graph_node *node, const struct net_layer *layer,
                 const struct real_layer *numbers, struct order order);

// The layer that alone makes this tensor for this node; NET_NONE: others read it, too.
int realize_sole(const struct realize *r, const struct graph_node *node, uint32_t input);
// ... if it has weights and nothing behind its sums yet.
int realize_open(const struct realize *r, const struct graph_node *node, uint32_t input);
// The node's output is its input's tensor.
bool realize_alias(struct realize *r, const struct graph_node *node, uint32_t input);

// Convolution, Gemm, MatMul; batch normalization, additions and products of constants.
bool realize_conv(struct realize *r, const struct graph_node *node);
// A layer of filters [out][in / groups](height)(width); windows as in `window`.
void realize_filters(struct realize *r, const struct graph_node *node, int input,
                     const struct array *weights, const struct net_layer *window,
                     const uint32_t size[2]);
bool realize_linear(struct realize *r, const struct graph_node *node);
bool realize_norm(struct realize *r, const struct graph_node *node);
bool realize_affine(struct realize *r, const struct graph_node *node, uint32_t input);
// Pools, padding (realize_picture.c).
bool realize_pool(struct realize *r, const struct graph_node *node);
bool realize_pad(struct realize *r, const struct graph_node *node);
// Resizing, transposed convolutions (realize_resize.c).
bool realize_transposed(struct realize *r, const struct graph_node *node);
bool realize_resize(struct realize *r, const struct graph_node *node);

#endif
