// deploy/lower/real.c: see real.h.
#include "deploy/lower/real.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "deploy/lower/fold.h"
#include "deploy/lower/realize.h"
#include "deploy/lower/window.h"
#include "deploy/memory.h"

static bool is(const struct graph_node *node, const char *op) {
  return strcmp(node->op, op) == 0;
}

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

struct net_layer realize_layer(struct realize *r, const struct graph_node *node, enum net_kind kind,
                               const int *inputs, uint32_t count, uint32_t h, uint32_t w,
                               uint32_t c) {
  struct net_tensor t = {
      .name = r->graph->values[node->outputs[0]].name, .h = h, .w = w, .c = c, .bits = 8};
  return (struct net_layer){.name = memory_text(node->name),
                            .kind = kind,
                            .inputs = memory_copy(inputs, count, sizeof *inputs),
                            .input_count = count,
                            .output = net_add_tensor(r->real->net, &t),
                            .kernel_h = 1,
                            .kernel_w = 1,
                            .stride_h = 1,
                            .stride_w = 1,
                            .dilation_h = 1,
                            .dilation_w = 1,
                            .groups = 1};
}

struct real_layer realize_numbers(void) {
  return (struct real_layer){.low = -INFINITY, .high = INFINITY};
}

void realize_add(struct realize *r, const struct graph_node *node, const struct net_layer *layer,
                 const struct real_layer *numbers) {
  real_add_layer(r->real, layer, numbers);
  r->streams[node->outputs[0]] = (struct real_stream){.tensor = layer->output};
}

int realize_open(const struct realize *r, const struct graph_node *node, uint32_t input,
                 bool weights) {
  const struct net *net = r->real->net;
  int last = (int)net->layer_count - 1;
  while (last >= 0 && net->layers[last].output != realize_stream(r, node, input)->tensor)
    last--;
  if (last < 0 || graph_consumer(r->graph, node->inputs[input]) == GRAPH_NONE ||
      graph_is_output(r->graph, node->inputs[input]))
    return NET_NONE;
  const struct real_layer *numbers = &r->real->layers[last];
  bool open = isinf(numbers->low) && isinf(numbers->high) && numbers->function == REAL_IDENTITY;
  bool kind =
      net_has_weights(net->layers[last].kind) ||
      (!weights && (net->layers[last].kind == NET_ADD || net->layers[last].kind == NET_TABLE));
  return open && kind ? last : NET_NONE;
}

bool realize_alias(struct realize *r, const struct graph_node *node, uint32_t input) {
  if (realize_input(r, node, input) == NET_NONE)
    return false;
  r->streams[node->outputs[0]] = *realize_stream(r, node, input);
  return true;
}

// ---------------------------------------------------------------------------- functions

static bool add_function(struct realize *r, const struct graph_node *node, uint32_t input,
                         struct real_layer numbers) {
  int tensor = realize_input(r, node, input);
  if (tensor == NET_NONE)
    return false;
  const struct net_tensor in = *realize_tensor(r, tensor);
  struct net_layer layer = realize_layer(r, node, NET_TABLE, &tensor, 1, in.h, in.w, in.c);
  realize_add(r, node, &layer, &numbers);
  return true;
}

static bool function(struct realize *r, const struct graph_node *node) {
  struct real_layer n = realize_numbers();
  n.alpha = (float)graph_float(node, "alpha", is(node, "HardSigmoid") ? 0.2 : 0.01);
  n.beta = (float)graph_float(node, "beta", 0.5);
  n.function = is(node, "Sigmoid")       ? REAL_SIGMOID
               : is(node, "Tanh")        ? REAL_TANH
               : is(node, "HardSigmoid") ? REAL_HARD_SIGMOID
               : is(node, "HardSwish")   ? REAL_HARD_SWISH
                                         : REAL_LEAKY;
  return add_function(r, node, 0, n);
}

static bool clip_range(const struct realize *r, const struct graph_node *node, float *low,
                       float *high) {
  const struct array *least = graph_const(r->graph, node, 1),
                     *most = graph_const(r->graph, node, 2);
  *low = 0, *high = INFINITY;
  if (is(node, "Relu"))
    return true;
  *low = (float)(least ? array_get(least, 0) : graph_float(node, "min", -INFINITY));
  *high = (float)(most ? array_get(most, 0) : graph_float(node, "max", INFINITY));
  *low = *low < -1e30f ? -INFINITY : *low, *high = *high > 1e30f ? INFINITY : *high;
  return *low <= *high || graph_fail(r->error, node, "the minimum is above the maximum");
}

