// deploy/lower/quantized.c: see quantized.h. The walk over the nodes, and what moves no number.
#include "deploy/lower/quantized.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "deploy/lower/quantizing.h"
#include "deploy/lower/tidy.h"
#include "deploy/lower/window.h"
#include "deploy/memory.h"
#include "deploy/op/op.h"
#include "deploy/op/op_quant.h"

static bool has_ends(const struct graph_node *node) {
  return node->input_count && node->inputs[0] != GRAPH_NONE && node->output_count &&
         node->outputs[0] != GRAPH_NONE;
}

bool quantized_is(const struct graph *graph) {
  for (uint32_t i = 0; i < graph->node_count; i++) {
    const struct graph_node *node = &graph->nodes[i];
    if (strncmp(node->op, "QLinear", 7) == 0 || graph_is(node, "QGemm") ||
        graph_is(node, "QuantizeLinear") || graph_is(node, "DequantizeLinear") ||
        graph_is(node, "ConvInteger") || graph_is(node, "MatMulInteger") ||
        graph_is(node, "DynamicQuantizeLinear"))
      return true;
  }
  return false;
}

// ---------------------------------------------------------------------------- values

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

// ---------------------------------------------------------------------------- shapes

// An input that nothing has read may be a vector in the file, and a picture of one channel behind.
static void become_picture(struct quantizing *q, const struct coded *from, const struct array *to) {
  struct net_tensor *t = &q->net->tensors[from->tensor];
  bool first = to->rank > 2 && to->dims[1] == 1;
  bool last = to->rank > 2 && to->dims[to->rank - 1] == 1;
  if (from->tensor != q->net->inputs[0] || t->h != 1 || t->w != 1 || q->net->layer_count ||
      (!first && !last) || to->rank > 4 || to->dims[0] != 1)
    return;
  const int64_t *size = to->dims + (first ? 2 : 1);
  t->c = 1, t->h = to->rank == 4 ? (uint32_t)size[0] : 1;
  t->w = (uint32_t)size[to->rank - 3];
}

// Reshape, Flatten, Squeeze, Unsqueeze: the elements stay.
static bool reshape(struct quantizing *q, const struct graph_node *node) {
  const struct array *a = quantizing_shape(q, node->outputs[0]);
  q->values[node->outputs[0]] = *quantizing_in(q, node, 0);
  if (!a->type)
    return graph_fail(q->error, node, "its shape must be constant");
  become_picture(q, quantizing_in(q, node, 0), a);
  return true;
}

static bool transpose(struct quantizing *q, const struct graph_node *node) {
  const struct coded *from = quantizing_in(q, node, 0);
  struct coded *to = &q->values[node->outputs[0]];
  *to = *from;
  return order_transpose(&q->net->tensors[from->tensor], from->order,
                         quantizing_shape(q, node->inputs[0]), node, &to->order) ||
         graph_fail(q->error, node,
                    "attribute perm: of pictures whose channels, height and width have dimensions "
                    "of their own is supported");
}

// ---------------------------------------------------------------------------- padding

static const struct graph_node *sole_reader(const struct quantizing *q, int value) {
  int next = value == GRAPH_NONE ? GRAPH_NONE : graph_consumer(q->graph, value);
  return next == GRAPH_NONE ? NULL : &q->graph->nodes[next];
}

// Whether a convolution alone reads the value, perhaps behind Quantize and Dequantize, and pads.
static bool merges(const struct quantizing *q, int value) {
  const struct graph_node *node = sole_reader(q, value);
  for (int hops = 0; hops < 4 && node; hops++) {
    bool average = graph_is(node, "AveragePool") && !graph_attr(node, "pads") &&
                   strcmp(graph_text(node, "auto_pad", "NOTSET"), "NOTSET") == 0 &&
                   !graph_int(node, "ceil_mode", 0);
    if (strstr(node->op, "Conv") || average)
      return true;
    bool through = graph_is(node, "QuantizeLinear") || graph_is(node, "DequantizeLinear") ||
                   graph_is(node, "Pad");
    node = through && node->output_count ? sole_reader(q, node->outputs[0]) : NULL;
  }
  return false;
}

