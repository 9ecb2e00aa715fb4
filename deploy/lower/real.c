// deploy/lower/real.c: see real.h.
#include "deploy/lower/real.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "deploy/lower/picture.h"
#include "deploy/lower/realize.h"
#include "deploy/memory.h"
#include "deploy/op/op.h"

// ---------------------------------------------------------------------------- functions

static bool add_function(struct realize *r, const struct graph_node *node,
                         struct real_layer numbers) {
  if (realize_input(r, node, 0) == NET_NONE || !realize_settle(r, node, 0))
    return false;
  const struct real_stream from = *realize_stream(r, node, 0);
  const struct net_tensor in = *realize_tensor(r, from.tensor);
  struct net_layer layer = realize_layer(r, node, NET_TABLE, &from.tensor, 1, in.h, in.w, in.c);
  realize_add(r, node, &layer, &numbers, from.order);
  return true;
}

static const struct {
  const char *op;
  enum real_function function;
  double alpha, beta; // where attributes are absent
} functions[] = {{"Sigmoid", REAL_SIGMOID, 0, 0},
                 {"Tanh", REAL_TANH, 0, 0},
                 {"HardSigmoid", REAL_HARD_SIGMOID, 0.2, 0.5},
                 {"HardSwish", REAL_HARD_SWISH, 0, 0},
                 {"LeakyRelu", REAL_LEAKY, 0.01, 0},
                 {"Elu", REAL_ELU, 1, 0},
                 {"Silu", REAL_SILU, 0, 0},
                 {"Gelu", REAL_GELU, 0, 0},
                 {"Mish", REAL_MISH, 0, 0},
                 {"Softplus", REAL_SOFTPLUS, 0, 0}};

static bool function(struct realize *r, const struct graph_node *node) {
  size_t i = 0;
  while (strcmp(functions[i].op, node->op) != 0) // one() has found it
    i++;
  if (strcmp(graph_text(node, "approximate", "none"), "none") != 0)
    return graph_fail(r->error, node, "attribute approximate: none is supported");
  struct real_layer n = realize_numbers();
  n.alpha = (float)graph_float(node, "alpha", functions[i].alpha);
  n.beta = (float)graph_float(node, "beta", functions[i].beta);
  n.function = functions[i].function;
  return add_function(r, node, n);
}

static bool limit(const struct realize *r, const struct graph_node *node, uint32_t input,
                  const char *name, float otherwise, float *to) {
  const struct array *a = graph_const(r->graph, node, input);
  bool given = input < node->input_count && node->inputs[input] != GRAPH_NONE;
  if (given && (!a || array_count(a) != 1))
    return graph_fail(r->error, node, "limits that are constants are supported");
  *to = (float)(a ? array_get(a, 0) : graph_float(node, name, (double)otherwise));
  *to = fabsf(*to) > 1e30F ? copysignf(INFINITY, *to) : *to;
  return true;
}

// Into the layer in front, behind its own clip; else a function.
static bool clip(struct realize *r, const struct graph_node *node) {
  struct real_layer n = realize_numbers();
  bool relu = graph_is(node, "Relu");
  n.low = relu ? 0 : n.low;
  if (realize_input(r, node, 0) == NET_NONE)
    return false;
  if (!relu && (!limit(r, node, 1, "min", -INFINITY, &n.low) ||
                !limit(r, node, 2, "max", INFINITY, &n.high)))
    return false;
  if (n.low > n.high)
    return graph_fail(r->error, node, "the minimum is above the maximum");
  int layer = realize_sole(r, node, 0);
  struct real_layer *to = layer < 0 ? NULL : &r->real->layers[layer];
  enum net_kind kind = layer < 0 ? NET_RESIZE : r->real->net->layers[layer].kind;
  if (!to || (!net_has_weights(kind) && kind != NET_ADD && kind != NET_TABLE) || n.low > to->high ||
      n.high < to->low)
    return add_function(r, node, n);
  to->low = fmaxf(to->low, n.low), to->high = fminf(to->high, n.high);
  return realize_alias(r, node, 0);
}

// ---------------------------------------------------------------------------- two inputs

