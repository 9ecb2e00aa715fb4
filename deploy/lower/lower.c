// deploy/lower/lower.c: see lower.h. The walk over the nodes.
#include "deploy/lower/lower.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "deploy/lower/lowering.h"
#include "deploy/lower/tidy.h"
#include "deploy/memory.h"
#include "deploy/op/op.h"

struct stream *lower_stream(const struct lowering *low, int value) {
  return &low->streams[value];
}

int64_t *lower_integers(const struct lowering *low, const struct graph_node *node, uint32_t i,
                        size_t *count) {
  const struct array *from = graph_const(low->graph, node, i);
  if (!from) {
    graph_fail(low->error, node, "input %u must be constant", i);
    return NULL;
  }
  *count = array_count(from);
  int64_t *values = memory_new(*count, sizeof *values);
  for (size_t k = 0; k < *count; k++) {
    double exact = array_type_is_float(from->type) ? array_get(from, k) : 0;
    values[k] = array_get_int(from, k);
    if (exact != floor(exact) || fabs(exact) > 0x1p53) {
      graph_fail(low->error, node,
                 "input %u has the value %g, which is no integer: a graph in floats; "
                 "`pulpsim-deploy quantize` makes integers of it",
                 i, exact);
      free(values);
      return NULL;
    }
  }
  if (*count)
    return values;
  graph_fail(low->error, node, "input %u is empty", i);
  free(values);
  return NULL;
}

void lower_open(struct open *open, const char *name, enum net_kind kind, int input, uint32_t h,
                uint32_t w, uint32_t c) {
  *open = (struct open){.divisor = 1, .low = INT32_MIN, .high = INT32_MAX};
  open->out = (struct net_tensor){.h = h, .w = w, .c = c, .bits = 32, .is_signed = true};
  open->kappa = memory_new(c, sizeof *open->kappa);
  open->lambda = memory_new(c, sizeof *open->lambda);
  for (uint32_t i = 0; i < c; i++)
    open->kappa[i] = 1;
  open->layer = net_plain_layer(kind, memory_text(name), &input, 1);
}

void lower_discard(struct open *open) {
  free(open->layer.name);
  free(open->layer.inputs);
  free(open->layer.weights);
  free(open->layer.scaled);
  free(open->layer.table);
  free(open->layer.requant.kappa);
  free(open->layer.requant.lambda);
  free(open->kappa);
  free(open->lambda);
}

void lower_set_window(struct net_layer *layer, const struct net_layer *window) {
  layer->kernel_h = window->kernel_h, layer->kernel_w = window->kernel_w;
  layer->stride_h = window->stride_h, layer->stride_w = window->stride_w;
  layer->dilation_h = window->dilation_h, layer->dilation_w = window->dilation_w;
  layer->pad_top = window->pad_top, layer->pad_bottom = window->pad_bottom;
  layer->pad_left = window->pad_left, layer->pad_right = window->pad_right;
}

bool lower_finish(struct lowering *low, const struct graph_node *node, struct open *open) {
  int value = node->outputs[0];
  int rank = low->streams[value].rank;
  for (;;) {
    int next = graph_consumer(low->graph, value);
    const struct graph_node *follower =
        next == GRAPH_NONE || low->done[next] ? NULL : &low->graph->nodes[next];
    bool taken = false;
    if (!follower || follower->output_count != 1 || !lower_absorbs(low, follower))
      break;
    if (!lower_absorb(low, follower, open, &taken)) {
      lower_discard(open);
      return false;
    }
    if (!taken)
      break;
    low->done[next] = true;
    node = follower;
    value = follower->outputs[0];
    // A node that is undone by the next one has taken that with it.
    int pair = graph_consumer(low->graph, value);
    if (pair != GRAPH_NONE && low->done[pair]) {
      node = &low->graph->nodes[pair];
      value = node->outputs[0];
    }
  }
  if (!lower_close(low, node, open, value))
    return false;
  low->streams[value] = (struct stream){.tensor = (int)low->net->tensor_count - 1, .rank = rank};
  return true;
}

// -------------------------------------------------------------------- nodes without a layer

static bool pass_on(struct lowering *low, const struct graph_node *node, int rank) {
  struct stream *to = &low->streams[node->outputs[0]];
  *to = low->streams[node->inputs[0]];
  to->rank = rank > 0 ? rank : to->rank;
  return true;
}

