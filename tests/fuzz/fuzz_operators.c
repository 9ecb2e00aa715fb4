// tests/fuzz/fuzz_operators.c: any file as an ONNX model, whose operators are executed on inputs of
// small numbers.
#include <stdlib.h>

#include "deploy/op/op.h"
#include "deploy/read/onnx.h"
#include "tests/fuzz/fuzz.h"

enum { ELEMENTS = 1 << 12 }; // of a value: what is larger takes long, and shows no more

static bool small(const struct graph *graph) {
  for (uint32_t i = 0; i < graph->value_count; i++) {
    const struct array *a = &graph->values[i].array;
    if (a->type && (!array_shape_ok(a) || array_count(a) > ELEMENTS))
      return false;
  }
  return true;
}

static void put_inputs(struct graph *graph, struct op_run *run) {
  for (uint32_t i = 0; i < graph->input_count; i++) {
    struct array a = graph->values[graph->inputs[i]].array;
    a.data = NULL;
    if (!array_type_size(a.type))
      continue;
    array_allocate(&a);
    for (size_t k = 0; k < array_count(&a); k++)
      array_set_int(&a, k, (int64_t)(k % 7) - 3);
    op_run_set(run, graph->inputs[i], &a);
  }
}

// Node by node, as long as what comes out is small.
static void execute(struct graph *graph, struct op_run *run) {
  struct net_error error = {.text = ""};
  for (uint32_t i = 0; i < graph->node_count; i++) {
    const struct graph_node *node = &graph->nodes[i];
    if (node->removed)
      continue;
    for (uint32_t o = 0; o < node->output_count; o++) // shapes that depend on values
      if (node->outputs[o] != GRAPH_NONE && !graph->values[node->outputs[o]].array.type)
        return;
    if (!op_run_node(run, node, &error) && (!*error.text || !error.status))
      abort(); // a refusal has a reason
    if (*error.text)
      return;
  }
}

int fuzz_operators(const uint8_t *data, size_t size) {
  struct net_error error = {.text = ""};
  struct graph *graph = onnx_parse(data, size, NULL, &error);
  if (!graph)
    return 0;
  op_infer(graph);
  struct op_run *run = op_run_new(graph);
  if (small(graph)) {
    put_inputs(graph, run);
    execute(graph, run);
  }
  op_run_free(run);
  graph_free(graph);
  return 0;
}