// Behind a layer that is still open, its clip; else a function.
static bool clip(struct realize *r, const struct graph_node *node) {
  struct real_layer n = realize_numbers();
  if (realize_input(r, node, 0) == NET_NONE || !clip_range(r, node, &n.low, &n.high))
    return false;
  int layer = realize_open(r, node, 0, false);
  if (layer == NET_NONE)
    return add_function(r, node, 0, n);
  r->real->layers[layer].low = n.low, r->real->layers[layer].high = n.high;
  return realize_alias(r, node, 0);
}

static bool is_constant(const struct realize *r, const struct graph_node *node, double value,
                        uint32_t *other) {
  for (uint32_t i = 0; i < 2 && node->input_count == 2; i++) {
    const struct array *c = graph_const(r->graph, node, i);
    if (c && array_count(c) == 1 && fabs(array_get(c, 0) - value) < 1e-6) {
      *other = 1 - i;
      return true;
    }
  }
  return false;
}

static const struct graph_node *reader(const struct realize *r, const struct graph_node *node,
                                       const char *op) {
  int next = graph_consumer(r->graph, node->outputs[0]);
  if (next == GRAPH_NONE || !is(&r->graph->nodes[next], op))
    return NULL;
  return &r->graph->nodes[next];
}

// Add(x, 3), Clip(0, 6), Mul(x, .), Div(., 6) or Mul(., 1 / 6). The chain's last node; NULL: no.
static const struct graph_node *hard_swish(const struct realize *r, const struct graph_node *node,
                                           uint32_t *input) {
  float low, high;
  uint32_t other;
  if (!is(node, "Add") || !is_constant(r, node, 3, input))
    return NULL;
  const struct graph_node *limit = reader(r, node, "Clip");
  const struct graph_node *product = limit ? reader(r, limit, "Mul") : NULL;
  if (!product || !clip_range(r, limit, &low, &high) || fabsf(low) > 0 || fabsf(high - 6) > 1e-6f ||
      (product->inputs[0] != node->inputs[*input] && product->inputs[1] != node->inputs[*input]))
    return NULL;
  const struct graph_node *last = reader(r, product, "Div");
  if (last && is_constant(r, last, 6, &other) && other == 0)
    return last;
  last = reader(r, product, "Mul");
  return last && is_constant(r, last, 1.0 / 6, &other) ? last : NULL;
}

static bool take_hard_swish(struct realize *r, const struct graph_node *node, uint32_t input,
                            const struct graph_node *last) {
  struct real_layer n = realize_numbers();
  n.function = REAL_HARD_SWISH;
  const struct graph_node *limit = reader(r, node, "Clip"), *product = reader(r, limit, "Mul");
  if (!add_function(r, node, input, n))
    return false;
  r->streams[last->outputs[0]] = r->streams[node->outputs[0]];
  r->done[limit - r->graph->nodes] = r->done[product - r->graph->nodes] = true;
  r->done[last - r->graph->nodes] = true;
  return true;
}

// ---------------------------------------------------------------------------- two inputs

static bool vector_of(const struct net_tensor *t, const struct net_tensor *map) {
  return t->h == 1 && t->w == 1 && t->c == map->c;
}

static bool two_tensors(struct realize *r, const struct graph_node *node, enum net_kind kind) {
  int inputs[2] = {realize_input(r, node, 0), realize_input(r, node, 1)};
  if (inputs[0] == NET_NONE || inputs[1] == NET_NONE)
    return false;
  const struct net_tensor *a = realize_tensor(r, inputs[0]), *b = realize_tensor(r, inputs[1]);
  if (kind == NET_MULTIPLY && vector_of(a, b) && !vector_of(b, a)) {
    const struct net_tensor *first = a;
    int number = inputs[0];
    inputs[0] = inputs[1], inputs[1] = number, a = b, b = first;
  }
  bool same = a->h == b->h && a->w == b->w && a->c == b->c;
  if (!same && !(kind == NET_MULTIPLY && vector_of(b, a)))
    return graph_fail(r->error, node,
                      "tensors of %u x %u x %u and %u x %u x %u; equal shapes, and "
                      "products by a vector of channels, are supported",
                      a->c, a->h, a->w, b->c, b->h, b->w);
  uint32_t h = a->h, w = a->w, c = a->c;
  struct net_layer layer = realize_layer(r, node, kind, inputs, 2, h, w, c);
  struct real_layer numbers = realize_numbers();
  realize_add(r, node, &layer, &numbers);
  return true;
}

