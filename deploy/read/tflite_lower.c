// deploy/read/tflite_lower.c: operators without weights, and the way through the model.
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "deploy/memory.h"
#include "tflite_lowering.h"

bool lowering_fail(const struct lowering *l, const char *format, ...) {
  char reason[NET_ERROR_TEXT / 2];
  va_list args;
  va_start(args, format);
  vsnprintf(reason, sizeof reason, format, args);
  va_end(args);
  net_fail(l->error, "%.150s: operator %u (%s): %s", l->name, l->number,
           l->op->custom ? l->op->custom : tflite_code_name(l->op->code), reason);
  if (l->error)
    l->error->status = EX_UNAVAILABLE;
  return false;
}

const struct tflite_tensor *lowering_input(const struct lowering *l, uint32_t i) {
  return i < l->op->input_count && l->op->inputs[i] >= 0 ? &l->model->tensors[l->op->inputs[i]]
                                                         : NULL;
}

const struct tflite_tensor *lowering_output(const struct lowering *l) {
  return &l->model->tensors[l->op->outputs[0]];
}

int32_t lowering_option(const struct lowering *l, int field, int32_t otherwise) {
  struct flatbuffer fb = l->model->fb;
  return flatbuffer_i32(&fb, l->op->options, field, otherwise);
}

uint8_t lowering_choice(const struct lowering *l, int field) {
  struct flatbuffer fb = l->model->fb;
  return flatbuffer_u8(&fb, l->op->options, field, 0);
}

// ---------------------------------------------------------------------------- tensors

bool lowering_shape(const struct lowering *l, const struct tflite_tensor *t, uint32_t hwc[3]) {
  uint32_t batch = t->rank > 1 ? t->shape[0] : 1;
  hwc[0] = hwc[1] = hwc[2] = 1;
  if (t->rank > 4 || batch != 1)
    return lowering_fail(l,
                         "tensor '%.60s' with %u dimensions and a batch of %u; at most four "
                         "dimensions and a batch of 1 are supported",
                         t->name, t->rank, batch);
  for (uint32_t i = 0; i < 3; i++)
    hwc[i] = t->rank > 3 - i || (i == 2 && t->rank) ? t->shape[t->rank - 3 + i] : 1;
  return true;
}

static bool check_type(const struct lowering *l, const struct tflite_tensor *t) {
  if (l->real && t->type == TFLITE_FLOAT32)
    return true;
  if (t->type != TFLITE_INT8 && t->type != TFLITE_UINT8)
    return lowering_fail(l, "tensor '%.60s' of type %s; int8 and uint8 are supported", t->name,
                         tflite_type_name(t->type));
  if (t->scales.count != 1 || !(tflite_scale(l->model, t, 0) > 0) ||
      !isfinite(tflite_scale(l->model, t, 0)))
    return lowering_fail(l, "tensor '%.60s' has no scale of its own", t->name);
  int32_t zero = tflite_zero(l->model, t, 0), low = t->type == TFLITE_INT8 ? -128 : 0;
  return (zero >= low && zero <= low + 255) ||
         lowering_fail(l, "tensor '%.60s' with a zero point of %d", t->name, zero);
}

static bool name_taken(const struct net *net, const char *name) {
  for (uint32_t i = 0; i < net->tensor_count; i++) {
    if (strcmp(net->tensors[i].name, name) == 0)
      return true;
  }
  return false;
}

static int new_tensor(struct lowering *l, int number) {
  const struct tflite_tensor *t = &l->model->tensors[number];
  uint32_t hwc[3];
  if (!lowering_shape(l, t, hwc) || !check_type(l, t))
    return -1;
  char *name = !*t->name || name_taken(l->net, t->name) ? memory_format("%s#%d", t->name, number)
                                                        : memory_text(t->name);
  struct net_tensor tensor = {.name = name,
                              .h = hwc[0],
                              .w = hwc[1],
                              .c = hwc[2],
                              .bits = 8,
                              .is_signed = t->type == TFLITE_INT8,
                              .scale = (double)tflite_scale(l->model, t, 0),
                              .zero = tflite_zero(l->model, t, 0)};
  l->tensors[number] = net_add_tensor(l->net, &tensor);
  l->read = memory_grow(l->read, l->net->tensor_count, sizeof *l->read);
  l->read[l->tensors[number]] = false;
  free(name);
  return l->tensors[number];
}

static bool is_input(const struct net *net, int number) {
  for (uint32_t i = 0; i < net->input_count; i++) {
    if (net->inputs[i] == number)
      return true;
  }
  return false;
}

// Element order stays: an input of the network that nothing has read yet takes any shape.
static bool reshape(struct lowering *l, int number, const uint32_t hwc[3]) {
  struct net_tensor *t = &l->net->tensors[number];
  if (t->h == hwc[0] && t->w == hwc[1] && t->c == hwc[2])
    return true;
  if (!is_input(l->net, number) || l->read[number] ||
      (uint64_t)t->h * t->w * t->c != (uint64_t)hwc[0] * hwc[1] * hwc[2])
    return lowering_fail(l,
                         "'%.60s' read as %u x %u x %u, but computed as %u x %u x %u; only "
                         "inputs are reshaped",
                         t->name, hwc[0], hwc[1], hwc[2], t->h, t->w, t->c);
  t->h = hwc[0], t->w = hwc[1], t->c = hwc[2];
  return true;
}

