// deploy/graph/edit.c: what passes do to a graph (graph.h): who makes, who reads, replace, sort.
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "deploy/graph/graph.h"
#include "deploy/memory.h"

int graph_producer(const struct graph *graph, int value) {
  for (uint32_t i = 0; i < graph->node_count; i++)
    for (uint32_t o = 0; !graph->nodes[i].removed && o < graph->nodes[i].output_count; o++)
      if (graph->nodes[i].outputs[o] == value)
        return (int)i;
  return GRAPH_NONE;
}

bool graph_is_output(const struct graph *graph, int value) {
  for (uint32_t i = 0; i < graph->output_count; i++)
    if (graph->outputs[i] == value)
      return true;
  return false;
}

int graph_consumer(const struct graph *graph, int value) {
  int found = GRAPH_NONE;
  if (graph_is_output(graph, value))
    return GRAPH_NONE;
  for (uint32_t i = 0; i < graph->node_count; i++) {
    const struct graph_node *node = &graph->nodes[i];
    for (uint32_t k = 0; !node->removed && k < node->input_count; k++) {
      if (node->inputs[k] != value)
        continue;
      if (found != GRAPH_NONE && found != (int)i)
        return GRAPH_NONE;
      found = (int)i;
    }
  }
  return found;
}

void graph_replace(struct graph *graph, int from, int to) {
  for (uint32_t i = 0; i < graph->node_count; i++)
    for (uint32_t k = 0; k < graph->nodes[i].input_count; k++)
      if (graph->nodes[i].inputs[k] == from)
        graph->nodes[i].inputs[k] = to;
  for (uint32_t i = 0; i < graph->output_count; i++)
    if (graph->outputs[i] == from)
      graph->outputs[i] = to;
}

static void swap_nodes(struct graph_node *a, struct graph_node *b) {
  struct graph_node kept = *a;
  *a = *b;
  *b = kept;
}

// Removed nodes go to the end, where they are only freed.
void graph_compact(struct graph *graph) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < graph->node_count; i++)
    if (!graph->nodes[i].removed)
      swap_nodes(&graph->nodes[kept++], &graph->nodes[i]);
  for (uint32_t i = kept; i < graph->node_count; i++)
    graph->nodes[i].removed = true;
}

static bool ready(const struct graph_node *node, const bool *made) {
  for (uint32_t k = 0; k < node->input_count; k++)
    if (node->inputs[k] != GRAPH_NONE && !made[node->inputs[k]])
      return false;
  return true;
}

static void make(const struct graph_node *node, bool *made) {
  for (uint32_t o = 0; o < node->output_count; o++)
    if (node->outputs[o] != GRAPH_NONE)
      made[node->outputs[o]] = true;
}

// What nobody makes comes from outside.
static bool *from_outside(const struct graph *graph) {
  bool *made = memory_new(graph->value_count, sizeof *made);
  memset(made, true, graph->value_count);
  for (uint32_t i = 0; i < graph->node_count; i++)
    for (uint32_t o = 0; !graph->nodes[i].removed && o < graph->nodes[i].output_count; o++)
      if (graph->nodes[i].outputs[o] != GRAPH_NONE)
        made[graph->nodes[i].outputs[o]] = false;
  return made;
}

// Stable: a file that is in order keeps it. Rounds, each as long as a file is in order.
bool graph_sort(struct graph *graph, struct net_error *error) {
  bool *made = from_outside(graph);
  uint32_t placed = 0;
  for (bool progress = true; progress && placed < graph->node_count;) {
    progress = false;
    for (uint32_t i = placed; i < graph->node_count; i++) {
      if (!graph->nodes[i].removed && !ready(&graph->nodes[i], made))
        continue;
      make(&graph->nodes[i], made);
      for (uint32_t at = i; at > placed; at--)
        swap_nodes(&graph->nodes[at], &graph->nodes[at - 1]);
      placed++;
      progress = true;
    }
  }
  free(made);
  if (placed == graph->node_count)
    return true;
  error->status = EX_DATAERR;
  return graph_fail(error, &graph->nodes[placed], "it depends on its own output");
}
