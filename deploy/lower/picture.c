#include "deploy/lower/picture.h"

bool picture_of(const struct array *a, bool last, struct net_tensor *t) {
  int64_t sizes[3] = {1, 1, 1}; // channels, height, width
  if (a->type == ARRAY_NONE || a->rank < 1 || a->rank > 4 || (a->rank > 1 && a->dims[0] != 1))
    return false;
  const int64_t *dims = a->dims + (a->rank > 1);
  int rank = a->rank > 1 ? a->rank - 1 : 1;
  for (int i = 0; i < rank; i++) {
    int to = rank == 3 ? i : i ? 2 : 0; // one dimension is the width
    sizes[last ? (i == rank - 1 ? 0 : rank == 3 ? i + 1 : 2) : to] = dims[i];
  }
  for (int i = 0; i < 3; i++)
    if (sizes[i] < 1 || sizes[i] > 65535)
      return false;
  t->c = (uint32_t)sizes[0], t->h = (uint32_t)sizes[1], t->w = (uint32_t)sizes[2];
  return true;
}

static bool by_element(const struct graph_node *node) {
  static const char *const ops[] = {"Add",  "Cast",     "Clip", "DequantizeLinear",
                                    "Div",  "Identity", "Mul",  "QuantizeLinear",
                                    "Relu", "Sub"};
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
    if (graph_is(node, ops[i]))
      return node->output_count && node->outputs[0] != GRAPH_NONE;
  return false;
}

bool picture_comes_last(const struct graph *graph, int value) {
  enum { HOPS = 4 };
  for (int hops = 0; hops < HOPS; hops++) {
    int next = graph_consumer(graph, value);
    if (next == GRAPH_NONE)
      return false;
    const struct graph_node *node = &graph->nodes[next];
    const struct graph_attr *perm = graph_attr(node, "perm");
    if (graph_is(node, "Transpose"))
      return perm && perm->kind == GRAPH_INTS && perm->count > 2 &&
             perm->ints[1] == (int64_t)perm->count - 1;
    if (!by_element(node))
      return false;
    value = node->outputs[0];
  }
  return false;
}

void picture_become(struct net *net, int tensor, const struct array *shape) {
  struct net_tensor *t = &net->tensors[tensor];
  bool first = shape->rank > 2 && shape->dims[1] == 1;
  bool last = shape->rank > 2 && shape->dims[shape->rank - 1] == 1;
  if (tensor != net->inputs[0] || t->h != 1 || t->w != 1 || net->layer_count || (!first && !last) ||
      shape->rank > 4 || shape->dims[0] != 1)
    return;
  const int64_t *size = shape->dims + (first ? 2 : 1);
  t->c = 1, t->h = shape->rank == 4 ? (uint32_t)size[0] : 1;
  t->w = (uint32_t)size[shape->rank - 3];
}