int lowering_operand(struct lowering *l, uint32_t i, bool shaped) {
  const struct tflite_tensor *t = lowering_input(l, i);
  if (!t) {
    lowering_fail(l, "input %u is left out", i);
    return -1;
  }
  int number = l->tensors[l->op->inputs[i]];
  const struct tflite_padding *p = &l->paddings[l->op->inputs[i]];
  uint32_t hwc[3];
  if (number < 0)
    lowering_fail(l, "input %u, '%.60s', is %s; computed tensors are supported", i, t->name,
                  t->data ? "a constant" : "not computed");
  else if (p->top || p->bottom || p->left || p->right)
    return lowering_padded(l, i);
  else if (check_type(l, t) &&
           (!shaped || (lowering_shape(l, t, hwc) && reshape(l, number, hwc)))) {
    l->read[number] = true;
    return number;
  }
  return -1;
}

int lowering_result(struct lowering *l) {
  return new_tensor(l, l->op->outputs[0]);
}

struct net_layer lowering_layer(const struct lowering *l, enum net_kind kind, int input,
                                int output) {
  struct net_layer layer = {.name = memory_format("%u_%s", l->number, net_kind_name(kind)),
                            .kind = kind,
                            .inputs = memory_copy(&input, 1, sizeof input),
                            .input_count = 1,
                            .output = output,
                            .kernel_h = 1,
                            .kernel_w = 1,
                            .stride_h = 1,
                            .stride_w = 1,
                            .dilation_h = 1,
                            .dilation_w = 1,
                            .groups = 1};
  const struct net_tensor *out = &l->net->tensors[output];
  layer.requant.kind = NET_COPY;
  layer.requant.low = out->is_signed ? -128 : 0, layer.requant.high = layer.requant.low + 255;
  return layer;
}

bool lowering_add(struct lowering *l, struct net_layer *layer) {
  if (l->real)
    real_add_layer(l->real, layer, &l->numbers);
  else
    net_add_layer(l->net, layer);
  l->numbers = (struct real_layer){.low = -INFINITY, .high = INFINITY};
  return true;
}

static void real_clip(struct lowering *l, int activation) {
  if (activation == TFLITE_NO_ACTIVATION)
    return;
  l->numbers.low = activation == TFLITE_FUSED_RELU_N1_TO_1 ? -1 : 0;
  l->numbers.high = activation == TFLITE_FUSED_RELU6          ? 6
                    : activation == TFLITE_FUSED_RELU_N1_TO_1 ? 1
                                                              : INFINITY;
}

void lowering_clip(struct lowering *l, int activation, struct net_requant *rq) {
  const struct tflite_tensor *out = lowering_output(l);
  float scale = tflite_scale(l->model, out, 0);
  int32_t zero = tflite_zero(l->model, out, 0);
  if (l->real)
    real_clip(l, activation);
  if (l->real && out->type == TFLITE_FLOAT32)
    return;
  struct tflite_range range = tflite_range_of(out->type, activation, scale, zero);
  rq->low = range.low, rq->high = range.high;
  if (zero == range.low) // a ReLU that the codes imply; their other end is the quantizer's choice
    l->numbers.low = 0;
}

const struct tflite_tensor *lowering_constant(const struct lowering *l, uint32_t i) {
  if (i >= l->op->input_count || l->op->inputs[i] < 0 || l->constants[l->op->inputs[i]] < 0)
    return NULL;
  return &l->model->tensors[l->constants[l->op->inputs[i]]];
}

// IEEE 754 binary16 to float.
static float half(uint16_t bits) {
  int exponent = bits >> 10 & 31, mantissa = bits & 1023;
  float size = exponent == 31 ? (mantissa ? NAN : INFINITY)
               : exponent     ? ldexpf((float)(1024 + mantissa), exponent - 25)
                              : ldexpf((float)mantissa, -24);
  return bits >> 15 ? -size : size;
}

// The channel that element i belongs to.
static uint32_t channel_of(const struct tflite_tensor *t, size_t i) {
  size_t below = 1;
  if (t->dimension < 0 || t->dimension >= (int32_t)t->rank)
    return 0;
  for (uint32_t d = (uint32_t)t->dimension + 1; d < t->rank; d++)
    below *= t->shape[d];
  return (uint32_t)(i / below % t->shape[t->dimension]);
}

static float dequantized(const struct lowering *l, const struct tflite_tensor *t, size_t i) {
  uint32_t c = channel_of(t, i);
  uint32_t scale = c < t->scales.count ? c : 0, zero = c < t->zeros.count ? c : 0;
  int code = t->type == TFLITE_INT8 ? (int8_t)t->data[i] : t->data[i];
  return tflite_scale(l->model, t, scale) * (float)(code - tflite_zero(l->model, t, zero));
}

float lowering_real(const struct lowering *l, const struct tflite_tensor *constant, size_t i) {
  if (constant->type == TFLITE_INT8 || constant->type == TFLITE_UINT8)
    return dequantized(l, constant, i);
  float real;
  uint16_t bits;
  if (constant->type == TFLITE_FLOAT16) {
    memcpy(&bits, constant->data + 2 * i, 2);
    return half(bits);
  }
  memcpy(&real, constant->data + 4 * i, 4);
  return real;
}