// Whether b is one number for each channel of a, repeated along its other dimensions.
static bool is_vector_of(const struct realize *r, const struct graph_node *node, uint32_t a,
                         uint32_t b) {
  const struct array *x = realize_shape(r, node->inputs[a]), *y = realize_shape(r, node->inputs[b]);
  const struct real_stream *from = realize_stream(r, node, a);
  const struct net_tensor *map = realize_tensor(r, from->tensor),
                          *t = realize_tensor(r, realize_stream(r, node, b)->tensor);
  int channels = order_channels(map, from->order, x);
  if (t->h != 1 || t->w != 1 || t->c != map->c || channels < 0 || y->rank > x->rank)
    return false;
  for (int i = 0; i < y->rank; i++)
    if (y->dims[i] != (i + x->rank - y->rank == channels ? x->dims[channels] : 1))
      return false;
  return t->c == 1 || channels >= x->rank - y->rank;
}

static bool two_tensors(struct realize *r, const struct graph_node *node, enum net_kind kind) {
  if (realize_input(r, node, 0) == NET_NONE || realize_input(r, node, 1) == NET_NONE ||
      !realize_settle(r, node, 0) || !realize_settle(r, node, 1))
    return false;
  char x[ARRAY_SHAPE_TEXT], y[ARRAY_SHAPE_TEXT];
  const struct array *shapes[2] = {realize_shape(r, node->inputs[0]),
                                   realize_shape(r, node->inputs[1])};
  const struct real_stream *s[2] = {realize_stream(r, node, 0), realize_stream(r, node, 1)};
  const struct net_tensor t = *realize_tensor(r, s[0]->tensor),
                          u = *realize_tensor(r, s[1]->tensor);
  bool same = t.h == u.h && t.w == u.w && t.c == u.c && array_same_shape(shapes[0], shapes[1]) &&
              order_same(&t, s[0]->order, s[1]->order);
  bool product = kind == NET_MULTIPLY;
  int map = same || (product && is_vector_of(r, node, 0, 1)) ? 0
            : product && is_vector_of(r, node, 1, 0)         ? 1
                                                             : -1;
  if (map < 0)
    return graph_fail(r->error, node,
                      "tensors of %s and %s; equal shapes, and products by a vector of channels, "
                      "are supported",
                      array_shape_text(shapes[0], x), array_shape_text(shapes[1], y));
  int inputs[2] = {s[map]->tensor, s[1 - map]->tensor};
  const struct net_tensor *out = map ? &u : &t;
  struct order order = s[map]->order;
  struct net_layer layer = realize_layer(r, node, kind, inputs, 2, out->h, out->w, out->c);
  struct real_layer numbers = realize_numbers();
  realize_add(r, node, &layer, &numbers, order);
  return true;
}

// What a subtraction takes away, times -1: a layer of its own.
static int negated(struct realize *r, const struct graph_node *node) {
  const struct real_stream from = *realize_stream(r, node, 1);
  const struct net_tensor in = *realize_tensor(r, from.tensor);
  struct net_layer l =
      realize_before(r, node, "subtrahend", NET_DEPTHWISE, from.tensor, in.h, in.w);
  struct real_layer numbers = realize_numbers();
  l.groups = l.weight_count = in.c;
  numbers.weights = memory_new(in.c, sizeof *numbers.weights);
  for (uint32_t c = 0; c < in.c; c++)
    numbers.weights[c] = -1;
  real_add_layer(r->real, &l, &numbers);
  return l.output;
}

static bool subtract(struct realize *r, const struct graph_node *node) {
  if (realize_input(r, node, 1) == NET_NONE || !realize_settle(r, node, 1))
    return false;
  if (node->inputs[0] == node->inputs[1])
    return graph_fail(r->error, node, "two different tensors are supported");
  int kept = realize_stream(r, node, 1)->tensor; // others may read it
  realize_stream(r, node, 1)->tensor = negated(r, node);
  bool good = two_tensors(r, node, NET_ADD);
  realize_stream(r, node, 1)->tensor = kept;
  return good;
}

static bool arithmetic(struct realize *r, const struct graph_node *node) {
  if (node->input_count != 2)
    return graph_fail(r->error, node, "two inputs are supported");
  for (uint32_t i = 0; i < 2; i++) {
    if (graph_const(r->graph, node, i))
      return realize_affine(r, node, 1 - i);
  }
  if (graph_is(node, "Add") || graph_is(node, "Sum") || graph_is(node, "Mul"))
    return two_tensors(r, node, graph_is(node, "Mul") ? NET_MULTIPLY : NET_ADD);
  if (graph_is(node, "Sub"))
    return subtract(r, node);
  return graph_fail(r->error, node, "a constant operand is supported");
}

