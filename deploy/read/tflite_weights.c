// deploy/read/tflite_weights.c: layers with weights, from their quantized form.
//
// The file's sums are of (x - Z_x) * (w - Z_w) + bias, with pixels outside the input counting as
// nothing. Here: of x * (w - Z_w), pixels outside having the code Z_x, and
//   lambda = bias - Z_x * (sum of the filter's w - Z_w).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "deploy/memory.h"
#include "tflite_lowering.h"

// Sizes of a layer and how its weights stand in the file: filter f's weight i at
// data[f * filter_step + i * weight_step].
struct geometry {
  uint32_t filters, taps;
  size_t filter_step, weight_step;
};

// uint8 weights are stored less 128, and so is their zero.
static int offset_of(const struct tflite_tensor *weights) {
  return weights->type == TFLITE_UINT8 ? 128 : 0;
}

static int8_t weight_at(const struct tflite_tensor *weights, size_t i) {
  return (int8_t)(weights->data[i] ^ (weights->type == TFLITE_UINT8 ? 0x80 : 0));
}

static int32_t bias_of(const struct lowering *l, uint32_t filter) {
  const struct tflite_tensor *bias = lowering_input(l, 2);
  int32_t value = 0;
  if (bias && bias->data)
    memcpy(&value, bias->data + 4 * (size_t)filter, 4);
  return value;
}

// Whole biases count products of codes.
static float real_bias(const struct lowering *l, uint32_t f) {
  const struct tflite_tensor *in = lowering_input(l, 0), *w = lowering_input(l, 1);
  if (lowering_input(l, 2)->type != TFLITE_INT32)
    return lowering_real(l, lowering_constant(l, 2), f);
  float scale = tflite_scale(l->model, w, w->scales.count > 1 ? f : 0);
  return tflite_scale(l->model, in, 0) * scale * (float)bias_of(l, f);
}

static void take_real_weights(struct lowering *l, const struct geometry *g, size_t count) {
  const struct tflite_tensor *w = lowering_constant(l, 1), *bias = lowering_input(l, 2);
  l->numbers.weights = memory_new(count, sizeof(float));
  for (size_t f = 0; f < g->filters; f++) {
    for (size_t i = 0; i < g->taps; i++)
      l->numbers.weights[f * g->taps + i] =
          lowering_real(l, w, f * g->filter_step + i * g->weight_step);
  }
  l->numbers.bias = bias ? memory_new(g->filters, sizeof(float)) : NULL;
  for (size_t f = 0; bias && f < g->filters; f++)
    l->numbers.bias[f] = real_bias(l, f);
}

static void take_weights(struct lowering *l, const struct geometry *g, struct net_layer *layer) {
  const struct tflite_tensor *w = lowering_input(l, 1);
  layer->weight_count = (size_t)g->filters * g->taps;
  if (l->real) {
    take_real_weights(l, g, layer->weight_count);
    return;
  }
  layer->weight_bits = 8;
  layer->weights = memory_new(layer->weight_count, 1);
  for (size_t f = 0; f < g->filters; f++) {
    for (size_t i = 0; i < g->taps; i++)
      layer->weights[f * g->taps + i] = weight_at(w, f * g->filter_step + i * g->weight_step);
  }
  bool zeros = false;
  for (uint32_t f = 0; f < g->filters; f++)
    zeros |= tflite_zero(l->model, w, f) != offset_of(w);
  if (!zeros)
    return;
  layer->weight_zero_per_channel = w->zeros.count > 1;
  uint32_t count = layer->weight_zero_per_channel ? g->filters : 1;
  layer->weight_zero = memory_new(count, sizeof *layer->weight_zero);
  for (uint32_t f = 0; f < count; f++)
    layer->weight_zero[f] = (int16_t)(tflite_zero(l->model, w, f) - offset_of(w));
}

// The two scales of fully connected layers per tensor, and of uint8, are multiplied in float32.
static double factor_of(const struct lowering *l, uint32_t filter) {
  const struct tflite_tensor *in = lowering_input(l, 0), *w = lowering_input(l, 1);
  float x_scale = tflite_scale(l->model, in, 0), w_scale = tflite_scale(l->model, w, filter);
  double out_scale = (double)tflite_scale(l->model, lowering_output(l), 0);
  if ((l->op->code == TFLITE_FULLY_CONNECTED || in->type == TFLITE_UINT8) && w->scales.count == 1)
    return (double)(x_scale * w_scale) / out_scale;
  return (double)x_scale * (double)w_scale / out_scale;
}