// ---------------------------------------------------------------------------- other names of
// tensors

static bool alias(struct lowering *l) {
  int number = l->tensors[l->op->inputs[0]];
  if (number < 0)
    return lowering_fail(l, "its input is not computed");
  l->tensors[l->op->outputs[0]] = number;
  l->paddings[l->op->outputs[0]] = l->paddings[l->op->inputs[0]];
  return true;
}

// Of constants in float16: their data under another name.
static bool dequantize(struct lowering *l) {
  int constant = l->constants[l->op->inputs[0]];
  if (!l->real || constant < 0)
    return alias(l);
  l->constants[l->op->outputs[0]] = constant;
  return true;
}

static bool same_count(const struct lowering *l) {
  return tflite_elements(lowering_input(l, 0)) == tflite_elements(lowering_output(l)) ||
         lowering_fail(l, "as many elements must go out as come in");
}

static bool same_quantization(const struct lowering *l, const struct tflite_tensor *a,
                              const struct tflite_tensor *b) {
  float ratio = tflite_scale(l->model, a, 0) / tflite_scale(l->model, b, 0);
  return a->type == b->type && tflite_zero(l->model, a, 0) == tflite_zero(l->model, b, 0) &&
         ratio >= 1 && ratio <= 1;
}

// More channels, of zeros: a convolution by the unit matrix.
static bool pad_channels(struct lowering *l, uint32_t before) {
  int input = lowering_operand(l, 0, true);
  int output = input < 0 ? -1 : lowering_result(l);
  if (output < 0)
    return false;
  uint32_t in = l->net->tensors[input].c, out = l->net->tensors[output].c;
  struct net_layer layer = lowering_layer(l, NET_CONV, input, output);
  struct net_requant *rq = &layer.requant;
  layer.weight_count = (size_t)in * out, layer.weight_bits = 8, layer.groups = 1;
  if (l->real) {
    l->numbers.weights = memory_new(layer.weight_count, sizeof *l->numbers.weights);
    for (uint32_t c = 0; c < in; c++)
      l->numbers.weights[(size_t)(before + c) * in + c] = 1;
    return lowering_add(l, &layer);
  }
  layer.weights = memory_new(layer.weight_count, 1);
  rq->kind = NET_NORM, rq->per_channel = true;
  rq->kappa = memory_new(out, sizeof *rq->kappa);
  rq->lambda = memory_new(out, sizeof *rq->lambda);
  for (uint32_t c = 0; c < out; c++) {
    bool kept = c >= before && c < before + in;
    rq->kappa[c] = 1;
    rq->lambda[c] = kept ? 0 : tflite_zero(l->model, lowering_input(l, 0), 0);
    if (kept)
      layer.weights[(size_t)c * in + c - before] = 1;
  }
  return lowering_add(l, &layer);
}

// Of PADV2: the code of 0.
static bool fills_zeros(const struct lowering *l) {
  const struct tflite_tensor *in = lowering_input(l, 0), *fill = lowering_input(l, 2);
  if (l->op->code != TFLITE_PADV2)
    return true;
  float real = 1;
  if (fill && fill->data && fill->type == TFLITE_FLOAT32)
    memcpy(&real, fill->data, sizeof real);
  if (fill && fill->data && fill->size && (fill->type == TFLITE_INT8 || fill->type == TFLITE_UINT8))
    real = (float)((fill->type == TFLITE_INT8 ? (int8_t)*fill->data : *fill->data) -
                   tflite_zero(l->model, in, 0));
  return !(fabsf(real) > 0) || lowering_fail(l, "a padding of other than 0");
}

static bool pad(struct lowering *l) {
  const struct tflite_tensor *in = lowering_input(l, 0), *pads = lowering_input(l, 1);
  if (!fills_zeros(l))
    return false;
  if (!pads || !pads->data || pads->type != TFLITE_INT32 || in->rank != 4 ||
      tflite_elements(pads) != 8)
    return lowering_fail(l, "a padding that is not constant, of type int32, on four dimensions");
  int32_t n[8];
  memcpy(n, pads->data, sizeof n);
  for (int i = 0; i < 8; i++) {
    bool picture = i >= 2 && i < 6, channels = i >= 6 && !(n[2] | n[3] | n[4] | n[5]);
    if (n[i] < 0 || n[i] > (picture ? 255 : 65535) || (n[i] && !picture && !channels))
      return lowering_fail(l,
                           "a padding of %d in dimension %d; 0 to 255 rows and columns, or else "
                           "channels, are supported",
                           n[i], i / 2);
  }
  const struct tflite_tensor *out = lowering_output(l);
  if ((n[6] || n[7]) &&
      (out->rank != 4 || in->shape[3] + (uint32_t)(n[6] + n[7]) != out->shape[3] ||
       (!l->real && !same_quantization(l, in, out))))
    return lowering_fail(l, "an output whose shape or scale does not fit");
  if (n[6] || n[7])
    return pad_channels(l, (uint32_t)n[6]);
  if (!alias(l))
    return false;
  struct tflite_padding *p = &l->paddings[l->op->outputs[0]];
  p->top += (uint32_t)n[2], p->bottom += (uint32_t)n[3];
  p->left += (uint32_t)n[4], p->right += (uint32_t)n[5];
  return true;
}