// Zeros around the picture as a layer of its own, whose codes are the input's.
static void settle(struct quantizing *q, const struct graph_node *node) {
  int value = node->outputs[0];
  const struct coded from = q->values[value];
  const struct net_tensor in = q->net->tensors[from.tensor];
  struct quantum same = quantizing_of(q, &from);
  struct net_layer l = quantizing_unit(node->name, from.tensor, in.c);
  l.pad_top = (uint8_t)from.pad[0], l.pad_left = (uint8_t)from.pad[1];
  l.pad_bottom = (uint8_t)from.pad[2], l.pad_right = (uint8_t)from.pad[3];
  l.pad_value = in.zero;
  struct net_requant *rq = &l.requant;
  rq->kind = NET_NORM;
  rq->low = in.is_signed ? -128 : 0, rq->high = rq->low + 255;
  rq->kappa = memory_copy(&(int32_t){1}, 1, sizeof(int32_t));
  rq->lambda = memory_new(in.c, sizeof *rq->lambda);
  int out = quantizing_tensor(q, value, &same, in.h + from.pad[0] + from.pad[2],
                              in.w + from.pad[1] + from.pad[3], in.c);
  quantizing_add(q, &l, value, out, from.order);
  q->values[value].real = from.real;
}

static bool pad(struct quantizing *q, const struct graph_node *node) {
  const struct coded *from = quantizing_in(q, node, 0);
  const struct array *shape = quantizing_shape(q, node->inputs[0]);
  struct coded *to = &q->values[node->outputs[0]];
  bool first = quantizing_picture(q, node->inputs[0]);
  double zero = from->real ? 0 : (double)quantizing_of(q, from).zero;
  *to = *from;
  if (!first && !order_is_last(&q->net->tensors[from->tensor], from->order, shape))
    return graph_fail(q->error, node, "padding of pictures is supported");
  if (!window_padding(q->graph, node, shape->rank, !first, zero, to->pad, q->error))
    return false;
  if (!first || !merges(q, node->outputs[0]))
    settle(q, node);
  return true;
}

// ---------------------------------------------------------------------------- inputs

// The shape of the file's value as height, width, channels.
static bool picture_of(const struct array *a, bool last, uint32_t hwc[3]) {
  int64_t dims[4] = {1, 1, 1, 1}; // n, c, h, w
  if (a->rank < 1 || a->rank > 4)
    return false;
  dims[0] = a->rank > 1 ? a->dims[0] : 1;
  dims[1] = a->dims[a->rank > 1 ? 1 : 0];
  dims[2] = a->rank == 4 ? a->dims[2] : 1;
  dims[3] = a->rank > 2 ? a->dims[a->rank - 1] : 1;
  if (last) {
    int64_t c = dims[3];
    dims[3] = dims[2], dims[2] = dims[1], dims[1] = c;
  }
  for (int i = 1; i < 4; i++) {
    if (dims[i] < 1 || dims[i] > 65535)
      return false;
    hwc[i == 1 ? 2 : i - 2] = (uint32_t)dims[i];
  }
  return dims[0] == 1;
}

// Whether a picture is turned to channels first behind its first nodes.
static bool comes_last(const struct quantizing *q, int value) {
  for (int hops = 0; hops < 3; hops++) {
    int next = graph_consumer(q->graph, value);
    if (next == GRAPH_NONE)
      return false;
    const struct graph_node *node = &q->graph->nodes[next];
    const struct graph_attr *perm = graph_attr(node, "perm");
    if (graph_is(node, "Transpose"))
      return perm && perm->kind == GRAPH_INTS && perm->count == 4 && perm->ints[1] == 3 &&
             perm->ints[3] == 2;
    if ((!graph_is(node, "QuantizeLinear") && !graph_is(node, "DequantizeLinear")) ||
        !has_ends(node))
      return false;
    value = node->outputs[0];
  }
  return false;
}