static void take_requant(struct lowering *l, const struct geometry *g, struct net_layer *layer) {
  const struct tflite_tensor *out = lowering_output(l), *in = lowering_input(l, 0);
  struct net_requant *rq = &layer->requant;
  lowering_clip(l, rq);
  if (l->real)
    return;
  int32_t x_zero = tflite_zero(l->model, in, 0), out_zero = tflite_zero(l->model, out, 0);
  rq->kind = NET_TFLITE, rq->zero = out_zero;
  rq->per_channel = lowering_input(l, 1)->scales.count > 1;
  uint32_t kappas = rq->per_channel ? g->filters : 1;
  rq->kappa = memory_new(kappas, sizeof *rq->kappa);
  rq->shifts = memory_new(kappas, 1);
  rq->lambda = memory_new(g->filters, sizeof *rq->lambda);
  for (uint32_t f = 0; f < kappas; f++) {
    struct tflite_factor factor = tflite_factor_of(factor_of(l, f));
    rq->kappa[f] = factor.multiplier, rq->shifts[f] = factor.shift;
  }
  for (uint32_t f = 0; f < g->filters; f++) {
    int64_t sum = 0;
    int zero = layer->weight_zero ? layer->weight_zero[layer->weight_zero_per_channel ? f : 0] : 0;
    for (uint32_t i = 0; i < g->taps; i++)
      sum += layer->weights[(size_t)f * g->taps + i] - zero;
    rq->lambda[f] = (int32_t)(uint32_t)(uint64_t)(bias_of(l, f) - x_zero * sum);
  }
}

// ---------------------------------------------------------------------------- checks

static bool one_or(uint32_t count, uint32_t channels) {
  return count == 1 || count == channels;
}

static bool check_codes(const struct lowering *l, uint32_t filters, uint32_t dimension,
                        uint32_t rank) {
  const struct tflite_tensor *w = lowering_input(l, 1), *bias = lowering_input(l, 2);
  if (!w || !w->data)
    return lowering_fail(l, "weights that are no constant");
  if (w->type != TFLITE_INT8 && w->type != TFLITE_UINT8)
    return lowering_fail(l,
                         "weights of type %s beside 8-bit activations; int8 and uint8 are "
                         "supported",
                         tflite_type_name(w->type));
  if (w->rank != rank)
    return lowering_fail(l, "weights with %u dimensions; %u are needed", w->rank, rank);
  if (!one_or(w->scales.count, filters) || !one_or(w->zeros.count, filters) ||
      (w->scales.count > 1 && w->dimension != (int32_t)dimension))
    return lowering_fail(l,
                         "weights with %u scales along dimension %d; one, or one for each of "
                         "the %u outputs along %u",
                         w->scales.count, w->dimension, filters, dimension);
  for (uint32_t f = 0; f < filters; f++) {
    int32_t zero = tflite_zero(l->model, w, f);
    if (!(tflite_scale(l->model, w, f) >= 0) || !isfinite(tflite_scale(l->model, w, f)))
      return lowering_fail(l, "weights of output %u without a scale", f);
    if (zero < -128 || zero > 255)
      return lowering_fail(l, "a weight's zero point of %d", zero);
  }
  if (bias && (bias->type != TFLITE_INT32 || !bias->data || tflite_elements(bias) != filters))
    return lowering_fail(l, "a bias that is not %u constants of type int32", filters);
  return true;
}

static bool check_real(const struct lowering *l, uint32_t filters, uint32_t rank) {
  const struct tflite_tensor *w = lowering_constant(l, 1), *bias = lowering_constant(l, 2);
  if (lowering_input(l, 0)->type != TFLITE_FLOAT32)
    return check_codes(l, filters, rank == 2 || l->op->code == TFLITE_CONV_2D ? 0 : 3, rank);
  if (!w || w->rank != rank || tflite_elements(w) != tflite_elements(lowering_input(l, 1)))
    return lowering_fail(
        l, "weights that are no constant of %u dimensions, in float32, float16 or 8 bits", rank);
  return bias || !lowering_input(l, 2)
             ? !bias || tflite_elements(bias) == filters ||
                   lowering_fail(l, "a bias that does not have %u elements", filters)
             : lowering_fail(l, "a bias that is no constant of float32 or float16");
}

static bool check_weights(const struct lowering *l, uint32_t filters, uint32_t dimension,
                          uint32_t rank) {
  return l->real ? check_real(l, filters, rank) : check_codes(l, filters, dimension, rank);
}

// ---------------------------------------------------------------------------- windows

void lowering_same(uint32_t size, uint32_t kernel, uint32_t stride, uint32_t dilation,
                   uint32_t *before, uint32_t *after) {
  uint64_t out = ((uint64_t)size + stride - 1) / stride;
  uint64_t needed = (out - 1) * stride + (uint64_t)(kernel - 1) * dilation + 1;
  uint64_t total = needed > size ? needed - size : 0;
  *before = (uint32_t)(total / 2), *after = (uint32_t)(total - total / 2);
}

