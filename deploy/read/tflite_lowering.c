// deploy/read/tflite_lowering.c: tensors, layers, options and constants of the model at hand.
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
  if (!l->op)
    net_fail(l->error, "%.150s: %s", l->name, reason);
  else if (l->op->custom || tflite_code_name(l->op->code))
    net_fail(l->error, "%.150s: operator %u (%.80s): %s", l->name, l->number,
             l->op->custom ? l->op->custom : tflite_code_name(l->op->code), reason);
  else
    net_fail(l->error, "%.150s: operator %u (code %d): %s", l->name, l->number, l->op->code,
             reason);
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

int lowering_activation(const struct lowering *l) {
  switch (l->op->code) {
  case TFLITE_CONV_2D:
    return lowering_choice(l, TFLITE_CONV_ACTIVATION);
  case TFLITE_DEPTHWISE_CONV_2D:
    return lowering_choice(l, TFLITE_DEPTHWISE_ACTIVATION);
  case TFLITE_AVERAGE_POOL_2D:
  case TFLITE_MAX_POOL_2D:
    return lowering_choice(l, TFLITE_POOL_ACTIVATION);
  case TFLITE_CONCATENATION:
    return lowering_choice(l, TFLITE_CONCATENATION_ACTIVATION);
  case TFLITE_ADD:
  case TFLITE_SUB:
  case TFLITE_MUL:
  case TFLITE_FULLY_CONNECTED:
    return lowering_choice(l, TFLITE_ACTIVATION);
  case TFLITE_RELU:
    return TFLITE_FUSED_RELU;
  case TFLITE_RELU6:
    return TFLITE_FUSED_RELU6;
  case TFLITE_RELU_N1_TO_1:
    return TFLITE_FUSED_RELU_N1_TO_1;
  default:
    return TFLITE_NO_ACTIVATION;
  }
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

bool lowering_is_padded(const struct lowering *l, int value) {
  const struct tflite_padding *p = &l->paddings[value];
  return p->top || p->bottom || p->left || p->right;
}

bool lowering_type(const struct lowering *l, const struct tflite_tensor *t) {
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

int lowering_tensor(struct lowering *l, int number) {
  const struct tflite_tensor *t = &l->model->tensors[number];
  uint32_t hwc[3];
  if (!lowering_shape(l, t, hwc) || !lowering_type(l, t))
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
  uint32_t hwc[3];
  if (number < 0)
    lowering_fail(l, "input %u, '%.60s', is %s; computed tensors are supported", i, t->name,
                  t->data ? "a constant" : "not computed");
  else if (lowering_is_padded(l, l->op->inputs[i]))
    return lowering_padded(l, l->op->inputs[i]);
  else if (lowering_type(l, t) &&
           (!shaped || (lowering_shape(l, t, hwc) && reshape(l, number, hwc)))) {
    l->read[number] = true;
    return number;
  }
  return -1;
}

int lowering_between(struct lowering *l, const struct net_tensor *tensor) {
  int number = net_add_tensor(l->net, tensor);
  l->read = memory_grow(l->read, l->net->tensor_count, sizeof *l->read);
  l->read[number] = true;
  return number;
}

int lowering_result(struct lowering *l) {
  return lowering_tensor(l, l->op->outputs[0]);
}

struct net_layer lowering_layer(const struct lowering *l, enum net_kind kind, int input,
                                int output) {
  char *name = memory_format("%u_%s", l->number, net_kind_name(kind));
  struct net_layer layer = net_plain_layer(kind, name, &input, 1);
  layer.output = output;
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

void lowering_clip(struct lowering *l, struct net_requant *rq) {
  int activation = lowering_activation(l);
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
bool lowering_same_codes(const struct lowering *l, const struct tflite_tensor *a,
                         const struct tflite_tensor *b) {
  float ratio = tflite_scale(l->model, a, 0) / tflite_scale(l->model, b, 0);
  return a->type == b->type && tflite_zero(l->model, a, 0) == tflite_zero(l->model, b, 0) &&
         ratio >= 1 && ratio <= 1;
}
