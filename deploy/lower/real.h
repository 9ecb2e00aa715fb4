// deploy/lower/real.h: an op graph of real numbers as a network in real numbers
// (deploy/quant/real.h).
//
// Batch normalizations are folded into the layer in front of them, so are biases, factors and
// clips; x * clip(x + 3, 0, 6) / 6 is recognized as hard swish. Padding nodes merge into the next
// window; flattening permutes the weights behind it; a Softmax or LogSoftmax at the end is dropped.
#ifndef DEPLOY_LOWER_REAL_H
#define DEPLOY_LOWER_REAL_H

#include "deploy/graph/graph.h"
#include "deploy/quant/real.h"

// Shape of the input where the file leaves it open: channels, height, width; 0: as in the file.
struct lower_real_options {
  uint32_t c, h, w;
};

// NULL with the sentence, which names node, operator and what is supported.
struct real_net *lower_real(const char *name, struct graph *graph,
                            const struct lower_real_options *options, struct net_error *error);

#endif
