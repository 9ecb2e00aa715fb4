// deploy/lower/real.h: an op graph of real numbers as a network in real numbers
// (deploy/quant/real.h).
//
// The graph is tidied first (tidy.h). Batch normalizations are folded into the layer in front of
// them, so are biases, factors and clips. Padding nodes merge into the next window, or become a
// layer; flattening and transposing permute the weights behind them (order.h); a Softmax,
// LogSoftmax or ArgMax at the end is dropped.
#ifndef DEPLOY_LOWER_REAL_H
#define DEPLOY_LOWER_REAL_H

#include "deploy/graph/graph.h"
#include "deploy/lower/tidy.h"
#include "deploy/quant/real.h"

// NULL with the sentence, which names node, operator and what is supported.
struct real_net *lower_real(const char *name, struct graph *graph, const struct tidy_shape *shape,
                            struct net_error *error);

#endif
