#include "deploy/lower/quantizing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "deploy/memory.h"
#include "deploy/op/op_quant.h"

struct coded *quantizing_in(const struct quantizing *q, const struct graph_node *node, uint32_t i) {
  if (i >= node->input_count || node->inputs[i] == GRAPH_NONE)
    return NULL;
  struct coded *value = &q->values[node->inputs[i]];
  return value->tensor == NET_NONE ? NULL : value;
}

struct quantum quantizing_of(const struct quantizing *q, const struct coded *value) {
  const struct net_tensor *t = &q->net->tensors[value->tensor];
  return (struct quantum){(float)t->scale, t->zero, t->is_signed ? ARRAY_I8 : ARRAY_U8};
}

bool quantizing_read(const struct quantizing *q, const struct graph_node *node, uint32_t i,
                     enum array_type type, struct quantum *to) {
  const struct array *scale = graph_const(q->graph, node, i);
  const struct array *zero = graph_const(q->graph, node, i + 1);
  bool given = i + 1 < node->input_count && node->inputs[i + 1] != GRAPH_NONE;
  if (!scale || array_count(scale) != 1 || (given && (!zero || array_count(zero) != 1)))
    return graph_fail(q->error, node,
                      "inputs %u and %u: one scale and one zero point that are constants are "
                      "supported for activations",
                      i, i + 1);
  *to = (struct quantum){(float)array_get(scale, 0), zero ? array_get_int(zero, 0) : 0,
                         zero ? zero->type : type};
  if (to->type != ARRAY_U8 && to->type != ARRAY_I8)
    return graph_fail(q->error, node, "codes of type %s; uint8 and int8 are supported",
                      array_type_name(to->type));
  return (to->scale > 0 && isfinite(to->scale)) ||
         graph_fail(q->error, node, "input %u: a scale of %g", i, (double)to->scale);
}

const struct graph_node *quantizing_producer(const struct quantizing *q, int value) {
  int number = value == GRAPH_NONE ? GRAPH_NONE : graph_producer(q->graph, value);
  return number == GRAPH_NONE ? NULL : &q->graph->nodes[number];
}

const struct graph_node *quantizing_sole(const struct quantizing *q, int value) {
  return value == GRAPH_NONE || graph_consumer(q->graph, value) == GRAPH_NONE
             ? NULL
             : quantizing_producer(q, value);
}

void quantizing_use(struct quantizing *q, const struct graph_node *node) {
  q->used[node - q->graph->nodes] = true;
}

int quantizing_tensor(struct quantizing *q, int value, const struct quantum *quantum, uint32_t h,
                      uint32_t w, uint32_t c) {
  struct net_tensor t = {.name = q->graph->values[value].name, .h = h, .w = w, .c = c, .bits = 8};
  t.is_signed = quantum->type == ARRAY_I8;
  t.scale = (double)quantum->scale, t.zero = (int32_t)quantum->zero;
  return net_add_tensor(q->net, &t);
}

struct net_layer quantizing_layer(const char *name, enum net_kind kind, const int *inputs,
                                  uint32_t count) {
  return net_plain_layer(kind, memory_text(name), inputs, count);
}

void quantizing_drop(struct net_layer *l) {
  free(l->name);
  free(l->inputs);
  free(l->weights);
  free(l->weight_zero);
  free(l->scaled);
  free(l->table);
  free(l->requant.kappa);
  free(l->requant.lambda);
  free(l->requant.thresholds);
}

void quantizing_add(struct quantizing *q, struct net_layer *layer, int value, int tensor,
                    struct order order) {
  layer->output = tensor;
  net_add_layer(q->net, layer);
  q->values[value] = (struct coded){.tensor = tensor, .order = order};
}

const struct array *quantizing_shape(const struct quantizing *q, int value) {
  return &q->graph->values[value].array;
}

bool quantizing_picture(const struct quantizing *q, int value) {
  const struct coded *from = &q->values[value];
  struct net_tensor padded = q->net->tensors[from->tensor];
  padded.h += from->pad[0] + from->pad[2], padded.w += from->pad[1] + from->pad[3];
  return order_is_picture(&padded, from->order, quantizing_shape(q, value));
}

struct net_layer quantizing_unit(const char *name, int input, uint32_t channels) {
  struct net_layer l = quantizing_layer(name, NET_DEPTHWISE, &input, 1);
  l.weights = memory_new(channels, 1);
  l.weight_count = channels;
  memset(l.weights, 1, channels);
  return l;
}

void quantizing_codes(const struct quantum *to, const struct span *span, int32_t *low,
                      int32_t *high) {
  float least = (float)fmax(span->low, -3e38), most = (float)fmin(span->high, 3e38);
  *low = (int32_t)quant_of_real(least, to->scale, to->zero, to->type);
  *high = (int32_t)quant_of_real(most, to->scale, to->zero, to->type);
}