// The end of the network: which class has the largest output is the same without it.
static bool softmax(struct lowering *l) {
  for (uint32_t i = l->number + 1; i < l->model->op_count; i++) {
    const struct tflite_op *op = &l->model->ops[i];
    for (uint32_t k = 0; k < op->input_count; k++) {
      if (op->inputs[k] == l->op->outputs[0] && op->code != TFLITE_DEQUANTIZE)
        return lowering_fail(l, "it stands inside the network; it is dropped at the end only");
    }
  }
  return alias(l);
}

// ---------------------------------------------------------------------------- tables

static int add_table(struct lowering *l, int input, const struct tflite_map *map, int output) {
  struct net_layer layer = lowering_layer(l, NET_TABLE, input, output);
  bool is_signed = l->net->tensors[input].is_signed;
  layer.table = memory_new(256, 1);
  for (int i = 0; i < 256; i++)
    layer.table[i] = (uint8_t)tflite_mapped(map, is_signed ? (int8_t)i : i);
  lowering_add(l, &layer);
  return output;
}

static bool real_table(struct lowering *l) {
  int input = lowering_operand(l, 0, true);
  int output = input < 0 ? -1 : lowering_result(l);
  if (output < 0)
    return false;
  struct net_layer layer = lowering_layer(l, NET_TABLE, input, output);
  struct flatbuffer fb = l->model->fb;
  l->numbers.alpha = flatbuffer_float(&fb, l->op->options, TFLITE_LEAKY_ALPHA, 0);
  l->numbers.function = l->op->code == TFLITE_LOGISTIC     ? REAL_SIGMOID
                        : l->op->code == TFLITE_TANH       ? REAL_TANH
                        : l->op->code == TFLITE_HARD_SWISH ? REAL_HARD_SWISH
                        : l->op->code == TFLITE_LEAKY_RELU ? REAL_LEAKY
                                                           : REAL_IDENTITY;
  if (l->op->code == TFLITE_RELU || l->op->code == TFLITE_RELU6 ||
      l->op->code == TFLITE_RELU_N1_TO_1)
    lowering_clip(l,
                  l->op->code == TFLITE_RELU    ? TFLITE_FUSED_RELU
                  : l->op->code == TFLITE_RELU6 ? TFLITE_FUSED_RELU6
                                                : TFLITE_FUSED_RELU_N1_TO_1,
                  &layer.requant);
  return lowering_add(l, &layer);
}

static bool table(struct lowering *l) {
  const struct tflite_tensor *in = lowering_input(l, 0), *out = lowering_output(l);
  struct flatbuffer fb = l->model->fb;
  if (!isfinite(flatbuffer_float(&fb, l->op->options, TFLITE_LEAKY_ALPHA, 0)))
    return lowering_fail(l, "a slope that is not finite");
  if (l->real)
    return real_table(l);
  int input = lowering_operand(l, 0, true);
  int output = input < 0 ? -1 : lowering_result(l);
  if (output < 0)
    return false;
  struct tflite_map map = {.code = l->op->code,
                           .type = out->type,
                           .in_scale = tflite_scale(l->model, in, 0),
                           .out_scale = tflite_scale(l->model, out, 0),
                           .alpha = flatbuffer_float(&fb, l->op->options, TFLITE_LEAKY_ALPHA, 0),
                           .in_zero = tflite_zero(l->model, in, 0),
                           .out_zero = tflite_zero(l->model, out, 0)};
  add_table(l, input, &map, output);
  return true;
}

// Of floats: the network begins here.
static bool quantize(struct lowering *l) {
  const struct tflite_tensor *in = lowering_input(l, 0);
  if (in->type != TFLITE_FLOAT32)
    return table(l);
  for (uint32_t i = 0; i < l->model->input_count; i++) {
    if (l->model->inputs[i] == l->op->inputs[0] && lowering_result(l) >= 0) {
      struct net *net = l->net;
      net->inputs = memory_grow(net->inputs, net->input_count + 1, sizeof *net->inputs);
      net->inputs[net->input_count++] = l->tensors[l->op->outputs[0]];
      return true;
    }
  }
  return lowering_fail(l, "floats that do not come from outside");
}

// ---------------------------------------------------------------------------- pools

static bool pool_window(struct lowering *l, struct net_layer *layer) {
  const struct net_tensor *in = net_input(l->net, layer, 0);
  int32_t n[4] = {
      lowering_option(l, TFLITE_POOL_WINDOW_H, 0), lowering_option(l, TFLITE_POOL_WINDOW_W, 0),
      lowering_option(l, TFLITE_CONV_STRIDE_H, 0), lowering_option(l, TFLITE_CONV_STRIDE_W, 0)};
  for (int i = 0; i < 4; i++) {
    if (n[i] < 1 || n[i] > 255)
      return lowering_fail(l, "a window or stride of %d; 1 to 255 are supported", n[i]);
  }
  uint32_t before[2] = {0, 0}, after[2] = {0, 0};
  if (lowering_choice(l, TFLITE_CONV_PADDING) == TFLITE_SAME) {
    lowering_same(in->h, (uint32_t)n[0], (uint32_t)n[2], 1, &before[0], &after[0]);
    lowering_same(in->w, (uint32_t)n[1], (uint32_t)n[3], 1, &before[1], &after[1]);
  }
  layer->kernel_h = (uint8_t)n[0], layer->kernel_w = (uint8_t)n[1];
  layer->stride_h = (uint8_t)n[2], layer->stride_w = (uint8_t)n[3];
  layer->pad_top = (uint8_t)before[0], layer->pad_bottom = (uint8_t)after[0];
  layer->pad_left = (uint8_t)before[1], layer->pad_right = (uint8_t)after[1];
  return true;
}

