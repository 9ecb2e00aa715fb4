// deploy/lower/realize_picture.c: pools, padding.
#include <stdlib.h>
#include <string.h>

#include "deploy/lower/realize.h"
#include "deploy/lower/window.h"
#include "deploy/memory.h"

// ---------------------------------------------------------------------------- padding

static bool any(const uint32_t pad[4]) {
  return pad[0] || pad[1] || pad[2] || pad[3];
}

bool realize_settle(struct realize *r, const struct graph_node *node, uint32_t input) {
  struct real_stream *s = realize_stream(r, node, input);
  if (!any(s->pad))
    return true;
  const struct net_tensor in = *realize_tensor(r, s->tensor);
  uint32_t h = in.h + s->pad[0] + s->pad[2], w = in.w + s->pad[1] + s->pad[3];
  struct graph_node padding = {.outputs = &node->inputs[input]};
  padding.name = memory_format("%s padding", r->graph->values[node->inputs[input]].name);
  struct net_layer l = realize_layer(r, &padding, NET_DEPTHWISE, &s->tensor, 1, h, w, in.c);
  free(padding.name);
  l.groups = l.weight_count = in.c;
  l.pad_top = (uint8_t)s->pad[0], l.pad_left = (uint8_t)s->pad[1];
  l.pad_bottom = (uint8_t)s->pad[2], l.pad_right = (uint8_t)s->pad[3];
  struct real_layer numbers = realize_numbers();
  numbers.weights = memory_new(in.c, sizeof *numbers.weights);
  for (uint32_t c = 0; c < in.c; c++)
    numbers.weights[c] = 1;
  realize_add(r, &padding, &l, &numbers, s->order);
  return true;
}

bool realize_pad(struct realize *r, const struct graph_node *node) {
  int tensor = realize_input(r, node, 0);
  if (tensor == NET_NONE)
    return false;
  struct net_tensor t = *realize_tensor(r, tensor);
  struct real_stream to = *realize_stream(r, node, 0);
  const struct array *shape = realize_shape(r, node->inputs[0]);
  t.h += to.pad[0] + to.pad[2], t.w += to.pad[1] + to.pad[3];
  bool first = order_is_picture(&t, to.order, shape);
  if (!first && !order_is_last(&t, to.order, shape))
    return graph_fail(r->error, node, "padding of pictures is supported");
  if (!window_padding(r->graph, node, shape->rank, !first, 0, to.pad, r->error))
    return false;
  r->streams[node->outputs[0]] = to;
  return true;
}

// ---------------------------------------------------------------------------- pools

// Which dimensions a Reduce... joins: an attribute, or a constant input; all if it names none.
static bool reduces_pixels(const struct realize *r, const struct graph_node *node, bool last) {
  const struct array *list = graph_const(r->graph, node, 1);
  const struct graph_attr *a = graph_attr(node, "axes");
  const int rank = realize_shape(r, node->inputs[0])->rank, first = last ? 1 : 2;
  size_t count = list ? array_count(list) : a && a->kind == GRAPH_INTS ? a->count : 0;
  if (rank < 3 || count != (size_t)rank - 2)
    return false;
  for (size_t i = 0; i < count; i++) {
    int64_t axis = list ? array_get_int(list, i) : a->ints[i];
    axis += axis < 0 ? rank : 0;
    if (axis < first || axis >= first + rank - 2)
      return false;
  }
  return true;
}

static bool fail_whole(const struct realize *r, const struct graph_node *node) {
  return graph_fail(r->error, node,
                    "over height and width of a picture, up to 255 x 255, is supported");
}

