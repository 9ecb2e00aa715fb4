// deploy/lower/quantized.c: see quantized.h. The walk over the nodes, and what moves no number.
#include "deploy/lower/quantized.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "deploy/lower/picture.h"
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

// ---------------------------------------------------------------------------- shapes

// Reshape, Flatten, Squeeze, Unsqueeze: the elements stay.
static bool reshape(struct quantizing *q, const struct graph_node *node) {
  const struct array *a = quantizing_shape(q, node->outputs[0]);
  q->values[node->outputs[0]] = *quantizing_in(q, node, 0);
  if (!a->type)
    return graph_fail(q->error, node, "its shape must be constant");
  picture_become(q->net, quantizing_in(q, node, 0)->tensor, a);
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

static bool same_quantum(struct quantum a, struct quantum b) {
  return a.zero == b.zero && a.type == b.type && !(a.scale < b.scale) && !(a.scale > b.scale);
}

// Whether the node leaves codes as they are, which stand for `own`.
static bool keeps_codes(struct quantizing *q, const struct graph_node *node, struct quantum own) {
  struct quantum to = {1, 0, ARRAY_NONE};
  return graph_is(node, "Pad") || graph_is(node, "DequantizeLinear") ||
         (graph_is(node, "QuantizeLinear") && quantizing_read(q, node, 1, ARRAY_U8, &to) &&
          same_quantum(own, to));
}

// Whether a convolution alone reads the value, perhaps behind Quantize and Dequantize, and pads.
static bool merges(struct quantizing *q, int value) {
  const struct quantum own = quantizing_of(q, &q->values[value]);
  const struct graph_node *node = sole_reader(q, value);
  for (int hops = 0; hops < 4 && node; hops++) {
    bool average = graph_is(node, "AveragePool") && !graph_attr(node, "pads") &&
                   strcmp(graph_text(node, "auto_pad", "NOTSET"), "NOTSET") == 0 &&
                   !graph_int(node, "ceil_mode", 0);
    if (strstr(node->op, "Conv") || average)
      return true;
    bool through = has_ends(node) && keeps_codes(q, node, own);
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

static bool add_input(struct quantizing *q, int value, int coded, const struct quantum *quantum) {
  const struct array *a = &q->graph->values[value].array;
  bool last = a->rank > 2 && picture_comes_last(q->graph, value);
  char text[ARRAY_SHAPE_TEXT];
  struct net_tensor t;
  if (!picture_of(a, last, &t)) {
    q->error->status = EX_UNAVAILABLE;
    return net_fail(q->error,
                    "input '%.80s' is %s; one picture of known size, or a vector, is supported",
                    q->graph->values[value].name, array_shape_text(a, text));
  }
  int tensor = quantizing_tensor(q, value, quantum, t.h, t.w, t.c);
  q->net->tensors[tensor].planes = !last && t.c > 1;
  q->net->tensors[tensor].even = true;
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