static bool concatenate(struct realize *r, const struct graph_node *node) {
  enum { MOST = 64 };
  int inputs[MOST] = {NET_NONE};
  uint32_t channels = 0;
  struct order order = order_first;
  if (!node->input_count || node->input_count > MOST)
    return graph_fail(r->error, node, "1 to %d tensors are supported", MOST);
  for (uint32_t i = 0; i < node->input_count; i++) {
    if (realize_input(r, node, i) == NET_NONE || !realize_settle(r, node, i))
      return false;
    const struct array *shape = realize_shape(r, node->inputs[i]);
    const struct real_stream *from = realize_stream(r, node, i);
    const struct net_tensor *t = realize_tensor(r, from->tensor);
    int64_t axis = graph_int(node, "axis", 1);
    axis += axis < 0 ? shape->rank : 0;
    bool first = order_is_picture(t, from->order, shape) && axis == 1;
    bool last = order_is_last(t, from->order, shape) && axis == shape->rank - 1;
    if ((!first && !last) || channels + t->c > 65535)
      return graph_fail(r->error, node,
                        "attribute axis: of the channels of pictures, 1, or the last behind a "
                        "Transpose, is supported; this is %lld",
                        (long long)axis);
    inputs[i] = from->tensor;
    order = first ? order_first : order_last;
    channels += t->c;
  }
  const struct net_tensor first = *realize_tensor(r, inputs[0]);
  struct net_layer layer =
      realize_layer(r, node, NET_CONCAT, inputs, node->input_count, first.h, first.w, channels);
  struct real_layer numbers = realize_numbers();
  realize_add(r, node, &layer, &numbers, order);
  return true;
}

// ---------------------------------------------------------------------------- shapes

// The elements keep their order; at the end, results where the largest stays.
static bool same(struct realize *r, const struct graph_node *node) {
  int value = node->outputs[0];
  bool end = graph_is(node, "Softmax") || graph_is(node, "LogSoftmax") || graph_is(node, "ArgMax");
  while (end && !graph_is_output(r->graph, value)) {
    int next = graph_consumer(r->graph, value);
    if (next == GRAPH_NONE || (!graph_is(&r->graph->nodes[next], "Identity") &&
                               !graph_is(&r->graph->nodes[next], "Reshape") &&
                               !graph_is(&r->graph->nodes[next], "Squeeze") &&
                               !graph_is(&r->graph->nodes[next], "Flatten")))
      return graph_fail(r->error, node,
                        "it stands inside the network; it is dropped at the end only");
    value = r->graph->nodes[next].outputs[0];
  }
  if (realize_input(r, node, 0) == NET_NONE || !realize_settle(r, node, 0))
    return false;
  if (graph_is(node, "Reshape") || graph_is(node, "Unsqueeze"))
    picture_become(r->real->net, realize_stream(r, node, 0)->tensor,
                   realize_shape(r, node->outputs[0]));
  return realize_alias(r, node, 0);
}

static bool cast(struct realize *r, const struct graph_node *node) {
  enum array_type to = realize_shape(r, node->outputs[0])->type;
  if (!array_type_is_float(to))
    return graph_fail(r->error, node, "attribute to: types of floats are supported");
  return realize_alias(r, node, 0);
}

static bool transpose(struct realize *r, const struct graph_node *node) {
  if (realize_input(r, node, 0) == NET_NONE || !realize_settle(r, node, 0))
    return false;
  struct real_stream to = *realize_stream(r, node, 0);
  if (!order_transpose(realize_tensor(r, to.tensor), to.order, realize_shape(r, node->inputs[0]),
                       node, &to.order))
    return graph_fail(r->error, node,
                      "attribute perm: of pictures whose channels, height and width have "
                      "dimensions of their own is supported");
  r->streams[node->outputs[0]] = to;
  return true;
}