static bool pool(struct lowering *l) {
  bool max = l->op->code == TFLITE_MAX_POOL_2D;
  int input = lowering_operand(l, 0, true);
  int output = input < 0 ? -1 : lowering_result(l);
  if (output < 0)
    return false;
  if (!l->real && !same_quantization(l, lowering_input(l, 0), lowering_output(l)))
    return lowering_fail(l, "input and output with different scales");
  struct net_layer layer = lowering_layer(l, max ? NET_MAXPOOL : NET_AVGPOOL, input, output);
  layer.requant.kind = max ? NET_COPY : NET_DIVIDE;
  layer.requant.round = !max;
  lowering_clip(l, lowering_choice(l, TFLITE_POOL_ACTIVATION), &layer.requant);
  if (pool_window(l, &layer))
    return lowering_add(l, &layer);
  free(layer.name);
  free(layer.inputs);
  return false;
}

static void one_factor(struct net_requant *rq, struct tflite_factor factor, int64_t lambda) {
  rq->kind = NET_TFLITE;
  rq->kappa = memory_copy(&factor.multiplier, 1, sizeof factor.multiplier);
  rq->shifts = memory_copy(&factor.shift, 1, sizeof factor.shift);
  rq->lambda = memory_copy(&lambda, 1, sizeof lambda);
}

// The number of pixels goes into the factor.
static struct tflite_factor mean_factor(double ratio, uint32_t pixels) {
  struct tflite_factor f = tflite_factor_of(ratio);
  int bits = 31 - __builtin_clz(pixels), room = 31 + f.shift;
  bits = bits < room ? bits : room;
  f.multiplier = (int32_t)(((int64_t)f.multiplier << bits) / pixels);
  f.shift = (int8_t)(f.shift - bits);
  return f;
}

static bool over_pixels(const struct lowering *l) {
  const struct tflite_tensor *in = lowering_input(l, 0), *axes = lowering_input(l, 1);
  if (!axes || !axes->data || axes->type != TFLITE_INT32 || tflite_elements(axes) != 2 ||
      in->rank != 4)
    return false;
  int32_t a[2];
  memcpy(a, axes->data, sizeof a);
  for (int i = 0; i < 2; i++)
    a[i] += a[i] < 0 ? 4 : 0;
  return (a[0] == 1 && a[1] == 2) || (a[0] == 2 && a[1] == 1);
}

static bool mean(struct lowering *l) {
  const struct tflite_tensor *in = lowering_input(l, 0), *out = lowering_output(l);
  if (!over_pixels(l))
    return lowering_fail(l, "over other dimensions than height and width");
  int input = lowering_operand(l, 0, true);
  int output = input < 0 ? -1 : lowering_result(l);
  if (output < 0)
    return false;
  const struct net_tensor *t = &l->net->tensors[input];
  if (t->h > 255 || t->w > 255)
    return lowering_fail(l, "over %u x %u pixels; at most 255 x 255 are supported", t->h, t->w);
  uint32_t pixels = t->h * t->w;
  double ratio =
      l->real ? 0 : (double)tflite_scale(l->model, in, 0) / (double)tflite_scale(l->model, out, 0);
  struct net_layer layer = lowering_layer(l, NET_AVGPOOL, input, output);
  layer.kernel_h = (uint8_t)t->h, layer.kernel_w = (uint8_t)t->w;
  if (l->real)
    return lowering_add(l, &layer);
  one_factor(&layer.requant, mean_factor(ratio, pixels),
             -(int64_t)tflite_zero(l->model, in, 0) * pixels);
  layer.requant.zero = tflite_zero(l->model, out, 0);
  return lowering_add(l, &layer);
}

// ---------------------------------------------------------------------------- two inputs

static bool two_inputs(struct lowering *l, int inputs[2]) {
  for (uint32_t i = 0; i < 2; i++) {
    inputs[i] = lowering_operand(l, i, true);
    if (inputs[i] < 0)
      return false;
  }
  return true;
}

static void take_two(struct net_layer *layer, const int inputs[2]) {
  free(layer->inputs);
  layer->inputs = memory_copy(inputs, 2, sizeof *inputs);
  layer->input_count = 2;
}

// The operand that a constant of 8 bits or floats stands beside; -1: there is none.
static int beside_constant(const struct lowering *l) {
  for (uint32_t i = 0; i < 2 && l->op->input_count == 2; i++)
    if (l->op->inputs[i] >= 0 && l->tensors[l->op->inputs[i]] < 0 && lowering_constant(l, i) &&
        lowering_input(l, 1 - i))
      return (int)(1 - i);
  return -1;
}

