// deploy/lower/tidy_quantizers.c: see tidy.h.
#include <stdlib.h>
#include <string.h>

#include "deploy/lower/tidy.h"
#include "deploy/memory.h"
#include "deploy/op/op.h"

static bool is(const struct graph_node *node, const char *op) {
  return !node->removed && strcmp(node->op, op) == 0 && node->input_count > 1 &&
         node->inputs[0] != GRAPH_NONE && node->output_count && node->outputs[0] != GRAPH_NONE;
}

// Weights: the numbers that their codes stand for.
static void evaluate(struct graph *graph, struct graph_node *node) {
  const struct array *in[3] = {NULL, NULL, NULL};
  struct array out = {.data = NULL};
  struct net_error error = {.text = ""};
  for (uint32_t i = 0; i < node->input_count && i < 3; i++)
    in[i] = graph_const(graph, node, i);
  if (node->input_count > 3 || !op_apply(node, in, node->input_count, &out, &error))
    return;
  struct array *to = &graph->values[node->outputs[0]].array;
  array_clear(to);
  *to = out;
  node->removed = true;
}

static void become_identity(struct graph_node *node) {
  int from = node->inputs[0];
  graph_rewrite(node, "Identity");
  graph_add_input(node, from);
}

// A clip of codes behind its QuantizeLinear, as that of the numbers; -1: it has no such bound.
static int bound(struct graph *graph, const struct graph_node *clip, uint32_t i, double scale,
                 double zero) {
  const struct array *code = graph_const(graph, clip, i);
  if (!code || array_count(code) != 1)
    return GRAPH_NONE;
  struct array real = {.type = ARRAY_F32};
  array_allocate(&real);
  array_set(&real, 0, scale * (array_get(code, 0) - zero));
  char *name = memory_format("%s bound %u", clip->name, i);
  int value =
      graph_find(graph, name) == GRAPH_NONE ? graph_constant(graph, name, &real) : GRAPH_NONE;
  if (value == GRAPH_NONE)
    array_clear(&real);
  free(name);
  return value;
}

static void clip_numbers(struct graph *graph, const struct graph_node *quantize) {
  int next = graph_consumer(graph, quantize->outputs[0]);
  const struct array *scale = graph_const(graph, quantize, 1),
                     *zero = graph_const(graph, quantize, 2);
  if (next == GRAPH_NONE || !is(&graph->nodes[next], "Clip") || !scale || array_count(scale) != 1)
    return;
  struct graph_node *clip = &graph->nodes[next];
  for (uint32_t i = 1; i < clip->input_count && i < 3; i++)
    clip->inputs[i] = bound(graph, clip, i, array_get(scale, 0), zero ? array_get(zero, 0) : 0);
}

uint32_t tidy_quantizers(struct graph *graph) {
  uint32_t left_out = 0;
  for (uint32_t i = 0; i < graph->node_count; i++) {
    struct graph_node *node = &graph->nodes[i];
    if (is(node, "DequantizeLinear") && graph_const(graph, node, 0)) {
      evaluate(graph, node);
    } else if (is(node, "QuantizeLinear")) {
      clip_numbers(graph, node);
      become_identity(node);
      left_out++;
    } else if (is(node, "DequantizeLinear") &&
               graph_producer(graph, node->inputs[0]) != GRAPH_NONE) {
      become_identity(node);
    }
  }
  for (uint32_t i = 0; left_out && i < graph->value_count; i++) {
    struct array *a = &graph->values[i].array;
    bool codes = a->type == ARRAY_U8 || a->type == ARRAY_I8;
    if (codes && !a->data && graph_producer(graph, (int)i) != GRAPH_NONE)
      a->type = ARRAY_F32;
  }
  return left_out;
}