// Means and maxima of all pixels, of pictures channels first or last.
static bool whole_pool(struct realize *r, const struct graph_node *node) {
  int input = realize_input(r, node, 0);
  if (input == NET_NONE || !realize_settle(r, node, 0))
    return false;
  struct real_stream from = *realize_stream(r, node, 0);
  const struct net_tensor in = *realize_tensor(r, from.tensor);
  const struct array *shape = realize_shape(r, node->inputs[0]);
  bool reduce = strncmp(node->op, "Reduce", 6) == 0;
  bool first = order_is_picture(&in, from.order, shape);
  bool last = order_is_last(&in, from.order, shape);
  bool good =
      reduce ? (first && reduces_pixels(r, node, false)) || (last && reduces_pixels(r, node, true))
             : first;
  if (!good || in.h > 255 || in.w > 255)
    return fail_whole(r, node);
  bool most = strstr(node->op, "Max") != NULL;
  struct net_layer l =
      realize_layer(r, node, most ? NET_MAXPOOL : NET_AVGPOOL, &from.tensor, 1, 1, 1, in.c);
  l.kernel_h = (uint8_t)in.h, l.kernel_w = (uint8_t)in.w;
  struct real_layer numbers = realize_numbers();
  realize_add(r, node, &l, &numbers, order_first);
  return true;
}

// Whether no number of the tensor is below 0.
static bool is_positive(const struct realize *r, int tensor) {
  for (uint32_t i = 0; i < r->real->net->layer_count; i++)
    if (r->real->net->layers[i].output == tensor)
      return r->real->layers[i].low >= 0;
  return false;
}

// Padding nodes merge into averages that count all, and into maxima where 0 is least.
static bool merges(const struct realize *r, const struct graph_node *node, bool most) {
  const struct graph_attr *own = graph_attr(node, "pads");
  bool pads = strncmp(graph_text(node, "auto_pad", "NOTSET"), "SAME", 4) == 0 ||
              graph_int(node, "ceil_mode", 0);
  for (uint32_t i = 0; own && own->kind == GRAPH_INTS && i < own->count; i++)
    pads |= own->ints[i] != 0;
  return most ? !pads && is_positive(r, realize_stream(r, node, 0)->tensor) : !pads;
}

// The integer form has pools whose padding is smaller than their window.
static bool pads_more(const struct net_layer *l) {
  return l->pad_top >= l->kernel_h || l->pad_bottom >= l->kernel_h || l->pad_left >= l->kernel_w ||
         l->pad_right >= l->kernel_w;
}

static bool read_window(struct realize *r, const struct graph_node *node, struct net_layer *window,
                        uint32_t *h, uint32_t *w) {
  const struct real_stream *from = realize_stream(r, node, 0);
  const struct net_tensor in = *realize_tensor(r, from->tensor);
  return window_read(node, from->pad, &in, (uint32_t[2]){0, 0}, window, h, w, r->error);
}

bool realize_pool(struct realize *r, const struct graph_node *node) {
  bool most = graph_is(node, "MaxPool");
  if (!graph_is(node, "MaxPool") && !graph_is(node, "AveragePool"))
    return whole_pool(r, node);
  if (realize_picture(r, node, 0) == NET_NONE)
    return false;
  if (!merges(r, node, most) && !realize_settle(r, node, 0))
    return false;
  struct net_layer window = {.name = NULL};
  uint32_t h, w;
  if (!read_window(r, node, &window, &h, &w))
    return false;
  if (pads_more(&window) && (!realize_settle(r, node, 0) || !read_window(r, node, &window, &h, &w)))
    return false;
  const struct real_stream from = *realize_stream(r, node, 0);
  const struct net_tensor in = *realize_tensor(r, from.tensor);
  if (window.dilation_h != 1 || window.dilation_w != 1)
    return graph_fail(r->error, node, "attribute dilations: 1 is supported");
  if (node->output_count > 1 && node->outputs[1] != GRAPH_NONE)
    return graph_fail(r->error, node, "indices as a second output are not supported");
  bool counts = any(from.pad) || graph_int(node, "count_include_pad", 0);
  if (!most && counts && graph_int(node, "ceil_mode", 0))
    return graph_fail(r->error, node,
                      "attribute ceil_mode 1 with count_include_pad 1 is not "
                      "supported; one of them is");
  struct net_layer layer =
      realize_layer(r, node, most ? NET_MAXPOOL : NET_AVGPOOL, &from.tensor, 1, h, w, in.c);
  memcpy(&layer.kernel_h, &window.kernel_h, 10);
  struct real_layer numbers = realize_numbers();
  numbers.count_padding = counts;
  realize_add(r, node, &layer, &numbers, order_first);
  return true;
}
