#include "deploy/lower/realize.h"

#include <math.h>
#include <stdlib.h>

#include "deploy/memory.h"

struct real_stream *realize_stream(const struct realize *r, const struct graph_node *node,
                                   uint32_t input) {
  return &r->streams[node->inputs[input]];
}

const struct net_tensor *realize_tensor(const struct realize *r, int tensor) {
  return &r->real->net->tensors[tensor];
}

int realize_input(const struct realize *r, const struct graph_node *node, uint32_t input) {
  if (input < node->input_count && node->inputs[input] != GRAPH_NONE &&
      realize_stream(r, node, input)->tensor != NET_NONE)
    return realize_stream(r, node, input)->tensor;
  graph_fail(r->error, node, "input %u must be computed by a layer, or come from outside", input);
  return NET_NONE;
}

const struct array *realize_shape(const struct realize *r, int value) {
  return &r->graph->values[value].array;
}

int realize_picture(struct realize *r, const struct graph_node *node, uint32_t input) {
  char text[ARRAY_SHAPE_TEXT];
  int tensor = realize_input(r, node, input);
  if (tensor == NET_NONE)
    return NET_NONE;
  const struct array *shape = realize_shape(r, node->inputs[input]);
  const struct real_stream *from = realize_stream(r, node, input);
  struct net_tensor padded = *realize_tensor(r, tensor);
  padded.h += from->pad[0] + from->pad[2], padded.w += from->pad[1] + from->pad[3];
  if (order_is_picture(&padded, from->order, shape))
    return tensor;
  graph_fail(r->error, node,
             "input %u is %s; pictures, 1 x channels (x height) x width, are supported, and no "
             "other dimensions that a Reshape makes of these",
             input, array_shape_text(shape, text));
  return NET_NONE;
}

struct net_layer realize_layer(struct realize *r, const struct graph_node *node, enum net_kind kind,
                               const int *inputs, uint32_t count, uint32_t h, uint32_t w,
                               uint32_t c) {
  struct net_tensor t = {
      .name = r->graph->values[node->outputs[0]].name, .h = h, .w = w, .c = c, .bits = 8};
  struct net_layer l = net_plain_layer(kind, memory_text(node->name), inputs, count);
  l.output = net_add_tensor(r->real->net, &t);
  return l;
}

struct net_layer realize_before(struct realize *r, const struct graph_node *node, const char *what,
                                enum net_kind kind, int input, uint32_t h, uint32_t w) {
  struct net_layer l = realize_layer(r, node, kind, &input, 1, h, w, realize_tensor(r, input)->c);
  struct net_tensor *out = &r->real->net->tensors[l.output];
  free(l.name);
  l.name = memory_format("%s %s", node->name, what);
  free(out->name);
  out->name = memory_format("%s %s", r->graph->values[node->outputs[0]].name, what);
  return l;
}

struct real_layer realize_numbers(void) {
  return (struct real_layer){.low = -INFINITY, .high = INFINITY};
}

void realize_add(struct realize *r, const struct graph_node *node, const struct net_layer *layer,
                 const struct real_layer *numbers, struct order order) {
  real_add_layer(r->real, layer, numbers);
  r->streams[node->outputs[0]] = (struct real_stream){.tensor = layer->output, .order = order};
}

int realize_sole(const struct realize *r, const struct graph_node *node, uint32_t input) {
  const struct net *net = r->real->net;
  const struct real_stream *from = realize_stream(r, node, input);
  int last = (int)net->layer_count - 1;
  while (last >= 0 && net->layers[last].output != from->tensor)
    last--;
  if (graph_consumer(r->graph, node->inputs[input]) == GRAPH_NONE || from->pad[0] || from->pad[1] ||
      from->pad[2] || from->pad[3])
    return NET_NONE;
  for (uint32_t i = 0; i < r->graph->value_count; i++) // another shape of it, that others read
    if (r->streams[i].tensor == from->tensor && (int)i != node->inputs[input] &&
        graph_consumer(r->graph, (int)i) == GRAPH_NONE)
      return NET_NONE;
  return last;
}

int realize_open(const struct realize *r, const struct graph_node *node, uint32_t input) {
  int last = realize_sole(r, node, input);
  if (last < 0)
    return NET_NONE;
  const struct real_layer *numbers = &r->real->layers[last];
  bool open = isinf(numbers->low) && isinf(numbers->high) && numbers->function == REAL_IDENTITY;
  return open && net_has_weights(r->real->net->layers[last].kind) ? last : NET_NONE;
}

bool realize_alias(struct realize *r, const struct graph_node *node, uint32_t input) {
  if (realize_input(r, node, input) == NET_NONE)
    return false;
  r->streams[node->outputs[0]] = *realize_stream(r, node, input);
  return true;
}