static bool arithmetic(struct realize *r, const struct graph_node *node) {
  uint32_t input = 0;
  const struct graph_node *last = hard_swish(r, node, &input);
  if (last)
    return take_hard_swish(r, node, input, last);
  for (uint32_t i = 0; i < 2 && node->input_count == 2; i++) {
    if (graph_const(r->graph, node, i))
      return realize_affine(r, node, 1 - i, graph_const(r->graph, node, i));
  }
  if (is(node, "Add") || is(node, "Mul"))
    return two_tensors(r, node, is(node, "Add") ? NET_ADD : NET_MULTIPLY);
  return graph_fail(r->error, node, "a constant operand is supported");
}

static bool concatenate(struct realize *r, const struct graph_node *node) {
  enum { MOST = 64 };
  int inputs[MOST] = {NET_NONE};
  uint32_t channels = 0;
  if (!node->input_count || node->input_count > MOST ||
      (graph_int(node, "axis", 1) != 1 && graph_int(node, "axis", 1) != -3))
    return graph_fail(r->error, node, "up to 64 tensors, along the channels, are supported");
  for (uint32_t i = 0; i < node->input_count; i++) {
    inputs[i] = realize_input(r, node, i);
    if (inputs[i] == NET_NONE)
      return false;
    channels += realize_tensor(r, inputs[i])->c;
  }
  const struct net_tensor first = *realize_tensor(r, inputs[0]);
  struct net_layer layer =
      realize_layer(r, node, NET_CONCAT, inputs, node->input_count, first.h, first.w, channels);
  struct real_layer numbers = realize_numbers();
  realize_add(r, node, &layer, &numbers);
  return true;
}

// ---------------------------------------------------------------------------- pools and shapes

static bool pool(struct realize *r, const struct graph_node *node) {
  bool whole = is(node, "GlobalAveragePool") || is(node, "GlobalMaxPool") || is(node, "ReduceMean");
  bool most = is(node, "MaxPool") || is(node, "GlobalMaxPool");
  int input = realize_input(r, node, 0);
  if (input == NET_NONE)
    return false;
  const struct net_tensor in = *realize_tensor(r, input);
  struct net_layer window = {.kernel_h = (uint8_t)in.h,
                             .kernel_w = (uint8_t)in.w,
                             .stride_h = 1,
                             .stride_w = 1,
                             .dilation_h = 1,
                             .dilation_w = 1};
  uint32_t h = 1, w = 1;
  const struct graph_attr *axes = graph_attr(node, "axes");
  if (is(node, "ReduceMean") && (!axes || axes->count != 2 ||
                                 axes->ints[0] + axes->ints[1] + (axes->ints[0] < 0 ? 8 : 0) != 5))
    return graph_fail(r->error, node, "means over height and width are supported");
  if (whole && (in.h > 255 || in.w > 255))
    return graph_fail(r->error, node, "%u x %u pixels; up to 255 x 255 are supported", in.h, in.w);
  if (!whole && !window_read(node, realize_stream(r, node, 0)->pad, &in, (uint32_t[2]){0, 0},
                             &window, &h, &w, r->error))
    return false;
  struct net_layer layer =
      realize_layer(r, node, most ? NET_MAXPOOL : NET_AVGPOOL, &input, 1, h, w, in.c);
  memcpy(&layer.kernel_h, &window.kernel_h, 10);
  struct real_layer numbers = realize_numbers();
  numbers.count_padding = graph_int(node, "count_include_pad", 0);
  realize_add(r, node, &layer, &numbers);
  return true;
}

static bool pad(struct realize *r, const struct graph_node *node) {
  const struct array *list = graph_const(r->graph, node, 1);
  const struct graph_attr *a = graph_attr(node, "pads");
  if (strcmp(graph_text(node, "mode", "constant"), "constant") != 0 || (!list && !a) ||
      (list ? array_count(list) : a->count) != 8)
    return graph_fail(r->error, node, "constant padding of four dimensions is supported");
  int64_t n[8];
  for (size_t i = 0; i < 8; i++) {
    n[i] = list ? array_get_int(list, i) : a->ints[i];
    if (n[i] < 0 || n[i] > 255 || (i % 4 < 2 && n[i]))
      return graph_fail(r->error, node, "0 to 255 rows and columns of padding are supported");
  }
  if (!realize_alias(r, node, 0))
    return false;
  struct real_stream *s = &r->streams[node->outputs[0]];
  s->pad[0] += (uint32_t)n[2], s->pad[1] += (uint32_t)n[3];
  s->pad[2] += (uint32_t)n[6], s->pad[3] += (uint32_t)n[7];
  return true;
}

// Shapes change where elements keep their order; at the end, results where the largest stays.
static bool same(struct realize *r, const struct graph_node *node) {
  int value = node->outputs[0];
  bool end = is(node, "Softmax") || is(node, "LogSoftmax");
  while (end && !graph_is_output(r->graph, value)) {
    int next = graph_consumer(r->graph, value);
    if (next == GRAPH_NONE || !is(&r->graph->nodes[next], "Identity"))
      return graph_fail(r->error, node,
                        "it stands inside the network; it is dropped at the end only");
    value = r->graph->nodes[next].outputs[0];
  }
  return realize_alias(r, node, 0);
}