static bool lower_identity(struct lowering *low, const struct graph_node *node) {
  return pass_on(low, node, 0);
}

// The sizes that a Reshape asks for, without those of 1: 0 takes a dimension over, -1 is what is
// left (ONNX, Reshape). How many; -1: not these elements.
static int asked_sizes(const struct array *shape, const struct net_tensor *t, int rank,
                       int64_t sizes[ARRAY_RANK]) {
  const int64_t all = (int64_t)t->c * t->h * t->w;
  const int64_t from[4] = {1, rank == 2 ? all : t->c, rank == 3 ? t->w : t->h, t->w};
  int64_t product = 1;
  int count = 0, rest = -1;
  for (size_t i = 0; i < array_count(shape) && i < ARRAY_RANK; i++) {
    int64_t dim = array_get_int(shape, i);
    if (dim == 0)
      dim = i < 4 ? from[i] : 1;
    if (dim == -1)
      rest = count;
    else if (dim < 1 || dim > all)
      return -1;
    product *= dim == -1 ? 1 : dim;
    if (product > all)
      return -1;
    if (dim != 1)
      sizes[count++] = dim;
  }
  if (rest >= 0)
    sizes[rest] = all / product;
  return product * (rest >= 0 ? sizes[rest] : 1) == all ? count : -1;
}

// Whether a Reshape makes a vector of all elements (*rank: 2), or changes nothing.
static bool reshapes_to(const struct array *shape, const struct net_tensor *t, int *rank) {
  const int64_t picture[3] = {t->c, t->h, t->w};
  int64_t sizes[ARRAY_RANK] = {0}, kept[3];
  int count = asked_sizes(shape, t, *rank, sizes), left = 0, dims = 0;
  for (int i = 0; i < 3; i++)
    if (picture[i] != 1)
      kept[left++] = picture[i];
  for (int i = 0; i < count; i++)
    if (sizes[i] != 1) // what -1 stands for can be 1
      sizes[dims++] = sizes[i];
  if (count >= 0 && dims <= 1) {
    *rank = 2;
    return true;
  }
  return count >= 0 && dims == left && *rank != 2 &&
         memcmp(sizes, kept, (size_t)left * sizeof *kept) == 0;
}

// Flatten, Reshape to a vector, Squeeze of the picture: all to channels x 1 x 1 or to a vector. The
// next layer permutes its weights.
static bool lower_flatten(struct lowering *low, const struct graph_node *node) {
  const struct stream *from = &low->streams[node->inputs[0]];
  const struct net_tensor *t = &low->net->tensors[from->tensor];
  const struct array *shape = graph_const(low->graph, node, 1);
  int rank = from->rank;
  bool vector = false;
  if (graph_is(node, "Flatten") || graph_is(node, "Squeeze")) {
    vector = graph_is(node, "Squeeze") ? (t->h == 1 && t->w == 1) || rank == 2
                                       : graph_int(node, "axis", 1) == 1;
    rank = 2;
  } else if (shape) {
    vector = reshapes_to(shape, t, &rank);
  }
  if (!vector)
    return graph_fail(low->error, node,
                      "of %u x %u x %u; only to a vector of all elements is supported", t->c, t->h,
                      t->w);
  return pass_on(low, node, rank);
}

// Behind the last layer: whoever reads the result does this.
static bool lower_end(struct lowering *low, const struct graph_node *node) {
  if (!pass_on(low, node, 0))
    return false;
  low->streams[node->outputs[0]].ended = true;
  return true;
}

// The shape that the file's value has, as a constant.
static bool lower_shape(struct lowering *low, const struct graph_node *node) {
  const struct stream *from = &low->streams[node->inputs[0]];
  const struct net_tensor *t = &low->net->tensors[from->tensor];
  int64_t dims[4] = {1, t->c, from->rank == 3 ? t->w : t->h, t->w};
  if (from->rank == 2)
    dims[1] = (int64_t)t->c * t->h * t->w;
  if (graph_attr(node, "start") || graph_attr(node, "end"))
    return graph_fail(low->error, node, "the attributes start and end are not supported");
  struct array shape = {.type = ARRAY_I64, .rank = 1, .dims = {from->rank}};
  array_allocate(&shape);
  for (int i = 0; i < from->rank && i < 4; i++)
    array_set_int(&shape, (size_t)i, dims[i]);
  low->graph->values[node->outputs[0]].array = shape;
  return true;
}

