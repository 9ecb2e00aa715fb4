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

bool realize_conv(struct realize *r, const struct graph_node *node) {
  const struct array *w = graph_const(r->graph, node, 1);
  int input = realize_input(r, node, 0);
  if (input == NET_NONE)
    return false;
  const struct net_tensor in = *realize_tensor(r, input);
  int64_t groups = graph_int(node, "group", 1);
  if (!conv_fits(r, node, w, &in, groups))
    return false;
  uint32_t kernel[2] = {w->rank == 4 ? (uint32_t)w->dims[2] : 1, (uint32_t)w->dims[w->rank - 1]};
  uint32_t h, wide, filters = (uint32_t)w->dims[0];
  struct net_layer window = {.name = NULL};
  if (kernel[0] > 255 || kernel[1] > 255)
    return graph_fail(r->error, node, "kernels up to 255 x 255 are supported");
  if (!window_read(node, realize_stream(r, node, 0)->pad, &in, kernel, &window, &h, &wide,
                   r->error))
    return false;
  bool depthwise = groups == in.c && filters == in.c && in.c > 1;
  struct net_layer layer =
      realize_layer(r, node, depthwise ? NET_DEPTHWISE : NET_CONV, &input, 1, h, wide, filters);
  memcpy(&layer.kernel_h, &window.kernel_h, 10); // kernel, stride, dilation, pads
  layer.groups = (uint32_t)groups;
  layer.weight_count = array_count(w);
  struct real_layer numbers = realize_numbers();
  numbers.weights = turned(w, filters, (size_t)w->dims[1], (size_t)kernel[0] * kernel[1]);
  numbers.bias = numbers_of(graph_const(r->graph, node, 2), filters);
  realize_add(r, node, &layer, &numbers);
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

// A flattened input's elements stand channel by channel in the file.
static float *linear_weights(const struct matrix *m, const struct net_tensor *in, bool flat) {
  float *list = memory_new(m->inputs * m->outputs, sizeof *list);
  size_t pixels = (size_t)in->h * in->w;
  for (size_t f = 0; f < m->outputs; f++)
    for (size_t i = 0; i < m->inputs; i++)
      list[f * m->inputs + i] = element(m, f, flat ? i % in->c * pixels + i / in->c : i);
  return list;
}

bool realize_linear(struct realize *r, const struct graph_node *node) {
  bool gemm = strcmp(node->op, "Gemm") == 0;
  const struct array *w = graph_const(r->graph, node, 1);
  int input = realize_input(r, node, 0);
  if (input == NET_NONE)
    return false;
  const struct net_tensor in = *realize_tensor(r, input);
  if (!w || w->rank != 2)
    return graph_fail(r->error, node, "weights that are a constant matrix are supported");
  struct matrix m = {.w = w, .by_output = gemm && graph_int(node, "transB", 0)};
  m.inputs = (size_t)w->dims[m.by_output ? 1 : 0], m.outputs = (size_t)w->dims[m.by_output ? 0 : 1];
  const struct array *bias = gemm ? graph_const(r->graph, node, 2) : NULL;
  if (m.inputs != (size_t)in.h * in.w * in.c || m.outputs > 65535 ||
      (bias && array_count(bias) != m.outputs && array_count(bias) != 1) ||
      (gemm && graph_int(node, "transA", 0)))
    return graph_fail(r->error, node,
                      "a matrix for %u elements, not transposed, with a constant "
                      "bias, is supported",
                      in.h * in.w * in.c);
  struct net_layer layer = realize_layer(r, node, NET_LINEAR, &input, 1, 1, 1, (uint32_t)m.outputs);
  layer.weight_count = m.inputs * m.outputs;
  struct real_layer numbers = realize_numbers();
  numbers.weights = linear_weights(&m, &in, in.h * in.w > 1);
  numbers.bias = numbers_of(bias, m.outputs);
  float alpha = gemm ? (float)graph_float(node, "alpha", 1) : 1;
  float beta = gemm ? (float)graph_float(node, "beta", 1) : 1;
  for (size_t i = 0; i < layer.weight_count; i++)
    numbers.weights[i] *= alpha;
  for (size_t i = 0; numbers.bias && i < m.outputs; i++)
    numbers.bias[i] *= beta;
  realize_add(r, node, &layer, &numbers);
  return true;
}

// ---------------------------------------------------------------------------- what is folded

// y = factor[c] * y + offset[c], in the layer's weights and biases.
static void fold(struct realize *r, int layer, const float *factor, const float *offset) {
  struct real_layer *numbers = &r->real->layers[layer];
  const struct net_layer *l = &r->real->net->layers[layer];
  uint32_t filters = net_output(r->real->net, l)->c;
  size_t taps = l->weight_count / filters;
  if (!numbers->bias)
    numbers->bias = memory_new(filters, sizeof *numbers->bias);
  for (uint32_t f = 0; f < filters; f++) {
    for (size_t i = 0; i < taps; i++)
      numbers->weights[f * taps + i] *= factor[f];
    numbers->bias[f] = numbers->bias[f] * factor[f] + offset[f];
  }
}

// Into the layer in front, or as a depthwise layer of its own.
static bool apply(struct realize *r, const struct graph_node *node, uint32_t input, float *factor,
                  float *offset) {
  int tensor = realize_input(r, node, input);
  int layer = tensor == NET_NONE ? NET_NONE : realize_open(r, node, input, true);
  bool good = tensor != NET_NONE;
  if (good && layer != NET_NONE) {
    fold(r, layer, factor, offset);
    good = realize_alias(r, node, input);
  } else if (good) {
    const struct net_tensor in = *realize_tensor(r, tensor);
    struct net_layer l = realize_layer(r, node, NET_DEPTHWISE, &tensor, 1, in.h, in.w, in.c);
    struct real_layer numbers = realize_numbers();
    l.weight_count = in.c, l.groups = in.c;
    numbers.weights = memory_copy(factor, in.c, sizeof *factor);
    numbers.bias = memory_copy(offset, in.c, sizeof *offset);
    realize_add(r, node, &l, &numbers);
  }
  free(factor);
  free(offset);
  return good;
}

bool realize_norm(struct realize *r, const struct graph_node *node) {
  const struct array *p[4];
  int tensor = realize_input(r, node, 0);
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

// x + c, x - c, x * c, x / c: one constant, or one for each channel.
bool realize_affine(struct realize *r, const struct graph_node *node, uint32_t input,
                    const struct array *constant) {
  int tensor = realize_input(r, node, input);
  if (tensor == NET_NONE)
    return false;
  uint32_t channels = realize_tensor(r, tensor)->c;
  size_t count = array_count(constant);
  if ((count != 1 && count != channels) ||
      (input == 1 && (strcmp(node->op, "Sub") == 0 || strcmp(node->op, "Div") == 0)))
    return graph_fail(r->error, node,
                      "a constant behind the operator, of one element or one for "
                      "each of the %u channels, is supported",
                      channels);
  float *factor = memory_new(channels, sizeof *factor),
        *offset = memory_new(channels, sizeof *offset);
  for (uint32_t c = 0; c < channels; c++) {
    float x = number(constant, c);
    factor[c] = strcmp(node->op, "Mul") == 0 ? x : strcmp(node->op, "Div") == 0 ? 1 / x : 1;
    offset[c] = strcmp(node->op, "Add") == 0 ? x : strcmp(node->op, "Sub") == 0 ? -x : 0;
  }
  return apply(r, node, input, factor, offset);
}
