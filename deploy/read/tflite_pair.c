// deploy/read/tflite_pair.c: operators of several tensors: ADD, SUB, MUL, CONCATENATION.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "deploy/memory.h"
#include "tflite_lowering.h"

static bool two_inputs(struct lowering *l, int inputs[2]) {
  for (uint32_t i = 0; i < 2; i++) {
    inputs[i] = lowering_operand(l, i, true);
    if (inputs[i] < 0)
      return false;
  }
  return true;
}

static bool same_shape(const struct lowering *l, const int inputs[2]) {
  const struct net_tensor *a = &l->net->tensors[inputs[0]], *b = &l->net->tensors[inputs[1]];
  return (a->h == b->h && a->w == b->w && a->c == b->c) ||
         lowering_fail(l,
                       "inputs of %u x %u x %u and %u x %u x %u; equal shapes are supported, and "
                       "constants, one or one a channel",
                       a->h, a->w, a->c, b->h, b->w, b->c);
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
bool lowering_sum(struct lowering *l) {
  enum { LEFT = 20 };
  int inputs[2];
  bool sub = l->op->code == TFLITE_SUB;
  if (beside_constant(l) >= 0)
    return lowering_by_constant(l, (uint32_t)beside_constant(l));
  if (!two_inputs(l, inputs) || !same_shape(l, inputs))
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
  lowering_clip(l, &layer.requant);
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
  lowering_factor(&layer.requant, tflite_factor_of(twice / ((1 << LEFT) * scale)), 0);
  layer.requant.zero = tflite_zero(l->model, out, 0);
  return lowering_add(l, &layer);
}

bool lowering_product(struct lowering *l) {
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
  lowering_clip(l, &layer.requant);
  if (l->real)
    return lowering_add(l, &layer);
  layer.scaled = memory_new(2, sizeof *layer.scaled);
  for (uint32_t i = 0; i < 2; i++)
    layer.scaled[i] = (struct net_scaled){.mul = 1, .zero = tflite_zero(l->model, in[i], 0)};
  float real = tflite_scale(l->model, lowering_input(l, 0), 0) *
               tflite_scale(l->model, lowering_input(l, 1), 0) / tflite_scale(l->model, out, 0);
  lowering_factor(&layer.requant, tflite_factor_of((double)real), 0);
  layer.requant.zero = tflite_zero(l->model, out, 0);
  return lowering_add(l, &layer);
}

// Inputs of other scales pass through a table.
static int same_scale(struct lowering *l, uint32_t i) {
  const struct tflite_tensor *in = lowering_input(l, i), *out = lowering_output(l);
  int input = lowering_operand(l, i, true);
  if (input < 0 || l->real || lowering_same_codes(l, in, out))
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
  return lowering_map(l, input, &map, output);
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

bool lowering_concatenate(struct lowering *l) {
  const struct tflite_tensor *out = lowering_output(l);
  int32_t axis = lowering_option(l, TFLITE_CONCATENATION_AXIS, 0);
  if (is_result(l)) // whoever reads them joins them
    return true;
  if (axis != (int32_t)out->rank - 1 && axis != -1)
    return lowering_fail(l, "along dimension %d; the last is supported", axis);
  if (!lowering_type(l, out))
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
  lowering_clip(l, &layer.requant);
  return lowering_add(l, &layer);
}