static bool add_input(struct quantizing *q, int value, int coded, const struct quantum *quantum) {
  const struct array *a = &q->graph->values[value].array;
  bool last = a->rank == 4 && comes_last(q, value);
  char text[ARRAY_SHAPE_TEXT];
  uint32_t hwc[3];
  if (!picture_of(a, last, hwc)) {
    q->error->status = EX_UNAVAILABLE;
    return net_fail(q->error,
                    "input '%.80s' is %s; one picture of known size, or a vector, is supported",
                    q->graph->values[value].name, array_shape_text(a, text));
  }
  int tensor = quantizing_tensor(q, value, quantum, hwc[0], hwc[1], hwc[2]);
  q->net->tensors[tensor].planes = !last && hwc[2] > 1;
  graph_list(&q->net->inputs, &q->net->input_count, tensor);
  q->values[coded] = (struct coded){.tensor = tensor, .order = last ? order_last : order_first};
  return true;
}

// Codes from outside: their scale is that of the DequantizeLinear or QLinear... that reads them.
static bool add_coded_input(struct quantizing *q, int value) {
  enum array_type type = q->graph->values[value].array.type;
  for (uint32_t i = 0; i < q->graph->node_count; i++) {
    const struct graph_node *node = &q->graph->nodes[i];
    bool reads = !node->removed && node->input_count && node->inputs[0] == value;
    struct quantum quantum = {1, 0, type};
    if (!reads)
      continue;
    if (graph_is(node, "ConvInteger") || graph_is(node, "MatMulInteger")) {
      const struct array *zero = graph_const(q->graph, node, 2);
      quantum.zero = zero && array_count(zero) == 1 ? array_get_int(zero, 0) : 0;
    } else if (!graph_is(node, "DequantizeLinear") && strncmp(node->op, "Q", 1) != 0) {
      continue;
    } else if (!quantizing_read(q, node, 1, type, &quantum)) {
      return false;
    }
    return add_input(q, value, value, &quantum);
  }
  q->error->status = EX_UNAVAILABLE;
  return net_fail(q->error, "input '%.80s': nothing says what its codes stand for",
                  q->graph->values[value].name);
}

// ---------------------------------------------------------------------------- Quantize, Dequantize

static bool same_quantum(struct quantum a, struct quantum b) {
  return a.zero == b.zero && a.type == b.type && !(a.scale < b.scale) && !(a.scale > b.scale);
}

// Activations in front of QuantizeLinear: the operator's value, and what they leave of it.
static int unclipped(struct quantizing *q, int value, struct span *span) {
  for (;;) {
    const struct graph_node *node = quantizing_sole(q, value);
    if (!node || !has_ends(node) || q->values[value].tensor != NET_NONE)
      return value;
    bool relu = graph_is(node, "Relu"), clip = graph_is(node, "Clip");
    const struct array *low = graph_const(q->graph, node, 1);
    const struct array *high = graph_const(q->graph, node, 2);
    bool fixed = (node->input_count < 2 || node->inputs[1] == GRAPH_NONE || low) &&
                 (node->input_count < 3 || node->inputs[2] == GRAPH_NONE || high);
    if (clip && fixed) { // what is in front is clipped by what follows
      double l = low ? array_get(low, 0) : graph_float(node, "min", -INFINITY);
      double h = high ? array_get(high, 0) : graph_float(node, "max", INFINITY);
      span->low = fmin(fmax(l, span->low), span->high);
      span->high = fmax(fmin(h, span->high), span->low);
    } else if (relu) {
      span->low = fmin(fmax(0, span->low), span->high);
    } else if (!graph_is(node, "Identity") && !graph_is(node, "Dropout")) {
      return value;
    }
    quantizing_use(q, node);
    value = node->inputs[0];
  }
}

static bool is_graph_input(const struct quantizing *q, int value) {
  for (uint32_t i = 0; i < q->graph->input_count; i++)
    if (q->graph->inputs[i] == value)
      return true;
  return false;
}