// -------------------------------------------------------------------- the walk

static const struct rule {
  const char *op;
  bool (*lower)(struct lowering *low, const struct graph_node *node);
} rules[] = {
    {"Add", lower_add},
    {"AveragePool", lower_pool},
    {"Cast", lower_table},
    {"Clip", lower_table},
    {"Concat", lower_end},
    {"Conv", lower_conv},
    {"Div", lower_table},
    {"Dropout", lower_identity},
    {"Flatten", lower_flatten},
    {"Floor", lower_table},
    {"Gather", lower_end},
    {"Gemm", lower_linear},
    {"GlobalAveragePool", lower_pool},
    {"GlobalMaxPool", lower_pool},
    {"Identity", lower_identity},
    {"LogSoftmax", lower_end},
    {"MatMul", lower_linear},
    {"MaxPool", lower_pool},
    {"Mul", lower_table},
    {"Pad", lower_pad},
    {"Relu", lower_table},
    {"RequantShift", lower_table},
    {"Reshape", lower_flatten},
    {"Shape", lower_shape},
    {"Sigmoid", lower_end},
    {"Slice", lower_end},
    {"Softmax", lower_end},
    {"Squeeze", lower_flatten},
    {"Unsqueeze", lower_end},
};
enum { RULES = sizeof rules / sizeof *rules };

static const struct rule *find_rule(const struct graph_node *node) {
  for (size_t i = 0; i < RULES; i++)
    if (strcmp(rules[i].op, node->op) == 0)
      return &rules[i];
  return NULL;
}

static bool fail_operator(const struct lowering *low, const struct graph_node *node) {
  char list[NET_ERROR_TEXT] = "";
  for (size_t i = 0, used = 0; i < RULES; i++)
    used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? " " : "", rules[i].op);
  return graph_fail(low->error, node, "%s%s%.40s is not supported in graphs of integers; %s are",
                    node->domain, *node->domain ? "." : "", node->op, list);
}

static bool is_padded(const struct stream *s) {
  return s->pad[0] || s->pad[1] || s->pad[2] || s->pad[3];
}

// Every input that is not constant must have come by.
static bool check_inputs(const struct lowering *low, const struct graph_node *node) {
  uint32_t variables = 0;
  for (uint32_t i = 0; i < node->input_count; i++) {
    if (node->inputs[i] == GRAPH_NONE || graph_const(low->graph, node, i))
      continue;
    const struct stream *from = &low->streams[node->inputs[i]];
    variables++;
    if (from->tensor == NET_NONE)
      return graph_fail(low->error, node, "its input '%.80s' is not a tensor of numbers",
                        low->graph->values[node->inputs[i]].name);
    const struct rule *rule = find_rule(node);
    if (is_padded(from) && rule && rule->lower != lower_conv && rule->lower != lower_pool &&
        rule->lower != lower_pad && rule->lower != lower_identity)
      return graph_fail(low->error, node,
                        "it reads what a Pad gives; Pad is supported in front of "
                        "Conv, MaxPool and AveragePool");
    if (from->ended && rule && rule->lower != lower_end && rule->lower != lower_flatten &&
        rule->lower != lower_identity)
      return graph_fail(low->error, node,
                        "it reads what a Gather, Concat, Slice, Softmax or Sigmoid gives, which "
                        "are supported behind the last layer only");
  }
  bool either = graph_is(node, "Add") || graph_is(node, "Mul");
  if (!variables || (!either && graph_const(low->graph, node, 0)))
    return graph_fail(low->error, node, "its first input must not be constant");
  return true;
}

static bool lower_node(struct lowering *low, uint32_t number) {
  const struct graph_node *node = &low->graph->nodes[number];
  const struct rule *rule = find_rule(node);
  if (low->done[number] || op_infer_node(low->graph, &low->graph->nodes[number]))
    return true;
  low->done[number] = true;
  if (!rule)
    return fail_operator(low, node);
  if (!node->output_count || node->outputs[0] == GRAPH_NONE)
    return graph_fail(low->error, node, "it has no output");
  if (!node->input_count || node->inputs[0] == GRAPH_NONE)
    return graph_fail(low->error, node, "it has no input");
  return check_inputs(low, node) && rule->lower(low, node);
}

