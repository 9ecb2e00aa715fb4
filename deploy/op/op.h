// deploy/op/op.h: ONNX's operators on arrays, and graphs of them, on the host.
//
// The meaning of each operator is that of https://onnx.ai/onnx/operators, for the version of the
// operator set that the file imports (7 to 18; 1 to 6 and 19 to 21 where operators agree). Numbers
// are computed in doubles and rounded once to the output's type; integers are exact or refused.
//
// It is the reference of networks in floats, what constants are folded by, and what the integer
// form of quantized graphs is compared with; it is not fast.
#ifndef DEPLOY_OP_H
#define DEPLOY_OP_H

#include "deploy/graph/graph.h"

// A graph at work: an array for each of its values.
struct op_run;
struct op_run *op_run_new(const struct graph *graph);
void op_run_free(struct op_run *run);
// Takes the data over.
void op_run_set(struct op_run *run, int value, struct array *array);
const struct array *op_run_get(const struct op_run *run, int value);
// Executes all nodes, in order. False with the sentence: which node, and what is supported.
bool op_run_execute(struct op_run *run, struct net_error *error);
// The same for one node, whose inputs have values.
bool op_run_node(struct op_run *run, const struct graph_node *node, struct net_error *error);

// The operators that are known, i < op_count().
size_t op_count(void);
const char *op_name(size_t i, const char **domain);
// Whether there is an operator of this name; not whether all its attributes are supported.
bool op_known(const struct graph_node *node);
// One node on these inputs (NULL: left out); outputs are given to the caller, who frees them.
bool op_apply(const struct graph_node *node, const struct array *const *inputs, uint32_t count,
              struct array *outputs, struct net_error *error);

// Types and shapes of all values that follow from those of the inputs; nodes whose inputs are
// constant, and questions about shapes, become constants and are removed (but for DequantizeLinear,
// whose codes are still wanted). Where an operator does not allow it, what follows stays unknown.
void op_infer(struct graph *graph);
// The same for one node, behind those whose outputs it reads: whether it is removed.
bool op_infer_node(struct graph *graph, struct graph_node *node);

#endif