// Of floats, what SUB takes away: times -1, by a layer of its own.
static int negated(struct lowering *l, int input) {
  struct net_tensor t = l->net->tensors[input];
  t.name = memory_format("%s subtrahend %u", t.name, l->number);
  int output = net_add_tensor(l->net, &t);
  free(t.name);
  l->read = memory_grow(l->read, l->net->tensor_count, sizeof *l->read);
  l->read[output] = true;
  struct net_layer layer = lowering_layer(l, NET_DEPTHWISE, input, output);
  layer.groups = l->net->tensors[input].c;
  layer.weight_count = layer.groups, layer.weight_bits = 8;
  l->numbers.weights = memory_new(layer.weight_count, sizeof *l->numbers.weights);
  for (uint32_t c = 0; c < layer.groups; c++)
    l->numbers.weights[c] = -1;
  lowering_add(l, &layer);
  return output;
}

// Both at twice the larger scale, times 2^20; what SUB takes away has a factor below 0.
static bool add(struct lowering *l) {
  enum { LEFT = 20 };
  int inputs[2];
  bool sub = l->op->code == TFLITE_SUB;
  if (beside_constant(l) >= 0)
    return lowering_by_constant(l, (uint32_t)beside_constant(l));
  if (!two_inputs(l, inputs))
    return false;
  if (sub && l->real)
    inputs[1] = negated(l, inputs[1]);
  int output = lowering_result(l);
  if (output < 0)
    return false;
  const struct tflite_tensor *out = lowering_output(l);
  float a = tflite_scale(l->model, lowering_input(l, 0), 0);
  float b = tflite_scale(l->model, lowering_input(l, 1), 0);
  double twice = (double)(2 * (a > b ? a : b));
  struct net_layer layer = lowering_layer(l, NET_ADD, inputs[0], output);
  take_two(&layer, inputs);
  lowering_clip(l, lowering_choice(l, TFLITE_ACTIVATION), &layer.requant);
  if (l->real)
    return lowering_add(l, &layer);
  layer.scaled = memory_new(2, sizeof *layer.scaled);
  for (uint32_t i = 0; i < 2; i++) {
    struct tflite_factor f = tflite_factor_of((double)(i ? b : a) / twice);
    layer.scaled[i] = (struct net_scaled){.mul = sub && i ? -f.multiplier : f.multiplier,
                                          .zero = tflite_zero(l->model, lowering_input(l, i), 0),
                                          .shift = LEFT,
                                          .fixed = true,
                                          .left = f.shift};
  }
  double scale = (double)tflite_scale(l->model, out, 0);
  one_factor(&layer.requant, tflite_factor_of(twice / ((1 << LEFT) * scale)), 0);
  layer.requant.zero = tflite_zero(l->model, out, 0);
  return lowering_add(l, &layer);
}

static bool multiply(struct lowering *l) {
  int inputs[2];
  if (beside_constant(l) >= 0)
    return lowering_by_constant(l, (uint32_t)beside_constant(l));
  int output = two_inputs(l, inputs) ? lowering_result(l) : -1;
  if (output < 0)
    return false;
  const struct tflite_tensor *out = lowering_output(l),
                             *in[2] = {lowering_input(l, 0), lowering_input(l, 1)};
  if (tflite_elements(in[0]) < tflite_elements(in[1])) { // the vector stands second
    const struct tflite_tensor *first = in[0];
    int number = inputs[0];
    in[0] = in[1], in[1] = first;
    inputs[0] = inputs[1], inputs[1] = number;
  }
  struct net_layer layer = lowering_layer(l, NET_MULTIPLY, inputs[0], output);
  take_two(&layer, inputs);
  lowering_clip(l, lowering_choice(l, TFLITE_ACTIVATION), &layer.requant);
  if (l->real)
    return lowering_add(l, &layer);
  layer.scaled = memory_new(2, sizeof *layer.scaled);
  for (uint32_t i = 0; i < 2; i++)
    layer.scaled[i] = (struct net_scaled){.mul = 1, .zero = tflite_zero(l->model, in[i], 0)};
  float real = tflite_scale(l->model, lowering_input(l, 0), 0) *
               tflite_scale(l->model, lowering_input(l, 1), 0) / tflite_scale(l->model, out, 0);
  one_factor(&layer.requant, tflite_factor_of((double)real), 0);
  layer.requant.zero = tflite_zero(l->model, out, 0);
  return lowering_add(l, &layer);
}

// Inputs of other scales pass through a table.
static int same_scale(struct lowering *l, uint32_t i) {
  const struct tflite_tensor *in = lowering_input(l, i), *out = lowering_output(l);
  int input = lowering_operand(l, i, true);
  if (input < 0 || l->real || same_quantization(l, in, out))
    return input;
  struct tflite_map map = {.code = TFLITE_CONCATENATION,
                           .type = out->type,
                           .in_scale = tflite_scale(l->model, in, 0),
                           .out_scale = tflite_scale(l->model, out, 0),
                           .in_zero = tflite_zero(l->model, in, 0),
                           .out_zero = tflite_zero(l->model, out, 0)};
  struct net_tensor t = l->net->tensors[input];
  t.scale = (double)map.out_scale, t.zero = map.out_zero, t.is_signed = out->type == TFLITE_INT8;
  t.name = memory_format("%s scaled %u.%u", l->net->tensors[input].name, l->number, i);
  int output = net_add_tensor(l->net, &t);
  free(t.name);
  l->read = memory_grow(l->read, l->net->tensor_count, sizeof *l->read);
  l->read[output] = true;
  return add_table(l, input, &map, output);
}

