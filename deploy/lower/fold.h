// deploy/lower/fold.h: nodes whose results are known before anything runs.
//
// Constants, shapes of values, and what is computed from these alone (Shape, Gather, Unsqueeze,
// Squeeze, Concat, Slice, Cast, Mul, Add, Identity): the chains by which exporters say "flatten".
#ifndef DEPLOY_FOLD_H
#define DEPLOY_FOLD_H

#include "deploy/graph/graph.h"

// Gives a node's output its value, if that is known. Whether it is, or was.
bool fold_node(struct graph *graph, const struct graph_node *node);

#endif
