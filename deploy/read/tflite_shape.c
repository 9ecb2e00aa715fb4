// deploy/read/tflite_shape.c: operators that compute nothing: other names, shapes, padding.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "deploy/memory.h"
#include "tflite_lowering.h"

bool lowering_alias(struct lowering *l) {
  int number = l->tensors[l->op->inputs[0]];
  if (number < 0)
    return lowering_fail(l, "its input is not computed");
  l->tensors[l->op->outputs[0]] = number;
  l->paddings[l->op->outputs[0]] = l->paddings[l->op->inputs[0]];
  return true;
}

// Of constants in float16: their data under another name.
bool lowering_dequantize(struct lowering *l) {
  int constant = l->constants[l->op->inputs[0]];
  if (!l->real || constant < 0)
    return lowering_alias(l);
  l->constants[l->op->outputs[0]] = constant;
  return true;
}

// Rows and columns that are not yet added have to be, before they are others.
bool lowering_reshape(struct lowering *l) {
  const struct tflite_tensor *in = lowering_input(l, 0), *out = lowering_output(l);
  uint32_t from[3], to[3];
  if (tflite_elements(in) != tflite_elements(out))
    return lowering_fail(l, "as many elements must go out as come in");
  if (lowering_is_padded(l, l->op->inputs[0]) &&
      (!lowering_shape(l, in, from) || !lowering_shape(l, out, to) ||
       (memcmp(from, to, sizeof from) != 0 && lowering_operand(l, 0, false) < 0)))
    return false;
  return lowering_alias(l);
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

bool lowering_pad(struct lowering *l) {
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
       (!l->real && !lowering_same_codes(l, in, out))))
    return lowering_fail(l, "an output whose shape or scale does not fit");
  if (n[6] || n[7])
    return pad_channels(l, (uint32_t)n[6]);
  if ((!lowering_is_padded(l, l->op->inputs[0]) && lowering_operand(l, 0, true) < 0) ||
      !lowering_alias(l))
    return false;
  struct tflite_padding *p = &l->paddings[l->op->outputs[0]];
  p->top += (uint32_t)n[2], p->bottom += (uint32_t)n[3];
  p->left += (uint32_t)n[4], p->right += (uint32_t)n[5];
  return true;
}

// The end of the network: which class has the largest output is the same without it.
bool lowering_end(struct lowering *l) {
  for (uint32_t i = l->number + 1; i < l->model->op_count; i++) {
    const struct tflite_op *op = &l->model->ops[i];
    for (uint32_t k = 0; k < op->input_count; k++) {
      if (op->inputs[k] == l->op->outputs[0] && op->code != TFLITE_DEQUANTIZE)
        return lowering_fail(l, "it stands inside the network; it is dropped at the end only");
    }
  }
  return lowering_alias(l);
}
