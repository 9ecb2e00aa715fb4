// deploy/read/tflite_constant.c: ADD, SUB and MUL by a constant: one number, or one for each
// channel (Keras's Rescaling and Normalization). What the operator gives for each of an input's 256
// codes is known; a depthwise layer of weights 1, or -1 where codes fall, gives the same by its
// requantization (deploy/lower/fit.h).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "deploy/lower/fit.h"
#include "deploy/memory.h"
#include "deploy/net/net_ref.h"
#include "tflite_lowering.h"

enum { CODES = 256, LEFT = 20 };

// f(input's code) for one of the constant's.
struct operation {
  int code;   // enum tflite_code
  bool first; // the constant is the first operand
  struct tflite_factor in, constant, out;
  int32_t in_zero, constant_zero, out_zero, low, high;
};

static int32_t times(int32_t x, struct tflite_factor f) {
  return net_multiply_q31(x, f.multiplier, f.shift);
}

static int32_t applied(const struct operation *o, int32_t code, int32_t constant) {
  int32_t x = code - o->in_zero, c = constant - o->constant_zero, y;
  if (o->code == TFLITE_MUL) {
    y = times(x * c, o->out);
  } else {
    x = times(x * (1 << LEFT), o->in), c = times(c * (1 << LEFT), o->constant);
    bool sub = o->code == TFLITE_SUB;
    y = times(sub && o->first ? c - x : sub ? x - c : x + c, o->out);
  }
  y += o->out_zero;
  return y < o->low ? o->low : y > o->high ? o->high : y;
}

static struct operation operation_of(const struct lowering *l, uint32_t input,
                                     const struct net_requant *clip) {
  const struct tflite_tensor *in = lowering_input(l, input), *c = lowering_input(l, 1 - input),
                             *out = lowering_output(l);
  float a = tflite_scale(l->model, in, 0), b = tflite_scale(l->model, c, 0);
  float to = tflite_scale(l->model, out, 0);
  double twice = 2 * (double)fmaxf(a, b);
  struct operation o = {
      .code = l->op->code, .first = input == 1, .low = clip->low, .high = clip->high};
  o.in = tflite_factor_of((double)a / twice), o.constant = tflite_factor_of((double)b / twice);
  o.out = o.code == TFLITE_MUL ? tflite_factor_of((double)(a * b / to))
                               : tflite_factor_of(twice / ((1 << LEFT) * (double)to));
  o.in_zero = tflite_zero(l->model, in, 0), o.constant_zero = tflite_zero(l->model, c, 0);
  o.out_zero = tflite_zero(l->model, out, 0);
  return o;
}

// ---------------------------------------------------------------------------- one channel

struct curve {
  int32_t codes[CODES]; // of the sums least, least + 1, ...
  int64_t least;
};

static int64_t curve_at(const void *data, int64_t sum) {
  const struct curve *c = data;
  return c->codes[sum - c->least];
}

// Turned over where it falls. False: it does both.
static bool curve_of(const struct operation *o, int32_t constant, int32_t first,
                     struct curve *curve, int8_t *weight) {
  bool rises = true, falls = true;
  for (int i = 0; i < CODES; i++)
    curve->codes[i] = applied(o, first + i, constant);
  for (int i = 1; i < CODES; i++) {
    rises &= curve->codes[i] >= curve->codes[i - 1];
    falls &= curve->codes[i] <= curve->codes[i - 1];
  }
  *weight = rises ? 1 : -1;
  curve->least = rises ? first : -(int64_t)(first + CODES - 1);
  for (int i = 0; !rises && i < CODES / 2; i++) {
    int32_t kept = curve->codes[i];
    curve->codes[i] = curve->codes[CODES - 1 - i], curve->codes[CODES - 1 - i] = kept;
  }
  return rises || falls;
}

// ---------------------------------------------------------------------------- the layer

static int constant_code(const struct tflite_tensor *t, size_t i) {
  return t->type == TFLITE_INT8 ? (int8_t)t->data[i] : t->data[i];
}

static bool fit_curves(struct lowering *l, uint32_t input, struct net_layer *layer,
                       uint32_t channels) {
  const struct tflite_tensor *c = lowering_constant(l, 1 - input);
  const struct operation o = operation_of(l, input, &layer->requant);
  bool is_signed = lowering_output(l)->type == TFLITE_INT8, good = true;
  int32_t first = lowering_input(l, input)->type == TFLITE_INT8 ? -128 : 0;
  struct fit fit;
  fit_begin(&fit, channels, layer->requant.low, layer->requant.high, is_signed);
  for (uint32_t i = 0; good && i < channels; i++) {
    struct curve curve;
    good = curve_of(&o, constant_code(c, tflite_elements(c) == 1 ? 0 : i), first, &curve,
                    &layer->weights[i]);
    double slope = (double)(curve.codes[CODES - 1] - curve.codes[0]) / (CODES - 1);
    fit_function(&fit, i, curve.least, curve.least + CODES - 1, slope, curve_at, &curve);
  }
  layer->requant.per_channel = true;
  if (good)
    fit_requant(&fit, &layer->requant);
  fit_end(&fit);
  return good || lowering_fail(l, "its results neither rise nor fall with its input");
}

