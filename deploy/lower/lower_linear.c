// deploy/lower/lower_linear.c: convolutions, and products with matrices.
#include <stdlib.h>

#include "deploy/lower/lowering.h"
#include "deploy/lower/window.h"
#include "deploy/memory.h"

// Weights in the order of the integer form, checked against their bits.
static bool put_weight(const struct lowering *low, const struct graph_node *node,
                       struct net_layer *layer, size_t to, int64_t w) {
  int64_t limit = (int64_t)1 << (layer->weight_bits - 1);
  if (w < -limit || w >= limit)
    return graph_fail(low->error, node, "a weight of %lld; %u bits hold %lld to %lld", (long long)w,
                      layer->weight_bits, (long long)-limit, (long long)limit - 1);
  layer->weights[to] = (int8_t)w;
  return true;
}

static bool set_weight_bits(const struct lowering *low, const struct graph_node *node,
                            struct net_layer *layer, size_t count) {
  int64_t bits = graph_int(node, "weight_bits", 8);
  if (bits != 8 && bits != 4 && bits != 2)
    return graph_fail(low->error, node, "weight_bits is %lld; 8, 4 and 2 are supported",
                      (long long)bits);
  layer->weight_bits = (uint8_t)bits;
  layer->weights = memory_new(count, 1);
  layer->weight_count = count;
  return true;
}

// The bias is where lambda begins.
static bool add_bias(struct lowering *low, const struct graph_node *node, struct open *open) {
  size_t count = 0;
  if (node->input_count < 3 || node->inputs[2] == GRAPH_NONE)
    return true;
  int64_t *bias = lower_integers(low, node, 2, &count);
  bool ok = bias && (count == 1 || count == open->out.c);
  for (uint32_t c = 0; ok && c < open->out.c; c++)
    open->lambda[c] = bias[count == 1 ? 0 : c];
  if (bias && !ok)
    graph_fail(low->error, node, "a bias of %zu elements for %u channels", count, open->out.c);
  free(bias);
  return ok;
}

static bool finish(struct lowering *low, const struct graph_node *node, struct open *open,
                   bool ok) {
  if (ok)
    return lower_finish(low, node, open);
  lower_discard(open);
  return false;
}

// -------------------------------------------------------------------- convolutions

// From [out][in / groups][h][w] to [out][h][w][in / groups].
static bool conv_weights(struct lowering *low, const struct graph_node *node, struct open *open,
                         const int64_t *from, size_t depth) {
  struct net_layer *l = &open->layer;
  size_t area = (size_t)l->kernel_h * l->kernel_w;
  bool ok = set_weight_bits(low, node, l, open->out.c * depth * area);
  for (size_t o = 0; o < open->out.c; o++)
    for (size_t i = 0; i < depth; i++)
      for (size_t p = 0; ok && p < area; p++)
        ok = put_weight(low, node, l, (o * area + p) * depth + i, from[(o * depth + i) * area + p]);
  return ok;
}

static bool check_conv(struct lowering *low, const struct graph_node *node,
                       const struct array *shape, const struct net_tensor *in) {
  int64_t groups = graph_int(node, "group", 1);
  char text[ARRAY_SHAPE_TEXT];
  bool rank = shape && (shape->rank == 3 || shape->rank == 4);
  if (!rank)
    return graph_fail(low->error, node,
                      "its weights must be constant, with one or two dimensions "
                      "of a picture");
  if (groups < 1 || groups > in->c || in->c % groups || shape->dims[0] % groups ||
      shape->dims[1] * groups != in->c || shape->dims[0] < 1 || shape->dims[0] > 65535)
    return graph_fail(low->error, node, "weights of %s and group %lld for %u channels do not match",
                      array_shape_text(shape, text), (long long)groups, in->c);
  for (int i = 2; i < shape->rank; i++)
    if (shape->dims[i] < 1 || shape->dims[i] > 255)
      return graph_fail(low->error, node, "kernels of 1 to 255 are supported");
  return true;
}