// N x C x H x W, N x C x L or N x C.
static bool add_input(struct lowering *low, int value) {
  const struct graph_value *v = &low->graph->values[value];
  const struct array *a = &v->array;
  int64_t dims[4] = {1, 1, 1, 1};
  for (int i = 0; i < a->rank && i < 4; i++)
    dims[a->rank == 3 && i == 2 ? 3 : i] = i == 0 && a->dims[i] < 0 ? 1 : a->dims[i];
  bool ok = a->rank >= 2 && a->rank <= 4 && dims[0] == 1;
  for (int i = 1; i < 4; i++)
    ok = ok && dims[i] >= 1 && dims[i] <= 65535;
  if (!ok) {
    char text[ARRAY_SHAPE_TEXT];
    low->error->status = EX_UNAVAILABLE;
    return net_fail(low->error,
                    "input '%.80s' has the shape %s; fixed ones of one picture, 1 x channels x "
                    "height x width, are supported",
                    v->name, array_shape_text(a, text));
  }
  struct net_tensor t = {.name = v->name,
                         .c = (uint32_t)dims[1],
                         .h = (uint32_t)dims[2],
                         .w = (uint32_t)dims[3],
                         .bits = 8,
                         .planes = dims[1] > 1};
  t.is_signed = low->options->input_signed;
  int number = net_add_tensor(low->net, &t);
  graph_list(&low->net->inputs, &low->net->input_count, number);
  low->streams[value] = (struct stream){.tensor = number, .rank = a->rank};
  return true;
}

// Whether anything says that the tensors of floats hold integers: whole weights (lower_integers),
// or what only the PULP tools write.
static bool is_of_integers(const struct lowering *low) {
  static const char *const own[] = {"RequantShift", "Floor", "Cast", "Div"};
  bool found = false;
  for (uint32_t i = 0; i < low->net->layer_count; i++)
    found |= net_has_weights(low->net->layers[i].kind);
  for (uint32_t i = 0; i < low->graph->node_count; i++) {
    const struct graph_node *node = &low->graph->nodes[i];
    for (size_t k = 0; k < sizeof own / sizeof *own; k++)
      found |= strcmp(node->op, own[k]) == 0;
    found |= graph_attr(node, "in1_mul") || graph_attr(node, "out_bits");
  }
  return found && low->net->layer_count;
}

static bool add_outputs(struct lowering *low) {
  struct net *net = low->net;
  if (!is_of_integers(low))
    return net_fail(low->error, "no weights, and no node of the PULP tools: a graph in floats");
  for (uint32_t i = 0; i < low->graph->output_count; i++) {
    const struct stream *from = &low->streams[low->graph->outputs[i]];
    int tensor = from->tensor;
    if (is_padded(from) || from->scaled)
      return net_fail(low->error,
                      "output '%.80s' is of a Pad or a Mul, which are supported in "
                      "front of layers",
                      low->graph->values[low->graph->outputs[i]].name);
    bool known = tensor == NET_NONE;
    for (uint32_t k = 0; k < net->output_count; k++)
      known |= net->outputs[k] == tensor;
    if (!known)
      graph_list(&net->outputs, &net->output_count, tensor);
  }
  return true;
}

static bool walk(struct lowering *low) {
  bool ok = true;
  for (uint32_t i = 0; ok && i < low->graph->input_count; i++)
    ok = add_input(low, low->graph->inputs[i]);
  op_infer(low->graph); // a layer looks ahead at constants
  tidy_dead(low->graph);
  for (uint32_t i = 0; ok && i < low->graph->node_count; i++)
    ok = lower_node(low, i);
  return ok && add_outputs(low) && net_check(low->net, low->error);
}

struct net *lower_graph(const char *name, struct graph *graph, const struct lower_options *options,
                        struct net_error *error) {
  struct lowering low = {.graph = graph, .options = options, .error = error};
  low.net = net_new(name);
  low.streams = memory_new(graph->value_count, sizeof *low.streams);
  low.done = memory_new(graph->node_count, sizeof *low.done);
  for (uint32_t i = 0; i < graph->value_count; i++)
    low.streams[i].tensor = NET_NONE;
  bool ok = walk(&low);
  free(low.streams);
  free(low.done);
  if (ok)
    return low.net;
  if (!error->status)
    error->status = EX_UNAVAILABLE;
  net_free(low.net);
  return NULL;
}
