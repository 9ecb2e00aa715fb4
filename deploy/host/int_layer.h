// deploy/host/int_layer.h: one layer as the interpreter executes it.
#ifndef INT_LAYER_H
#define INT_LAYER_H

#include "deploy/net/net.h"

// A layer with its tensors' values.
struct int_layer {
  const struct net_layer *layer;
  const struct net_tensor *in, *out;      // the first input's, the output's
  const struct net_tensor *const *inputs; // all inputs'
  int32_t *const *values;                 // all inputs'
  int32_t *result;
  const int16_t *weights; // less their zeros: conv, linear [out_c][taps], depthwise [taps][c]
  int16_t *columns;       // im2col: int_conv_columns() elements
};

// Elements of `columns`: a row of output pixels, each with the taps of one group.
size_t int_conv_columns(const struct net_layer *layer, const struct net_tensor *in,
                        const struct net_tensor *out);

// Weights in the interpreter's order, less their zeros.
void int_conv_weights(const struct net *net, const struct net_layer *layer, int16_t *weights);

void int_conv(const struct int_layer *run);
void int_depthwise(const struct int_layer *run);
void int_linear(const struct int_layer *run);
void int_pool(const struct int_layer *run);
void int_elementwise(const struct int_layer *run); // add, multiply, concat, table, resize

#endif
