// deploy/lower/quantizing_other.c: concatenations and resizing of quantized graphs; which operator
// is whose.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "deploy/lower/quantizing.h"
#include "deploy/memory.h"
#include "deploy/op/op_quant.h"

// ---------------------------------------------------------------------------- Concat

// The tensor in the codes that the result has.
static int in_codes(struct quantizing *q, const struct graph_node *node, uint32_t i,
                    const struct coded *from, const struct quantum *to) {
  struct quantum own = quantizing_of(q, from);
  uint8_t table[256];
  if (own.zero == to->zero && own.type == to->type && !(own.scale < to->scale) &&
      !(own.scale > to->scale))
    return from->tensor;
  for (int k = 0; k < 256; k++) {
    int64_t code = quantum_least(&own) + k;
    float x = own.scale * (float)(code - own.zero);
    table[code & 255] = (uint8_t)quant_of_real(x, to->scale, to->zero, to->type);
  }
  char *name = memory_format("%s input %u", node->name, i);
  int tensor = quantizing_add_table(q, name, from, GRAPH_NONE, name, to, table);
  free(name);
  return tensor;
}

static bool concatenate(struct quantizing *q, const struct graph_node *node, uint32_t first,
                        uint32_t step, int out, const struct quantum *to, const struct span *span) {
  enum { MOST = 64 };
  int tensors[MOST] = {NET_NONE};
  uint32_t count = 0, channels = 0;
  int64_t axis = graph_int(node, "axis", 1), rank = q->graph->values[out].array.rank;
  axis += axis < 0 ? (rank ? rank : 4) : 0;
  struct order order = order_first;
  for (uint32_t i = first; i < node->input_count; i += step, count++) {
    const struct coded *from = quantizing_in(q, node, i);
    if (!from || count == MOST || q->net->tensors[from->tensor].bits != 8)
      return graph_fail(q->error, node, "input %u is not quantized", i);
    const struct array *shape = quantizing_shape(q, node->inputs[i]);
    bool pixels = quantizing_picture(q, node->inputs[i]) && axis == 1;
    bool last = order_is_last(&q->net->tensors[from->tensor], from->order, shape) &&
                axis == shape->rank - 1;
    if (!pixels && !last)
      return graph_fail(q->error, node,
                        "attribute axis: of the channels of pictures is supported; this is %lld",
                        (long long)axis);
    order = pixels ? order_first : order_last;
    struct coded copy = *from;
    tensors[count] = in_codes(q, node, i, &copy, to);
    channels += q->net->tensors[tensors[count]].c;
  }
  const struct net_tensor t = q->net->tensors[tensors[0]];
  struct net_layer l = quantizing_layer(node->name, NET_CONCAT, tensors, count);
  l.requant.kind = NET_COPY;
  quantizing_codes(to, span, &l.requant.low, &l.requant.high);
  quantizing_add(q, &l, out, quantizing_tensor(q, out, to, t.h, t.w, channels), order);
  return true;
}

// ---------------------------------------------------------------------------- Resize

static bool resize(struct quantizing *q, const struct graph_node *node, const struct coded *from,
                   int out, const struct quantum *to) {
  const struct net_tensor in = q->net->tensors[from->tensor];
  const struct array *a = &q->graph->values[node->outputs[0]].array;
  bool four = a->rank == 4 && quantizing_picture(q, node->inputs[0]) && a->dims[1] == in.c;
  int64_t h = four ? a->dims[2] / in.h : 0, w = four ? a->dims[3] / in.w : 0;
  const char *mode = graph_text(node, "coordinate_transformation_mode", "half_pixel");
  const char *rule = graph_text(node, "nearest_mode", "round_prefer_floor");
  bool old = node->version < 11 || graph_is(node, "Upsample");
  // Whole factors: element y of the result is y / factor, also for half pixels to the nearest.
  bool same = old || (strcmp(mode, "asymmetric") == 0 && strcmp(rule, "floor") == 0) ||
              (strcmp(mode, "half_pixel") == 0 && strncmp(rule, "round_prefer_floor", 11) == 0) ||
              (strcmp(mode, "tf_half_pixel_for_nn") == 0 && strcmp(rule, "floor") == 0);
  if (!four || strcmp(graph_text(node, "mode", "nearest"), "nearest") != 0 || !same || h < 1 ||
      w < 1 || h > 255 || w > 255 || a->dims[2] % in.h || a->dims[3] % in.w)
    return graph_fail(
        q->error, node,
        "mode nearest by whole factors, coordinates asymmetric (floor) or half_pixel, "
        "is supported");
  struct net_layer l = quantizing_layer(node->name, NET_RESIZE, &from->tensor, 1);
  l.stride_h = (uint8_t)h, l.stride_w = (uint8_t)w;
  l.requant.kind = NET_COPY;
  l.requant.low = quantum_least(to), l.requant.high = l.requant.low + 255;
  uint32_t size[2] = {in.h * (uint32_t)h, in.w * (uint32_t)w};
  quantizing_add(q, &l, out, quantizing_tensor(q, out, to, size[0], size[1], in.c), order_first);
  return true;
}

