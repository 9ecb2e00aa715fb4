// deploy/lower/lower.h: an op graph of integers as the integer form (deploy/net/net.h).
//
// Read are the graphs that the PULP tools write, whose tensors hold integers as floats, NCHW:
//
//   NEMO      Conv, Mul(kappa), Add(lambda), Cast, Mul(m), Div(2^d), Cast, Clip; additions of
//             branches as Mul, Mul, Add, Div, Floor. A divisor of 2^d - 1 stands for 2^d.
//   Quantlab  Conv{weight_bits}, Mul, Add, Div, Floor, Clip{out_bits}; additions with attributes
//             in1_mul, in1_add, in1_shift, in2_..., out_...
//   Deeploy   RequantShift(x, mul, add){div, n_levels, signed} behind the operator, which rounds
//
// A layer is an operator with weights, a pool or an addition of two branches, with all that follows
// it element by element; its sums are normalized as clip(floor((kappa * sum + lambda) / 2^shift)),
// in 64 bits where the weights and the codes that can come in let 32 overflow. An addition that
// nothing clips, and the function behind it, are one layer where a tensor of 8 bits in between
// could cut results. Padding nodes merge into the next window; flattening permutes the weights
// behind it; what follows the last layer without changing its integers' order of magnitude
// (Softmax, Sigmoid, Gather, ...) is left to the reader of the result. A group of functions that is
// no layer becomes a table.
#ifndef DEPLOY_LOWER_H
#define DEPLOY_LOWER_H

#include "deploy/graph/graph.h"
#include "deploy/net/net.h"

struct lower_options {
  bool input_signed; // the inputs' codes are int8, not uint8: the file does not say
  bool split;        // an addition and the function behind it stay two layers
};

// Shapes that the graph computes become its constants. NULL with the sentence, which names node,
// operator and attribute, and what is supported.
struct net *lower_graph(const char *name, struct graph *graph, const struct lower_options *options,
                        struct net_error *error);

#endif