static bool take_window(const struct lowering *l, const uint32_t in[3],
                        const struct tflite_tensor *w, struct net_layer *layer) {
  bool depthwise = l->op->code == TFLITE_DEPTHWISE_CONV_2D;
  int first = depthwise ? TFLITE_DEPTHWISE_DILATION_W : TFLITE_CONV_DILATION_W;
  int32_t stride[2] = {lowering_option(l, TFLITE_CONV_STRIDE_H, 0),
                       lowering_option(l, TFLITE_CONV_STRIDE_W, 0)};
  int32_t dilation[2] = {lowering_option(l, first + 1, 1), lowering_option(l, first, 1)};
  uint32_t before[2] = {0, 0}, after[2] = {0, 0};
  for (int i = 0; i < 2; i++) {
    if (stride[i] < 1 || stride[i] > 255 || dilation[i] < 1 || dilation[i] > 255 ||
        w->shape[1 + i] > 255)
      return lowering_fail(l,
                           "a kernel of %u, stride of %d or dilation of %d; 1 to 255 are "
                           "supported",
                           w->shape[1 + i], stride[i], dilation[i]);
    if (lowering_choice(l, TFLITE_CONV_PADDING) == TFLITE_SAME)
      lowering_same(in[i], w->shape[1 + i], (uint32_t)stride[i], (uint32_t)dilation[i], &before[i],
                    &after[i]);
  }
  struct tflite_padding pad = l->paddings[l->op->inputs[0]];
  before[0] += pad.top, after[0] += pad.bottom, before[1] += pad.left, after[1] += pad.right;
  if (before[0] > 255 || after[0] > 255 || before[1] > 255 || after[1] > 255)
    return lowering_fail(l, "more than 255 rows or columns of padding");
  layer->kernel_h = (uint8_t)w->shape[1], layer->kernel_w = (uint8_t)w->shape[2];
  layer->stride_h = (uint8_t)stride[0], layer->stride_w = (uint8_t)stride[1];
  layer->dilation_h = (uint8_t)dilation[0], layer->dilation_w = (uint8_t)dilation[1];
  layer->pad_top = (uint8_t)before[0], layer->pad_bottom = (uint8_t)after[0];
  layer->pad_left = (uint8_t)before[1], layer->pad_right = (uint8_t)after[1];
  return true;
}

// ---------------------------------------------------------------------------- layers

// The tensor before the padding, in the shape that it has there.
static int padded_operand(struct lowering *l, uint32_t in[3]) {
  struct tflite_padding *pad = &l->paddings[l->op->inputs[0]], kept = *pad;
  bool padded = lowering_is_padded(l, l->op->inputs[0]);
  *pad = (struct tflite_padding){0, 0, 0, 0};
  if (!lowering_shape(l, lowering_input(l, 0), in))
    return -1;
  int input = lowering_operand(l, 0, !padded);
  *pad = kept;
  return input;
}

static bool convolution(struct lowering *l) {
  const struct tflite_tensor *w = lowering_input(l, 1);
  bool depthwise = l->op->code == TFLITE_DEPTHWISE_CONV_2D;
  uint32_t in[3];
  int input = padded_operand(l, in);
  if (input < 0)
    return false;
  if (!w || w->rank != 4)
    return lowering_fail(l, "weights that do not have four dimensions");
  uint32_t filters = w->shape[depthwise ? 3 : 0], width = depthwise ? 1 : w->shape[3];
  if (!check_weights(l, filters, depthwise ? 3 : 0, 4))
    return false;
  if (depthwise ? w->shape[0] != 1 || filters % in[2] : in[2] % width)
    return lowering_fail(l, "weights of %u x %u x %u x %u for %u channels", w->shape[0],
                         w->shape[1], w->shape[2], w->shape[3], in[2]);
  int output = lowering_result(l);
  if (output < 0)
    return false;
  bool plain = depthwise && filters == in[2] && in[2] > 1;
  struct net_layer layer = lowering_layer(l, plain ? NET_DEPTHWISE : NET_CONV, input, output);
  layer.groups = depthwise ? in[2] : in[2] / width;
  layer.pad_value = tflite_zero(l->model, lowering_input(l, 0), 0);
  uint32_t taps = w->shape[1] * w->shape[2] * width;
  struct geometry g = {filters, taps, depthwise ? 1 : taps, depthwise ? filters : 1};
  if (take_window(l, in, w, &layer)) {
    take_weights(l, &g, &layer);
    take_requant(l, &g, &layer);
    return lowering_add(l, &layer);
  }
  free(layer.name);
  free(layer.inputs);
  return false;
}

static bool fully_connected(struct lowering *l) {
  const struct tflite_tensor *w = lowering_input(l, 1);
  int input = lowering_operand(l, 0, false);
  if (input < 0)
    return false;
  if (!w || w->rank != 2)
    return lowering_fail(l, "weights that do not have two dimensions");
  if (!check_weights(l, w->shape[0], 0, 2))
    return false;
  if (tflite_elements(lowering_input(l, 0)) != w->shape[1])
    return lowering_fail(l, "%u weights an output for %llu inputs", w->shape[1],
                         (unsigned long long)tflite_elements(lowering_input(l, 0)));
  int output = lowering_result(l);
  if (output < 0)
    return false;
  struct net_layer layer = lowering_layer(l, NET_LINEAR, input, output);
  layer.pad_value = tflite_zero(l->model, lowering_input(l, 0), 0);
  struct geometry g = {w->shape[0], w->shape[1], w->shape[1], 1};
  take_weights(l, &g, &layer);
  take_requant(l, &g, &layer);
  return lowering_add(l, &layer);
}

bool lowering_weights(struct lowering *l) {
  return l->op->code == TFLITE_FULLY_CONNECTED ? fully_connected(l) : convolution(l);
}
