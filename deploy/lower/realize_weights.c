// deploy/lower/realize_weights.c: layers with weights, and what is folded into them.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "deploy/lower/realize.h"
#include "deploy/lower/window.h"
#include "deploy/memory.h"

static float number(const struct array *a, size_t i) {
  return (float)array_get(a, array_count(a) == 1 ? 0 : i);
}

static float *numbers_of(const struct array *a, size_t count) {
  float *list = a ? memory_new(count, sizeof *list) : NULL;
  for (size_t i = 0; a && i < count; i++)
    list[i] = number(a, i);
  return list;
}

// [out][in][kernel_h][kernel_w] to [out][kernel_h][kernel_w][in].
static float *turned(const struct array *w, size_t filters, size_t width, size_t window) {
  float *list = memory_new(filters * width * window, sizeof *list);
  for (size_t f = 0; f < filters; f++)
    for (size_t c = 0; c < width; c++)
      for (size_t k = 0; k < window; k++)
        list[(f * window + k) * width + c] = number(w, (f * width + c) * window + k);
  return list;
}

static bool conv_fits(const struct realize *r, const struct graph_node *node, const struct array *w,
                      const struct net_tensor *in, int64_t groups) {
  if (!w || w->rank < 3 || w->rank > 4)
    return graph_fail(r->error, node,
                      "weights that are constants of 3 or 4 dimensions are "
                      "supported");
  if (groups < 1 || w->dims[1] * groups != in->c || w->dims[0] % groups || w->dims[0] > 65535)
    return graph_fail(r->error, node,
                      "%lld filters of %lld channels in %lld groups do not fit %u "
                      "channels",
                      (long long)w->dims[0], (long long)w->dims[1], (long long)groups, in->c);
  const struct array *bias = graph_const(r->graph, node, 2);
  if (node->input_count > 2 && node->inputs[2] != GRAPH_NONE &&
      (!bias || array_count(bias) != (size_t)w->dims[0]))
    return graph_fail(r->error, node, "a bias that is a constant for each filter is supported");
  return true;
}

void realize_filters(struct realize *r, const struct graph_node *node, int input,
                     const struct array *w, const struct net_layer *window,
                     const uint32_t size[2]) {
  uint32_t filters = (uint32_t)w->dims[0], c = realize_tensor(r, input)->c;
  bool depthwise = window->groups == c && filters == c && c > 1;
  struct net_layer layer = realize_layer(r, node, depthwise ? NET_DEPTHWISE : NET_CONV, &input, 1,
                                         size[0], size[1], filters);
  memcpy(&layer.kernel_h, &window->kernel_h, 10); // kernel, stride, dilation, pads
  layer.groups = window->groups;
  layer.weight_count = array_count(w);
  struct real_layer numbers = realize_numbers();
  numbers.weights =
      turned(w, filters, (size_t)w->dims[1], (size_t)window->kernel_h * window->kernel_w);
  numbers.bias = numbers_of(graph_const(r->graph, node, 2), filters);
  realize_add(r, node, &layer, &numbers, order_first);
}

bool realize_conv(struct realize *r, const struct graph_node *node) {
  const struct array *w = graph_const(r->graph, node, 1);
  int input = realize_picture(r, node, 0);
  if (input == NET_NONE)
    return false;
  const struct net_tensor in = *realize_tensor(r, input);
  int64_t groups = graph_int(node, "group", 1);
  if (!conv_fits(r, node, w, &in, groups))
    return false;
  uint32_t kernel[2] = {w->rank == 4 ? (uint32_t)w->dims[2] : 1, (uint32_t)w->dims[w->rank - 1]};
  uint32_t size[2];
  struct net_layer window = {.groups = (uint32_t)groups};
  if (kernel[0] > 255 || kernel[1] > 255)
    return graph_fail(r->error, node, "kernels up to 255 x 255 are supported");
  if (!window_read(node, realize_stream(r, node, 0)->pad, &in, kernel, &window, &size[0], &size[1],
                   r->error))
    return false;
  realize_filters(r, node, input, w, &window, size);
  return true;
}

// ---------------------------------------------------------------------------- linear

// Element of the constant: weight of output f and of the input's element i.
struct matrix {
  const struct array *w;
  bool by_output; // [outputs][inputs]
  size_t inputs, outputs;
};

static float element(const struct matrix *m, size_t f, size_t i) {
  return number(m->w, m->by_output ? f * m->inputs + i : i * m->outputs + f);
}

// In the order that the tensor's elements have.
static float *linear_weights(const struct matrix *m, const struct net_tensor *in,
                             struct order order) {
  float *list = memory_new(m->inputs * m->outputs, sizeof *list);
  size_t *places = order_places(in, order);
  for (size_t f = 0; f < m->outputs; f++)
    for (size_t i = 0; i < m->inputs; i++)
      list[f * m->inputs + places[i]] = element(m, f, i);
  free(places);
  return list;
}