// Whether nothing but the reader of the network's results reads this concatenation.
static bool is_result(const struct lowering *l) {
  bool result = false;
  for (uint32_t i = 0; i < l->model->output_count; i++)
    result |= l->model->outputs[i] == l->op->outputs[0];
  for (uint32_t i = l->number + 1; i < l->model->op_count; i++)
    for (uint32_t k = 0; k < l->model->ops[i].input_count; k++)
      result &= l->model->ops[i].inputs[k] != l->op->outputs[0];
  int32_t axis = lowering_option(l, TFLITE_CONCATENATION_AXIS, 0);
  return result && axis != (int32_t)lowering_output(l)->rank - 1 && axis != -1;
}

static bool concatenate(struct lowering *l) {
  const struct tflite_tensor *out = lowering_output(l);
  int32_t axis = lowering_option(l, TFLITE_CONCATENATION_AXIS, 0);
  if (is_result(l)) // whoever reads them joins them
    return true;
  if (axis != (int32_t)out->rank - 1 && axis != -1)
    return lowering_fail(l, "along dimension %d; the last is supported", axis);
  if (!check_type(l, out))
    return false;
  int inputs[TFLITE_OPERANDS] = {same_scale(l, 0)};
  if (inputs[0] < 0)
    return false;
  for (uint32_t i = 1; i < l->op->input_count; i++) {
    inputs[i] = same_scale(l, i);
    if (inputs[i] < 0)
      return false;
  }
  int output = lowering_result(l);
  if (output < 0)
    return false;
  struct net_layer layer = lowering_layer(l, NET_CONCAT, inputs[0], output);
  free(layer.inputs);
  layer.inputs = memory_copy(inputs, l->op->input_count, sizeof *inputs);
  layer.input_count = l->op->input_count;
  lowering_clip(l, lowering_choice(l, TFLITE_CONCATENATION_ACTIVATION), &layer.requant);
  return lowering_add(l, &layer);
}

static bool resize(struct lowering *l) {
  int input = lowering_operand(l, 0, true);
  int output = input < 0 ? -1 : lowering_result(l);
  if (output < 0)
    return false;
  const struct net_tensor *in = &l->net->tensors[input], *out = &l->net->tensors[output];
  uint32_t h = out->h / in->h, w = out->w / in->w;
  if (lowering_choice(l, 0) || out->h % in->h || out->w % in->w || h > 255 || w > 255)
    return lowering_fail(l,
                         "from %u x %u to %u x %u; whole factors without aligned corners are "
                         "supported",
                         in->h, in->w, out->h, out->w);
  struct net_layer layer = lowering_layer(l, NET_RESIZE, input, output);
  layer.stride_h = (uint8_t)h, layer.stride_w = (uint8_t)w;
  return lowering_add(l, &layer);
}

// ---------------------------------------------------------------------------- all

// What computes the shape that a RESHAPE asks for: the file says its result.
static bool about_shapes(const struct lowering *l) {
  return (l->op->code == TFLITE_SHAPE || l->op->code == TFLITE_STRIDED_SLICE ||
          l->op->code == TFLITE_PACK) &&
         l->op->output_count == 1 && l->op->outputs[0] >= 0 &&
         (lowering_output(l)->type == TFLITE_INT32 || lowering_output(l)->type == TFLITE_INT64);
}

static bool lower_op(struct lowering *l) {
  if (about_shapes(l))
    return true;
  if (l->op->output_count != 1 || l->op->outputs[0] < 0 || !lowering_input(l, 0))
    return lowering_fail(l, "%u inputs and %u outputs", l->op->input_count, l->op->output_count);
  if (l->tensors[l->op->outputs[0]] >= 0)
    return lowering_fail(l, "its output is computed twice");
  switch (l->op->code) {
  case TFLITE_CONV_2D:
  case TFLITE_DEPTHWISE_CONV_2D:
  case TFLITE_FULLY_CONNECTED:
    return lowering_weights(l);
  case TFLITE_AVERAGE_POOL_2D:
  case TFLITE_MAX_POOL_2D:
    return pool(l);
  case TFLITE_MEAN:
    return mean(l);
  case TFLITE_ADD:
  case TFLITE_SUB:
    return add(l);
  case TFLITE_MUL:
    return multiply(l);
  case TFLITE_CONCATENATION:
    return concatenate(l);
  case TFLITE_RESIZE_NEAREST_NEIGHBOR:
    return resize(l);
  case TFLITE_RELU:
  case TFLITE_RELU6:
  case TFLITE_RELU_N1_TO_1:
  case TFLITE_LEAKY_RELU:
  case TFLITE_LOGISTIC:
  case TFLITE_TANH:
  case TFLITE_HARD_SWISH:
    return table(l);
  case TFLITE_QUANTIZE:
    return quantize(l);
  case TFLITE_DEQUANTIZE:
    return dequantize(l);
  case TFLITE_SOFTMAX:
  case TFLITE_ARG_MAX:
    return softmax(l);
  case TFLITE_PAD:
  case TFLITE_PADV2:
    return pad(l);
  case TFLITE_RESHAPE:
  case TFLITE_SQUEEZE:
  case TFLITE_EXPAND_DIMS:
    return same_count(l) && alias(l);
  default:
    return lowering_fail(l,
                         "not supported; CONV_2D, DEPTHWISE_CONV_2D, FULLY_CONNECTED, pools, MEAN, "
                         "ADD, SUB, MUL, CONCATENATION, RESHAPE, PAD, RESIZE_NEAREST_NEIGHBOR, "
                         "activations, QUANTIZE and SOFTMAX are");
  }
}

