// deploy/read/tflite_table.c: functions of one tensor, element by element.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "deploy/memory.h"
#include "tflite_lowering.h"

int lowering_map(struct lowering *l, int input, const struct tflite_map *map, int output) {
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
  if (lowering_activation(l) != TFLITE_NO_ACTIVATION)
    lowering_clip(l, &layer.requant);
  return lowering_add(l, &layer);
}

bool lowering_table(struct lowering *l) {
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
  lowering_map(l, input, &map, output);
  return true;
}

// Of floats: the network begins here.
bool lowering_quantize(struct lowering *l) {
  const struct tflite_tensor *in = lowering_input(l, 0);
  if (in->type != TFLITE_FLOAT32)
    return lowering_table(l);
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
