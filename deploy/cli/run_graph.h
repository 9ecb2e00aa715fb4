// deploy/cli/run_graph.h: `run` of an ONNX file by its operators (deploy/op/op.h).
#ifndef RUN_GRAPH_H
#define RUN_GRAPH_H

#include "deploy/graph/graph.h"
#include "deploy/read/sample.h"

// One file for each input; `dump` (NULL: none) gets every tensor, in the file's shapes. Prints the
// outputs. The exit status.
int run_graph(const struct graph *graph, const char *const *inputs, uint32_t count,
              const struct sample_options *options, const char *dump);

#endif