static bool read_matrix(const struct realize *r, const struct graph_node *node, struct matrix *m) {
  bool gemm = graph_is(node, "Gemm");
  m->w = graph_const(r->graph, node, 1);
  if (!m->w || m->w->rank != 2 || (gemm && graph_int(node, "transA", 0)))
    return graph_fail(r->error, node,
                      "weights that are a constant matrix, and transA 0, are supported");
  m->by_output = gemm && graph_int(node, "transB", 0);
  m->inputs = (size_t)m->w->dims[m->by_output], m->outputs = (size_t)m->w->dims[!m->by_output];
  const struct array *bias = gemm ? graph_const(r->graph, node, 2) : NULL;
  bool given = gemm && node->input_count > 2 && node->inputs[2] != GRAPH_NONE;
  if (given && (!bias || (array_count(bias) != m->outputs && array_count(bias) != 1)))
    return graph_fail(r->error, node, "a constant bias, one or one for each output, is supported");
  return (m->inputs && m->outputs && m->outputs <= 65535) ||
         graph_fail(r->error, node, "1 to 65535 outputs are supported");
}

static void scale_gemm(const struct graph_node *node, const struct matrix *m,
                       struct real_layer *numbers) {
  float alpha = (float)graph_float(node, "alpha", 1), beta = (float)graph_float(node, "beta", 1);
  for (size_t i = 0; i < m->inputs * m->outputs; i++)
    numbers->weights[i] *= alpha;
  for (size_t i = 0; numbers->bias && i < m->outputs; i++)
    numbers->bias[i] *= beta;
}

// The channels of each pixel, which stand last: a convolution.
static bool pointwise(struct realize *r, const struct graph_node *node, const struct matrix *m) {
  const struct real_stream from = *realize_stream(r, node, 0);
  const struct net_tensor in = *realize_tensor(r, from.tensor);
  struct net_layer layer =
      realize_layer(r, node, NET_CONV, &from.tensor, 1, in.h, in.w, (uint32_t)m->outputs);
  layer.weight_count = m->inputs * m->outputs;
  struct real_layer numbers = realize_numbers();
  numbers.weights = memory_new(layer.weight_count, sizeof *numbers.weights);
  for (size_t f = 0; f < m->outputs; f++)
    for (size_t i = 0; i < m->inputs; i++)
      numbers.weights[f * m->inputs + i] = element(m, f, i);
  realize_add(r, node, &layer, &numbers, order_last);
  return true;
}

bool realize_linear(struct realize *r, const struct graph_node *node) {
  struct matrix m = {.w = NULL};
  if (realize_input(r, node, 0) == NET_NONE || !read_matrix(r, node, &m) ||
      !realize_settle(r, node, 0))
    return false;
  const struct real_stream from = *realize_stream(r, node, 0);
  const struct net_tensor in = *realize_tensor(r, from.tensor);
  const struct array *shape = realize_shape(r, node->inputs[0]);
  size_t all = (size_t)in.h * in.w * in.c;
  bool vector = shape->rank && shape->dims[shape->rank - 1] == (int64_t)all;
  if (!vector && in.h * in.w > 1 && order_is_last(&in, from.order, shape) && m.inputs == in.c)
    return pointwise(r, node, &m);
  if (!vector || m.inputs != all)
    return graph_fail(r->error, node,
                      "a matrix of %zu inputs; a vector of as many elements, or channels of pixels "
                      "that stand last, are supported",
                      m.inputs);
  struct net_layer layer =
      realize_layer(r, node, NET_LINEAR, &from.tensor, 1, 1, 1, (uint32_t)m.outputs);
  layer.weight_count = m.inputs * m.outputs;
  struct real_layer numbers = realize_numbers();
  numbers.weights = linear_weights(&m, &in, from.order);
  if (graph_is(node, "Gemm")) {
    numbers.bias = numbers_of(graph_const(r->graph, node, 2), m.outputs);
    scale_gemm(node, &m, &numbers);
  }
  realize_add(r, node, &layer, &numbers, order_first);
  return true;
}

// ---------------------------------------------------------------------------- what is folded

// y = factor[c] * y + offset[c], in the layer's weights and biases.
static void fold(struct realize *r, int layer, const float *factor, const float *offset,
                 bool norm) {
  struct real_layer *numbers = &r->real->layers[layer];
  const struct net_layer *l = &r->real->net->layers[layer];
  uint32_t filters = net_output(r->real->net, l)->c;
  size_t taps = l->weight_count / filters;
  if (!numbers->bias)
    numbers->bias = memory_new(filters, sizeof *numbers->bias);
  bool first = norm && !numbers->norm;
  if (first)
    numbers->norm = memory_copy(factor, filters, sizeof *factor);
  for (uint32_t f = 0; f < filters; f++) {
    if (norm && !first)
      numbers->norm[f] *= factor[f];
    for (size_t i = 0; i < taps; i++)
      numbers->weights[f * taps + i] *= factor[f];
    numbers->bias[f] = numbers->bias[f] * factor[f] + offset[f];
  }
}