// y = weight * x + bias.
static void take_reals(struct lowering *l, uint32_t input, uint32_t channels) {
  const struct tflite_tensor *c = lowering_constant(l, 1 - input);
  struct real_layer *n = &l->numbers;
  bool sub = l->op->code == TFLITE_SUB, mul = l->op->code == TFLITE_MUL;
  n->weights = memory_new(channels, sizeof *n->weights);
  n->bias = memory_new(channels, sizeof *n->bias);
  for (uint32_t i = 0; i < channels; i++) {
    float x = lowering_real(l, c, tflite_elements(c) == 1 ? 0 : i);
    n->weights[i] = mul ? x : sub && input == 1 ? -1 : 1;
    n->bias[i] = mul ? 0 : sub && input == 0 ? -x : x;
  }
}

bool lowering_by_constant(struct lowering *l, uint32_t input) {
  const struct tflite_tensor *c = lowering_constant(l, 1 - input), *in = lowering_input(l, input);
  uint32_t last = c->rank ? c->shape[c->rank - 1] : 1;
  uint64_t count = tflite_elements(c);
  if (!in->rank || (count != 1 && (count != last || last != in->shape[in->rank - 1])))
    return lowering_fail(l,
                         "by a constant of %llu elements; one, and one for each channel, are "
                         "supported",
                         (unsigned long long)count);
  int tensor = lowering_operand(l, input, true);
  int output = tensor < 0 ? -1 : lowering_result(l);
  if (output < 0)
    return false;
  uint32_t channels = l->net->tensors[tensor].c;
  struct net_layer layer = lowering_layer(l, NET_DEPTHWISE, tensor, output);
  layer.weight_count = channels, layer.weight_bits = 8;
  lowering_clip(l, &layer.requant);
  if (l->real) {
    layer.groups = channels;
    take_reals(l, input, channels);
    return lowering_add(l, &layer);
  }
  layer.weights = memory_new(channels, 1);
  layer.pad_value = l->net->tensors[tensor].zero;
  if (fit_curves(l, input, &layer, channels))
    return lowering_add(l, &layer);
  free(layer.name);
  free(layer.inputs);
  free(layer.weights);
  return false;
}

// ---------------------------------------------------------------------------- padding

// What a PAD in front of others than convolutions adds, as a layer whose codes are the input's.
int lowering_padded(struct lowering *l, int value) {
  struct tflite_padding *p = &l->paddings[value];
  if (p->top > 255 || p->bottom > 255 || p->left > 255 || p->right > 255) {
    lowering_fail(l, "'%.60s' has more than 255 rows or columns of padding",
                  l->model->tensors[value].name);
    return -1;
  }
  int input = l->tensors[value], output = lowering_tensor(l, value);
  if (output < 0)
    return -1;
  l->read[input] = true;
  struct net_layer layer = lowering_layer(l, NET_DEPTHWISE, input, output);
  uint32_t channels = l->net->tensors[input].c;
  layer.pad_top = (uint8_t)p->top, layer.pad_bottom = (uint8_t)p->bottom;
  layer.pad_left = (uint8_t)p->left, layer.pad_right = (uint8_t)p->right;
  layer.pad_value = l->net->tensors[output].zero;
  layer.weight_count = channels, layer.weight_bits = 8;
  free(layer.name);
  layer.name = memory_format("%u_padding%d", l->number, value);
  if (l->real) {
    layer.groups = channels;
    l->numbers.weights = memory_new(channels, sizeof(float));
    for (uint32_t c = 0; c < channels; c++)
      l->numbers.weights[c] = 1;
  } else {
    layer.weights = memory_new(channels, 1);
    memset(layer.weights, 1, channels);
    layer.requant.kind = NET_NORM;
    layer.requant.kappa = memory_copy(&(int32_t){1}, 1, sizeof(int32_t));
    layer.requant.lambda = memory_new(channels, sizeof(int64_t));
  }
  lowering_add(l, &layer);
  *p = (struct tflite_padding){0, 0, 0, 0};
  return output;
}