// ---------------------------------------------------------------------------- by operator

bool quantizing_other(struct quantizing *q, int value, int out, const struct quantum *to,
                      const struct span *span, bool *known) {
  const struct graph_node *node = quantizing_producer(q, value);
  const struct coded *a = node ? quantizing_in(q, node, 0) : NULL;
  const struct coded *b = node ? quantizing_in(q, node, 1) : NULL;
  *known = false;
  if (!node || !a)
    return true;
  bool two_inputs = (graph_is(node, "Add") || graph_is(node, "Sum") || graph_is(node, "Sub") ||
                     graph_is(node, "Mul")) &&
                    b && node->input_count == 2;
  bool pools = graph_is(node, "AveragePool") || graph_is(node, "GlobalAveragePool") ||
               graph_is(node, "ReduceMean") || graph_is(node, "MaxPool") ||
               graph_is(node, "GlobalMaxPool") || graph_is(node, "ReduceMax");
  bool sizes = graph_is(node, "Resize") || graph_is(node, "Upsample");
  *known = two_inputs || pools || sizes || graph_is(node, "Concat");
  if (!*known)
    return true;
  quantizing_use(q, node);
  if (two_inputs)
    return quantizing_pair(q, node, node->inputs,
                           graph_is(node, "Mul")   ? PAIR_PRODUCT
                           : graph_is(node, "Sub") ? PAIR_DIFFERENCE
                                                   : PAIR_SUM,
                           out, to, span);
  if (graph_is(node, "Concat"))
    return concatenate(q, node, 0, 1, out, to, span);
  return sizes ? resize(q, node, a, out, to) : quantizing_pool(q, node, out, to, span);
}

static bool check_input(const struct quantizing *q, const struct graph_node *node, uint32_t i,
                        const struct coded *from) {
  struct quantum said = {1, 0, ARRAY_NONE};
  if (!from)
    return graph_fail(q->error, node, "input %u is not a tensor of codes", i);
  struct quantum own = quantizing_of(q, from);
  if (!quantizing_read(q, node, i + 1, own.type, &said))
    return false;
  return (own.zero == said.zero && own.type == said.type && !(own.scale < said.scale) &&
          !(own.scale > said.scale)) ||
         graph_fail(q->error, node, "inputs %u and %u are not what input %u was quantized with",
                    i + 1, i + 2, i);
}

bool quantizing_microsoft(struct quantizing *q, const struct graph_node *node, bool *known) {
  const struct span all = {-INFINITY, INFINITY};
  bool two_inputs = graph_is(node, "QLinearAdd") || graph_is(node, "QLinearMul");
  bool means = graph_is(node, "QLinearGlobalAveragePool"), joins = graph_is(node, "QLinearConcat");
  bool function = graph_is(node, "QLinearLeakyRelu") || graph_is(node, "QLinearSigmoid");
  *known = strcmp(node->domain, "com.microsoft") == 0 && (two_inputs || means || joins || function);
  if (!*known)
    return true;
  uint32_t first = joins ? 2 : 0, y = two_inputs ? 6 : joins ? 0 : 3;
  struct quantum to = {1, 0, ARRAY_NONE};
  for (uint32_t i = first; i < (joins ? node->input_count : two_inputs ? 4 : 1); i += 3)
    if (!check_input(q, node, i, quantizing_in(q, node, i)))
      return false;
  if (y >= node->input_count || !quantizing_in(q, node, first))
    return graph_fail(q->error, node, "it has too few inputs");
  if (!quantizing_read(q, node, y, quantizing_of(q, quantizing_in(q, node, first)).type, &to))
    return false;
  int out = node->outputs[0];
  if (two_inputs)
    return quantizing_pair(q, node, (int[2]){node->inputs[0], node->inputs[3]},
                           graph_is(node, "QLinearMul") ? PAIR_PRODUCT : PAIR_SUM, out, &to, &all);
  if (joins)
    return concatenate(q, node, 2, 3, out, &to, &all);
  if (means && graph_int(node, "channels_last", 0))
    return graph_fail(q->error, node, "attribute channels_last 1 is not supported; 0 is");
  return means ? quantizing_pool(q, node, out, &to, &all) : quantizing_coded_table(q, node, &to);
}