bool lower_conv(struct lowering *low, const struct graph_node *node) {
  const struct stream *from = lower_stream(low, node->inputs[0]);
  const struct net_tensor in = low->net->tensors[from->tensor];
  const struct array *shape = graph_const(low->graph, node, 1);
  if (!check_conv(low, node, shape, &in))
    return false;
  uint32_t kernel[2] = {shape->rank == 4 ? (uint32_t)shape->dims[2] : 1,
                        (uint32_t)shape->dims[shape->rank - 1]};
  struct net_layer window = {.groups = (uint32_t)graph_int(node, "group", 1)};
  uint32_t h, w, c = (uint32_t)shape->dims[0];
  size_t count;
  if (!window_read(node, from->pad, &in, kernel, &window, &h, &w, low->error))
    return false;
  int64_t *values = lower_integers(low, node, 1, &count);
  if (!values)
    return false;
  bool depthwise = window.groups == in.c && c == in.c && in.c > 1;
  struct open open;
  lower_open(&open, node->name, depthwise ? NET_DEPTHWISE : NET_CONV, from->tensor, h, w, c);
  lower_set_window(&open.layer, &window);
  open.layer.groups = depthwise ? 1 : window.groups;
  lower_stream(low, node->outputs[0])->rank = from->rank;
  bool ok =
      conv_weights(low, node, &open, values, (size_t)shape->dims[1]) && add_bias(low, node, &open);
  free(values);
  return finish(low, node, &open, ok);
}

// -------------------------------------------------------------------- matrices

// Input number i of a flattened picture, channel by channel, in HWC order.
static size_t in_order(const struct net_tensor *in, size_t i) {
  size_t area = (size_t)in->h * in->w;
  return i % area * in->c + i / area;
}

static bool matrix_weights(struct lowering *low, const struct graph_node *node, struct open *open,
                           const int64_t *from, size_t inputs, bool rows) {
  const struct net_tensor *in = net_input(low->net, &open->layer, 0);
  size_t outputs = open->out.c;
  bool ok = set_weight_bits(low, node, &open->layer, outputs * inputs);
  for (size_t o = 0; o < outputs; o++)
    for (size_t i = 0; ok && i < inputs; i++)
      ok = put_weight(low, node, &open->layer, o * inputs + in_order(in, i),
                      from[rows ? o * inputs + i : i * outputs + o]);
  return ok;
}

bool lower_linear(struct lowering *low, const struct graph_node *node) {
  const struct stream *from = lower_stream(low, node->inputs[0]);
  const struct net_tensor in = low->net->tensors[from->tensor];
  const struct array *shape = graph_const(low->graph, node, 1);
  bool gemm = graph_is(node, "Gemm"), rows = gemm && graph_int(node, "transB", 0);
  if (!shape || shape->rank != 2)
    return graph_fail(low->error, node, "its second input must be a constant matrix");
  if (from->rank != 2 && !(in.h == 1 && in.w == 1))
    return graph_fail(low->error, node, "its first input must be a vector; flatten it first");
  if (gemm && (graph_float(node, "alpha", 1) != 1 || graph_float(node, "beta", 1) != 1 ||
               graph_int(node, "transA", 0)))
    return graph_fail(low->error, node, "alpha 1, beta 1 and transA 0 are supported");
  size_t inputs = (size_t)in.h * in.w * in.c, count;
  int64_t outputs = shape->dims[rows ? 0 : 1];
  if ((size_t)shape->dims[rows ? 1 : 0] != inputs || outputs < 1 || outputs > 65535)
    return graph_fail(low->error, node, "a matrix of %lld x %lld for a vector of %zu",
                      (long long)shape->dims[0], (long long)shape->dims[1], inputs);
  int64_t *values = lower_integers(low, node, 1, &count);
  if (!values)
    return false;
  struct open open;
  lower_open(&open, node->name, NET_LINEAR, from->tensor, 1, 1, (uint32_t)outputs);
  lower_stream(low, node->outputs[0])->rank = 2;
  bool ok = matrix_weights(low, node, &open, values, inputs, rows) && add_bias(low, node, &open);
  free(values);
  return finish(low, node, &open, ok);
}