static const struct {
  const char *op;
  bool (*make)(struct realize *, const struct graph_node *);
} ops[] = {{"Add", arithmetic},
           {"ArgMax", same},
           {"AveragePool", realize_pool},
           {"BatchNormalization", realize_norm},
           {"Cast", cast},
           {"Clip", clip},
           {"Concat", concatenate},
           {"Conv", realize_conv},
           {"ConvTranspose", realize_transposed},
           {"Div", arithmetic},
           {"Dropout", same},
           {"Elu", function},
           {"Flatten", same},
           {"Gelu", function},
           {"Gemm", realize_linear},
           {"GlobalAveragePool", realize_pool},
           {"GlobalMaxPool", realize_pool},
           {"HardSigmoid", function},
           {"HardSwish", function},
           {"Identity", same},
           {"LeakyRelu", function},
           {"LogSoftmax", same},
           {"MatMul", realize_linear},
           {"MaxPool", realize_pool},
           {"Mish", function},
           {"Mul", arithmetic},
           {"Pad", realize_pad},
           {"ReduceMax", realize_pool},
           {"ReduceMean", realize_pool},
           {"Relu", clip},
           {"Reshape", same},
           {"Resize", realize_resize},
           {"Sigmoid", function},
           {"Silu", function},
           {"Softmax", same},
           {"Softplus", function},
           {"Squeeze", same},
           {"Sub", arithmetic},
           {"Sum", arithmetic},
           {"Tanh", function},
           {"Transpose", transpose},
           {"Unsqueeze", same},
           {"Upsample", realize_resize}};
enum { OPS = sizeof ops / sizeof *ops };

static bool one(struct realize *r, const struct graph_node *node) {
  char list[NET_ERROR_TEXT] = "";
  for (size_t i = 0, used = 0; i < OPS; i++) {
    if (graph_is(node, ops[i].op) && node->output_count >= 1 && node->outputs[0] != GRAPH_NONE)
      return ops[i].make(r, node);
    used += (size_t)snprintf(list + used, sizeof list - used, " %s", ops[i].op);
  }
  return graph_fail(r->error, node,
                    "the operator is not supported in networks of real numbers; supported are%s",
                    list);
}

// ---------------------------------------------------------------------------- the whole

static bool add_input(struct realize *r) {
  char text[ARRAY_SHAPE_TEXT];
  if (r->graph->input_count != 1)
    return net_fail(r->error, "%u inputs; one is supported", r->graph->input_count);
  int value = r->graph->inputs[0];
  const struct graph_value *v = &r->graph->values[value];
  struct net_tensor t = {.name = v->name, .bits = 8};
  bool last = v->array.rank > 2 && picture_comes_last(r->graph, value);
  if (!picture_of(&v->array, last, &t))
    return net_fail(
        r->error,
        "input '%.80s' is %s; one picture, 1 x channels (x height) x width, or a vector "
        "is supported; what the file leaves open says --input-shape CxHxW",
        v->name, array_shape_text(&v->array, text));
  t.planes = !last && t.c > 1;
  int tensor = net_add_tensor(r->real->net, &t);
  r->streams[value] = (struct real_stream){tensor, last ? order_last : order_first, {0}};
  r->real->net->inputs = memory_copy(&tensor, 1, sizeof tensor);
  r->real->net->input_count = 1;
  return true;
}

static bool add_outputs(struct realize *r) {
  struct net *net = r->real->net;
  net->outputs = memory_new(r->graph->output_count, sizeof(int));
  for (uint32_t i = 0; i < r->graph->output_count; i++) {
    int tensor = r->streams[r->graph->outputs[i]].tensor;
    if (tensor == NET_NONE)
      return net_fail(r->error, "output '%.80s' is not computed",
                      r->graph->values[r->graph->outputs[i]].name);
    net->outputs[net->output_count++] = tensor;
  }
  return true;
}

static bool all(struct realize *r) {
  if (!add_input(r))
    return false;
  for (uint32_t i = 0; i < r->graph->node_count; i++)
    if (!r->graph->nodes[i].removed && !one(r, &r->graph->nodes[i]))
      return false;
  return add_outputs(r) && real_check(r->real, r->error);
}

struct real_net *lower_real(const char *name, struct graph *graph, const struct tidy_shape *shape,
                            struct net_error *error) {
  struct realize r = {.graph = graph, .real = real_new(name), .error = error};
  tidy_shapes(graph, shape);
  op_infer(graph);
  tidy_pieces(graph);
  op_infer(graph);
  tidy_idle(graph);
  r.real->quantizers = tidy_quantizers(graph);
  if (r.real->quantizers)
    op_infer(graph);
  tidy_functions(graph);
  tidy_dead(graph);
  uint32_t values = graph->value_count;
  r.streams = memory_new(values, sizeof *r.streams);
  for (uint32_t i = 0; i < values; i++)
    r.streams[i].tensor = NET_NONE;
  bool good = all(&r);
  free(r.streams);
  if (good)
    return r.real;
  if (error && !error->status)
    error->status = EX_UNAVAILABLE;
  real_free(r.real);
  return NULL;
}
