// deploy/lower/tidy_pieces.c: see tidy.h. Operators that become several of others.
#include <stdlib.h>

#include "deploy/lower/tidy.h"
#include "deploy/memory.h"

// A name that no value has.
static char *fresh(const struct graph *graph, const char *name, const char *what) {
  char *value = memory_format("%s %s", name, what);
  while (graph_find(graph, value) != GRAPH_NONE) {
    char *longer = memory_format("%s'", value);
    free(value);
    value = longer;
  }
  return value;
}

// A node of one input behind the others; its output's number. The graph's nodes move.
static int add(struct graph *graph, const char *op, const char *name, int version, int input) {
  char *value = fresh(graph, name, op);
  struct graph_node *node = graph_add_node(graph, value, "", op, version);
  int out = graph_value(graph, value);
  free(value);
  graph_add_input(node, input);
  graph_add_output(node, out);
  return out;
}

static struct graph_node *last(struct graph *graph) {
  return &graph->nodes[graph->node_count - 1];
}

static int version_of(const struct graph *graph) {
  for (uint32_t i = 0; i < graph->node_count; i++)
    if (!*graph->nodes[i].domain)
      return graph->nodes[i].version;
  return 13;
}

// The last node gives what this one gave.
static void replace(struct graph *graph, uint32_t number) {
  struct graph_node *node = &graph->nodes[number];
  last(graph)->outputs[0] = node->outputs[0];
  node->removed = true;
  node->input_count = node->output_count = 0;
}

// com.microsoft's, of x, its scale and zero point, and the result's: the pool between both.
static void expand_pool(struct graph *graph, uint32_t number) {
  const struct graph_node *from = &graph->nodes[number];
  int version = version_of(graph) < 10 ? 10 : version_of(graph), in[5] = {0};
  char *name = memory_text(from->name);
  for (int i = 0; i < 5; i++)
    in[i] = i < (int)from->input_count ? from->inputs[i] : GRAPH_NONE;
  int x = add(graph, "DequantizeLinear", name, version, in[0]);
  graph_add_input(last(graph), in[1]);
  graph_add_input(last(graph), in[2]);
  x = add(graph, "AveragePool", name, version, x);
  struct graph_node *pool = last(graph), *old = &graph->nodes[number];
  pool->attrs = old->attrs, pool->attr_count = old->attr_count;
  old->attrs = NULL, old->attr_count = 0;
  add(graph, "QuantizeLinear", name, version, x);
  graph_add_input(last(graph), in[3]);
  graph_add_input(last(graph), in[4]);
  free(name);
  replace(graph, number);
}

// By slopes that differ: max(x, 0) - slope * max(-x, 0).
static void expand_prelu(struct graph *graph, uint32_t number) {
  const struct array *slope = graph_const(graph, &graph->nodes[number], 1);
  int version = graph->nodes[number].version, x = graph->nodes[number].inputs[0];
  char *name = memory_text(graph->nodes[number].name);
  struct array factors[2] = {{.type = ARRAY_F32}, {.data = NULL}};
  array_allocate(&factors[0]);
  array_set(&factors[0], 0, -1);
  array_copy(&factors[1], slope);
  for (size_t i = 0; i < array_count(slope); i++)
    array_set(&factors[1], i, -array_get(slope, i));
  int values[2];
  for (int i = 0; i < 2; i++) {
    char *value = fresh(graph, name, "factor");
    values[i] = graph_constant(graph, value, &factors[i]);
    free(value);
  }
  int above = add(graph, "Relu", name, version, x);
  int below = add(graph, "Mul", name, version, x);
  graph_add_input(last(graph), values[0]);
  below = add(graph, "Relu", name, version, below);
  below = add(graph, "Mul", name, version, below);
  graph_add_input(last(graph), values[1]);
  add(graph, "Add", name, version, above);
  graph_add_input(last(graph), below);
  free(name);
  replace(graph, number);
}

static bool has_ends(const struct graph_node *node, uint32_t inputs) {
  for (uint32_t i = 0; i < inputs && i < node->input_count; i++)
    if (node->inputs[i] == GRAPH_NONE)
      return false;
  return !node->removed && node->input_count >= inputs && node->output_count == 1 &&
         node->outputs[0] != GRAPH_NONE;
}

void tidy_pieces(struct graph *graph) {
  uint32_t count = graph->node_count;
  for (uint32_t i = 0; i < count; i++) {
    const struct graph_node *node = &graph->nodes[i];
    if (graph_is(node, "QLinearAveragePool") && has_ends(node, 4) &&
        !graph_int(node, "channels_last", 0))
      expand_pool(graph, i);
    else if (graph_is(node, "PRelu") && has_ends(node, 2) && graph_const(graph, node, 1) &&
             graph_const(graph, node, 1)->type == ARRAY_F32)
      expand_prelu(graph, i);
  }
  struct net_error error = {.text = ""};
  if (graph->node_count > count) {
    graph_compact(graph);
    graph_sort(graph, &error); // it was in order, and what is added has no circle
  }
}