static bool quantize(struct quantizing *q, const struct graph_node *node) {
  int out = node->outputs[0], value = node->inputs[0];
  struct span span = {-INFINITY, INFINITY};
  struct quantum to = {1, 0, ARRAY_NONE};
  bool known = false;
  if (!quantizing_read(q, node, 1, ARRAY_U8, &to))
    return false;
  if (is_graph_input(q, value) && q->values[value].tensor == NET_NONE)
    return add_input(q, value, out, &to);
  if (!quantizing_table(q, value, out, &to, &span, &known))
    return false;
  if (known)
    return true;
  value = unclipped(q, value, &span);
  const struct coded *from = &q->values[value];
  if (from->tensor != NET_NONE && from->real && same_quantum(quantizing_of(q, from), to) &&
      isinf(span.low) && isinf(span.high)) {
    q->values[out] = *from;
    q->values[out].real = false;
    return true;
  }
  const struct graph_node *producer = quantizing_producer(q, value);
  if (!quantizing_linear(q, value, out, &to, &span, &known) ||
      (!known && !quantizing_other(q, value, out, &to, &span, &known)))
    return false;
  if (known)
    return true;
  return graph_fail(q->error, producer ? producer : node,
                    "its result is quantized, but it is none of Conv, Gemm, MatMul (with constant "
                    "Add, Mul, BatchNormalization), ConvInteger, MatMulInteger, Add, Mul, Concat, "
                    "pools, and functions of one tensor");
}

static bool dequantize(struct quantizing *q, const struct graph_node *node) {
  const struct coded *from = quantizing_in(q, node, 0);
  struct quantum said = {1, 0, ARRAY_NONE};
  if (graph_const(q->graph, node, 0))
    return true; // weights
  if (!from)
    return true; // behind the last layer, or to be refused
  const struct quantum own = quantizing_of(q, from);
  if (!quantizing_read(q, node, 1, own.type, &said))
    return false;
  if (q->net->tensors[from->tensor].bits != 8 || !same_quantum(own, said))
    return graph_fail(q->error, node,
                      "its scale and zero point are not those that its input was "
                      "quantized with");
  q->values[node->outputs[0]] = *from;
  q->values[node->outputs[0]].real = true;
  return true;
}

// ---------------------------------------------------------------------------- the walk

static bool maximum(struct quantizing *q, const struct graph_node *node) {
  bool known;
  int out = node->outputs[0];
  const struct coded *from = quantizing_in(q, node, 0);
  const struct quantum same = quantizing_of(q, from);
  const struct span all = {-INFINITY, INFINITY};
  bool real = from->real;
  if (!quantizing_other(q, out, out, &same, &all, &known))
    return false;
  q->values[out].real = real;
  return known || graph_fail(q->error, node, "of this kind it is not supported");
}

static const struct {
  const char *op;
  bool (*lower)(struct quantizing *q, const struct graph_node *node);
} moves[] = {{"Reshape", reshape},   {"Flatten", reshape},     {"Squeeze", reshape},
             {"Unsqueeze", reshape}, {"Transpose", transpose}, {"Pad", pad},
             {"MaxPool", maximum},   {"ReduceMax", maximum},   {"GlobalMaxPool", maximum},
             {"Resize", maximum},    {"Upsample", maximum}};

// Nodes that read codes, or the numbers they stand for, and move them; others wait for their
// QuantizeLinear.
static bool lower_node(struct quantizing *q, const struct graph_node *node) {
  bool known = false;
  if (!has_ends(node))
    return true;
  if (graph_is(node, "QuantizeLinear") || graph_is(node, "DequantizeLinear")) {
    quantizing_use(q, node);
    return graph_is(node, "QuantizeLinear") ? quantize(q, node) : dequantize(q, node);
  }
  for (size_t i = 0; i < sizeof moves / sizeof *moves; i++)
    if (graph_is(node, moves[i].op) && quantizing_in(q, node, 0)) {
      quantizing_use(q, node);
      return moves[i].lower(q, node);
    }
  if ((graph_is(node, "Identity") || graph_is(node, "Dropout")) && quantizing_in(q, node, 0)) {
    quantizing_use(q, node);
    q->values[node->outputs[0]] = *quantizing_in(q, node, 0);
    return true;
  }
  if (!quantizing_qlinear(q, node, &known) || (!known && !quantizing_microsoft(q, node, &known)))
    return false;
  if (known)
    quantizing_use(q, node);
  return true;
}

// What only orders, or keeps the order of, the network's results.
static bool keeps_order(const struct graph_node *node) {
  static const char *const ops[] = {
      "Softmax",          "LogSoftmax",     "Sigmoid",       "Identity",  "ArgMax",
      "Reshape",          "Flatten",        "Squeeze",       "Unsqueeze", "Cast",
      "DequantizeLinear", "QLinearSoftmax", "QLinearSigmoid"};
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
    if (graph_is(node, ops[i]))
      return true;
  return false;
}

