// deploy/lower/tidy.c: see tidy.h.
#include "deploy/lower/tidy.h"

#include <stdlib.h>

#include "deploy/memory.h"

void tidy_shapes(struct graph *graph, const struct tidy_shape *shape) {
  const int64_t asked[3] = {shape->c, shape->h, shape->w};
  for (uint32_t i = 0; i < graph->input_count; i++) {
    struct array *a = &graph->values[graph->inputs[i]].array;
    for (int k = 0; k < a->rank; k++) {
      int from = k - (a->rank - 3); // of channels, height, width
      if (k == 0 && a->rank > 1 && a->dims[k] < 0)
        a->dims[k] = 1;
      else if (a->rank >= 3 && from >= 0 && asked[from])
        a->dims[k] = asked[from];
    }
  }
}

// Whether all that read the value are products and sums with another of its shape.
static bool repeats_anyway(const struct graph *graph, int value) {
  for (uint32_t i = 0; i < graph->node_count; i++) {
    const struct graph_node *node = &graph->nodes[i];
    for (uint32_t k = 0; k < node->input_count; k++) {
      if (node->inputs[k] != value || node->removed)
        continue;
      bool two = (graph_is(node, "Mul") || graph_is(node, "Add")) && node->input_count == 2 &&
                 node->inputs[1 - k] != GRAPH_NONE && node->inputs[1 - k] != value;
      if (!two ||
          !array_same_shape(&graph->values[value].array, &graph->values[node->inputs[1 - k]].array))
        return false;
    }
  }
  return !graph_is_output(graph, value);
}

static bool is_idle(const struct graph *graph, const struct graph_node *node) {
  const struct array *from = &graph->values[node->inputs[0]].array;
  const struct array *to = &graph->values[node->outputs[0]].array;
  if (from->type == ARRAY_NONE || to->type == ARRAY_NONE || to->data)
    return false;
  if (graph_is(node, "Cast"))
    return from->type == to->type && !graph_is_output(graph, node->outputs[0]);
  return graph_is(node, "Expand") && repeats_anyway(graph, node->outputs[0]);
}

void tidy_idle(struct graph *graph) {
  for (uint32_t i = 0; i < graph->node_count; i++) {
    struct graph_node *node = &graph->nodes[i];
    if (node->removed || !node->input_count || node->output_count != 1 ||
        node->outputs[0] == GRAPH_NONE || node->inputs[0] == GRAPH_NONE || !is_idle(graph, node))
      continue;
    graph_replace(graph, node->outputs[0], node->inputs[0]);
    node->removed = true;
  }
}

static bool makes(const struct graph_node *node, const bool *wanted) {
  for (uint32_t o = 0; o < node->output_count; o++)
    if (node->outputs[o] != GRAPH_NONE && wanted[node->outputs[o]])
      return true;
  return false;
}

// Nodes stand in an order of execution: whoever reads a value stands behind who makes it.
void tidy_dead(struct graph *graph) {
  bool *wanted = memory_new(graph->value_count, sizeof *wanted);
  for (uint32_t i = 0; i < graph->output_count; i++)
    wanted[graph->outputs[i]] = true;
  for (uint32_t n = graph->node_count; n-- > 0;) {
    struct graph_node *node = &graph->nodes[n];
    node->removed |= !makes(node, wanted);
    for (uint32_t k = 0; !node->removed && k < node->input_count; k++)
      if (node->inputs[k] != GRAPH_NONE)
        wanted[node->inputs[k]] = true;
  }
  free(wanted);
}
