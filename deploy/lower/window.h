// deploy/lower/window.h: kernel, strides, dilations and padding of an operator, from its
// attributes.
#ifndef DEPLOY_WINDOW_H
#define DEPLOY_WINDOW_H

#include "deploy/graph/graph.h"

// Fills kernel, stride, dilation and pads of the layer, and height and width of what it gives, for
// an input of h x w whose padding nodes ask for `pad` more. One-dimensional operators have a height
// of 1. kernel: height and width, {0, 0}: from the attribute kernel_shape.
bool window_read(const struct graph_node *node, const uint32_t pad[4], const struct net_tensor *in,
                 const uint32_t kernel[2], struct net_layer *layer, uint32_t *h, uint32_t *w,
                 struct net_error *error);

// Adds what a Pad node puts around a picture (top, left, bottom, right) to `pad`, up to 255 each;
// of `rank` dimensions, the channels `last` or in front. Its fill must be `zero`.
bool window_padding(const struct graph *graph, const struct graph_node *node, int rank, bool last,
                    double zero, uint32_t pad[4], struct net_error *error);

#endif