static bool one(struct realize *r, const struct graph_node *node) {
  static const struct {
    const char *op;
    bool (*make)(struct realize *, const struct graph_node *);
  } ops[] = {{"Conv", realize_conv},
             {"Gemm", realize_linear},
             {"MatMul", realize_linear},
             {"BatchNormalization", realize_norm},
             {"Relu", clip},
             {"Clip", clip},
             {"Sigmoid", function},
             {"Tanh", function},
             {"HardSigmoid", function},
             {"HardSwish", function},
             {"LeakyRelu", function},
             {"Add", arithmetic},
             {"Sub", arithmetic},
             {"Mul", arithmetic},
             {"Div", arithmetic},
             {"Concat", concatenate},
             {"GlobalAveragePool", pool},
             {"GlobalMaxPool", pool},
             {"AveragePool", pool},
             {"MaxPool", pool},
             {"ReduceMean", pool},
             {"Pad", pad},
             {"Flatten", same},
             {"Reshape", same},
             {"Squeeze", same},
             {"Unsqueeze", same},
             {"Identity", same},
             {"Dropout", same},
             {"Softmax", same},
             {"LogSoftmax", same}};
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
    if (is(node, ops[i].op) && node->output_count >= 1)
      return ops[i].make(r, node);
  }
  return graph_fail(r->error, node, "the operator is not supported in networks of real numbers");
}

// ---------------------------------------------------------------------------- the whole

static bool input_shape(const struct array *a, const struct lower_real_options *o,
                        uint32_t chw[3]) {
  const uint32_t asked[3] = {o->c, o->h, o->w};
  for (int i = 0; i < 3; i++) {
    int at = a->rank - 3 + i; // of the last three; without a batch there is no channel
    int64_t size = at < 1 ? 1 : a->dims[at];
    if (a->rank == 2)
      size = i == 0 ? a->dims[1] : 1;
    chw[i] = asked[i] ? asked[i] : size > 0 && size <= 65535 ? (uint32_t)size : 0;
  }
  return chw[0] && chw[1] && chw[2];
}

static bool add_input(struct realize *r, const struct lower_real_options *o) {
  const struct graph_value *v = &r->graph->values[r->graph->inputs[0]];
  uint32_t chw[3];
  if (r->graph->input_count != 1)
    return net_fail(r->error, "%u inputs; one is supported", r->graph->input_count);
  if (v->array.rank < 2 || v->array.rank > 4 || !input_shape(&v->array, o, chw))
    return net_fail(r->error, "input '%.80s' leaves its shape open; give it: --input-shape CxHxW",
                    v->name);
  struct net_tensor t = {.name = v->name, .h = chw[1], .w = chw[2], .c = chw[0], .bits = 8};
  int tensor = net_add_tensor(r->real->net, &t);
  r->streams[r->graph->inputs[0]].tensor = tensor;
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

// Whether all that a node reads is known without the network, or is about shapes alone.
static bool about_shapes(const struct realize *r, const struct graph_node *node) {
  if (is(node, "Shape"))
    return true;
  for (uint32_t i = 0; i < node->input_count; i++) {
    if (node->inputs[i] != GRAPH_NONE && r->streams[node->inputs[i]].tensor != NET_NONE)
      return false;
  }
  return true;
}

static bool all(struct realize *r, const struct lower_real_options *options) {
  if (!add_input(r, options))
    return false;
  for (uint32_t i = 0; i < r->graph->node_count; i++) {
    const struct graph_node *node = &r->graph->nodes[i];
    if (node->removed || r->done[i] || fold_node(r->graph, node) || about_shapes(r, node))
      continue;
    if (!one(r, node))
      return false;
  }
  return add_outputs(r) && real_check(r->real, r->error);
}

struct real_net *lower_real(const char *name, struct graph *graph,
                            const struct lower_real_options *options, struct net_error *error) {
  struct realize r = {.graph = graph, .real = real_new(name), .error = error};
  uint32_t values = graph->value_count;
  r.streams = memory_new(values, sizeof *r.streams);
  for (uint32_t i = 0; i < values; i++)
    r.streams[i].tensor = NET_NONE;
  r.done = memory_new(graph->node_count, sizeof *r.done);
  bool good = all(&r, options);
  free(r.streams);
  free(r.done);
  if (good)
    return r.real;
  if (error && !error->status)
    error->status = EX_UNAVAILABLE;
  real_free(r.real);
  return NULL;
}