// Into the layer in front, or as a depthwise layer of its own. Both lists are freed.
static bool apply(struct realize *r, const struct graph_node *node, uint32_t input, float *factor,
                  float *offset) {
  int layer = realize_open(r, node, input);
  bool good = true;
  if (layer != NET_NONE) {
    fold(r, layer, factor, offset, graph_is(node, "BatchNormalization"));
    good = realize_alias(r, node, input);
  } else if (realize_settle(r, node, input)) {
    const struct real_stream from = *realize_stream(r, node, input);
    const struct net_tensor in = *realize_tensor(r, from.tensor);
    struct net_layer l = realize_layer(r, node, NET_DEPTHWISE, &from.tensor, 1, in.h, in.w, in.c);
    struct real_layer numbers = realize_numbers();
    l.weight_count = in.c, l.groups = in.c;
    numbers.weights = memory_copy(factor, in.c, sizeof *factor);
    numbers.bias = memory_copy(offset, in.c, sizeof *offset);
    realize_add(r, node, &l, &numbers, from.order);
  }
  free(factor);
  free(offset);
  return good;
}

bool realize_norm(struct realize *r, const struct graph_node *node) {
  const struct array *p[4];
  int tensor = realize_picture(r, node, 0);
  if (tensor == NET_NONE)
    return false;
  uint32_t channels = realize_tensor(r, tensor)->c;
  for (uint32_t i = 0; i < 4; i++) {
    p[i] = graph_const(r->graph, node, i + 1);
    if (!p[i] || array_count(p[i]) != channels)
      return graph_fail(r->error, node,
                        "scale, bias, mean and variance that are constants of %u "
                        "channels are supported",
                        channels);
  }
  if (graph_int(node, "training_mode", 0))
    return graph_fail(r->error, node, "attribute training_mode: 0 is supported");
  double epsilon = graph_float(node, "epsilon", 1e-5);
  float *factor = memory_new(channels, sizeof *factor),
        *offset = memory_new(channels, sizeof *offset);
  for (uint32_t c = 0; c < channels; c++) {
    double scale = array_get(p[0], c) / sqrt(array_get(p[3], c) + epsilon);
    factor[c] = (float)scale;
    offset[c] = (float)(array_get(p[1], c) - array_get(p[2], c) * scale);
  }
  return apply(r, node, 0, factor, offset);
}

// Whether the constant has one element for each channel of the input, in its dimension, or one.
static bool by_channel(const struct realize *r, const struct graph_node *node, uint32_t input,
                       const struct array *constant) {
  const struct array *x = realize_shape(r, node->inputs[input]);
  const struct real_stream *from = realize_stream(r, node, input);
  int channels = order_channels(realize_tensor(r, from->tensor), from->order, x);
  if (array_count(constant) == 1)
    return constant->rank <= x->rank;
  for (int i = 0; i < constant->rank; i++)
    if (constant->dims[i] != 1 && i + x->rank - constant->rank != channels)
      return false;
  return channels >= 0 && constant->rank <= x->rank &&
         array_count(constant) == (size_t)x->dims[channels];
}

// x + c, x - c, x * c, x / c, c - x: one constant, or one for each channel.
bool realize_affine(struct realize *r, const struct graph_node *node, uint32_t input) {
  const struct array *constant = graph_const(r->graph, node, 1 - input);
  if (realize_input(r, node, input) == NET_NONE || !realize_settle(r, node, input))
    return false;
  uint32_t channels = realize_tensor(r, realize_stream(r, node, input)->tensor)->c;
  bool sub = graph_is(node, "Sub"), div = graph_is(node, "Div");
  bool mul = graph_is(node, "Mul");
  if (!by_channel(r, node, input, constant) || (div && input == 1))
    return graph_fail(r->error, node,
                      "a constant of one element or one for each of the %u channels, in their "
                      "dimension, and no division of a constant, is supported",
                      channels);
  float *factor = memory_new(channels, sizeof *factor),
        *offset = memory_new(channels, sizeof *offset);
  for (uint32_t c = 0; c < channels; c++) {
    float x = number(constant, c);
    factor[c] = mul ? x : div ? 1 / x : sub && input == 1 ? -1 : 1;
    offset[c] = mul || div ? 0 : sub && input == 0 ? -x : x;
  }
  return apply(r, node, input, factor, offset);
}