static bool add_output(struct quantizing *q, int value) {
  const struct graph_node *node = quantizing_producer(q, value);
  bool known = false;
  while (q->values[value].tensor == NET_NONE && node) {
    if (!quantizing_sums(q, value, &known))
      return false;
    if (known)
      break;
    if (!keeps_order(node) || !has_ends(node))
      return graph_fail(q->error, node,
                        "it gives a result in floats; QuantizeLinear behind it, or "
                        "Softmax, LogSoftmax, Sigmoid, ArgMax, are supported");
    quantizing_use(q, node);
    value = node->inputs[0];
    node = quantizing_producer(q, value);
  }
  int tensor = q->values[value].tensor;
  if (tensor == NET_NONE)
    return net_fail(q->error, "output '%.80s' is not computed", q->graph->values[value].name);
  for (uint32_t i = 0; i < q->net->output_count; i++)
    if (q->net->outputs[i] == tensor)
      return true;
  graph_list(&q->net->outputs, &q->net->output_count, tensor);
  return true;
}

// A node that no layer has taken in, and that is not idle.
static bool check_used(const struct quantizing *q) {
  for (uint32_t i = 0; i < q->graph->node_count; i++) {
    const struct graph_node *node = &q->graph->nodes[i];
    bool read = false;
    for (uint32_t o = 0; o < node->output_count; o++)
      for (uint32_t k = 0; k < q->graph->node_count && node->outputs[o] != GRAPH_NONE; k++)
        for (uint32_t j = 0; j < q->graph->nodes[k].input_count; j++)
          read |= !q->graph->nodes[k].removed && q->graph->nodes[k].inputs[j] == node->outputs[o];
    if (!node->removed && !q->used[i] && read)
      return graph_fail(q->error, node,
                        "it stands between quantized operators without its own "
                        "QuantizeLinear and DequantizeLinear; not supported");
  }
  return true;
}

// Scales that every input has of its own are nothing that integers could be made of beforehand.
static bool check_static(const struct quantizing *q) {
  for (uint32_t i = 0; i < q->graph->node_count; i++) {
    const struct graph_node *node = &q->graph->nodes[i];
    if (!node->removed && strncmp(node->op, "Dynamic", 7) == 0)
      return graph_fail(q->error, node,
                        "its scale follows from each input; constant scales (static quantization) "
                        "are supported");
  }
  return true;
}

static bool walk(struct quantizing *q) {
  bool ok = check_static(q);
  for (uint32_t i = 0; ok && i < q->graph->input_count; i++) {
    const struct graph_value *v = &q->graph->values[q->graph->inputs[i]];
    if (v->array.type == ARRAY_U8 || v->array.type == ARRAY_I8)
      ok = add_coded_input(q, q->graph->inputs[i]);
  }
  for (uint32_t i = 0; ok && i < q->graph->node_count; i++)
    ok = q->graph->nodes[i].removed || lower_node(q, &q->graph->nodes[i]);
  for (uint32_t i = 0; ok && i < q->graph->output_count; i++)
    ok = add_output(q, q->graph->outputs[i]);
  return ok && check_used(q) && net_check(q->net, q->error);
}

struct net *quantized_lower(const char *name, struct graph *graph, struct net_error *error) {
  struct quantizing q = {.graph = graph, .net = net_new(name), .error = error};
  tidy_pieces(graph);
  q.values = memory_new(graph->value_count, sizeof *q.values);
  q.used = memory_new(graph->node_count, sizeof *q.used);
  for (uint32_t i = 0; i < graph->value_count; i++)
    q.values[i].tensor = NET_NONE;
  tidy_shapes(graph, &(struct tidy_shape){0, 0, 0});
  op_infer(graph);
  tidy_idle(graph);
  tidy_dead(graph);
  bool ok = walk(&q);
  free(q.values);
  free(q.used);
  if (ok)
    return q.net;
  if (!error->status)
    error->status = EX_UNAVAILABLE;
  net_free(q.net);
  return NULL;
}