static bool lower_inputs(struct lowering *l) {
  for (uint32_t i = 0; i < l->model->input_count; i++) {
    int number = l->model->inputs[i];
    if (l->model->tensors[number].type == TFLITE_FLOAT32 && !l->real)
      continue; // begins behind a QUANTIZE
    if (l->tensors[number] >= 0)
      return lowering_fail(l, "input %u is named twice", i);
    int tensor = new_tensor(l, number);
    if (tensor < 0)
      return false;
    l->net->inputs = memory_grow(l->net->inputs, l->net->input_count + 1, sizeof(int));
    l->net->inputs[l->net->input_count++] = tensor;
  }
  return true;
}

static void add_output(struct lowering *l, int tensor) {
  l->net->outputs = memory_grow(l->net->outputs, l->net->output_count + 1, sizeof(int));
  l->net->outputs[l->net->output_count++] = tensor;
}

// The parts of a concatenation that is a result; false: it is none.
static bool add_parts(struct lowering *l, int result) {
  for (uint32_t i = 0; i < l->model->op_count; i++) {
    const struct tflite_op *op = &l->model->ops[i];
    bool known = op->code == TFLITE_CONCATENATION && op->outputs[0] == result;
    for (uint32_t k = 0; known && k < op->input_count; k++)
      known = op->inputs[k] >= 0 && l->tensors[op->inputs[k]] >= 0;
    for (uint32_t k = 0; known && k < op->input_count; k++)
      add_output(l, l->tensors[op->inputs[k]]);
    if (known)
      return true;
  }
  return false;
}

static bool lower_outputs(struct lowering *l) {
  for (uint32_t i = 0; i < l->model->output_count; i++) {
    int tensor = l->tensors[l->model->outputs[i]];
    if (tensor < 0 && !add_parts(l, l->model->outputs[i]))
      return net_fail(l->error, "%s: output '%.60s' is not computed", l->name,
                      l->model->tensors[l->model->outputs[i]].name);
    if (tensor >= 0)
      add_output(l, tensor);
  }
  return true;
}

static bool lower_all(struct lowering *l) {
  static const struct tflite_op ends = {.code = TFLITE_QUANTIZE};
  l->op = &ends;
  if (!lower_inputs(l))
    return false;
  for (l->number = 0; l->number < l->model->op_count; l->number++) {
    l->op = &l->model->ops[l->number];
    if (!lower_op(l))
      return false;
  }
  struct net_error reason = {.text = ""};
  if (!lower_outputs(l))
    return false;
  return (l->real ? real_check(l->real, &reason) : net_check(l->net, &reason)) ||
         net_fail(l->error, "%.150s: %.300s", l->name, reason.text);
}

static bool lower_model(struct lowering *l) {
  const struct tflite_model *model = l->model;
  l->numbers = (struct real_layer){.low = -INFINITY, .high = INFINITY};
  l->tensors = memory_new(model->tensor_count, sizeof *l->tensors);
  l->constants = memory_new(model->tensor_count, sizeof *l->constants);
  l->paddings = memory_new(model->tensor_count, sizeof *l->paddings);
  for (uint32_t i = 0; i < model->tensor_count; i++) {
    const struct tflite_tensor *t = &model->tensors[i];
    bool codes = (t->type == TFLITE_INT8 || t->type == TFLITE_UINT8) && t->scales.count;
    bool real = t->data && (t->type == TFLITE_FLOAT32 || t->type == TFLITE_FLOAT16 || codes);
    l->tensors[i] = -1, l->constants[i] = real ? (int)i : -1;
  }
  bool good = lower_all(l);
  if (!good && l->error && !l->error->status)
    l->error->status = EX_DATAERR;
  free(l->tensors);
  free(l->constants);
  free(l->paddings);
  free(l->read);
  free(l->numbers.weights);
  free(l->numbers.bias);
  return good;
}

struct net *tflite_lower(const char *name, const struct tflite_model *model,
                         struct net_error *error) {
  struct lowering l = {.name = name, .model = model, .net = net_new(name), .error = error};
  if (lower_model(&l))
    return l.net;
  net_free(l.net);
  return NULL;
}

struct real_net *tflite_lower_real(const char *name, const struct tflite_model *model,
                                   struct net_error *error) {
  struct lowering l = {.name = name, .model = model, .real = real_new(name), .error = error};
  l.net = l.real->net;
  if (lower_model(&l))
    return l.real;
  real_free(l.real);
  return NULL;
}

bool tflite_is_quantized(const struct tflite_model *model) {
  for (uint32_t i = 0; i < model->tensor_count; i++) {
    const struct tflite_tensor *t = &model->tensors[i];
    if ((t->type == TFLITE_INT8 || t->type == TFLITE_UINT8) && t->scales.count && !t->data)
      return true;
  }
  return false;
}
