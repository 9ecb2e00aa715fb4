// deploy/read/tflite_lower.c: the way through the model.
#include "tflite_lower.h"

#include <math.h>
#include <stdlib.h>
#include <sysexits.h>

#include "deploy/memory.h"
#include "tflite_lowering.h"

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
  if (lowering_activation(l) > TFLITE_FUSED_RELU6)
    return lowering_fail(l, "fused activation %d; none, RELU, RELU_N1_TO_1 and RELU6 are supported",
                         lowering_activation(l));
  switch (l->op->code) {
  case TFLITE_CONV_2D:
  case TFLITE_DEPTHWISE_CONV_2D:
  case TFLITE_FULLY_CONNECTED:
    return lowering_weights(l);
  case TFLITE_AVERAGE_POOL_2D:
  case TFLITE_MAX_POOL_2D:
    return lowering_pool(l);
  case TFLITE_MEAN:
    return lowering_mean(l);
  case TFLITE_ADD:
  case TFLITE_SUB:
    return lowering_sum(l);
  case TFLITE_MUL:
    return lowering_product(l);
  case TFLITE_CONCATENATION:
    return lowering_concatenate(l);
  case TFLITE_RESIZE_BILINEAR:
  case TFLITE_RESIZE_NEAREST_NEIGHBOR:
    return lowering_resize(l);
  case TFLITE_RELU:
  case TFLITE_RELU6:
  case TFLITE_RELU_N1_TO_1:
  case TFLITE_LEAKY_RELU:
  case TFLITE_LOGISTIC:
  case TFLITE_TANH:
  case TFLITE_HARD_SWISH:
    return lowering_table(l);
  case TFLITE_QUANTIZE:
    return lowering_quantize(l);
  case TFLITE_DEQUANTIZE:
    return lowering_dequantize(l);
  case TFLITE_SOFTMAX:
  case TFLITE_ARG_MAX:
    return lowering_end(l);
  case TFLITE_PAD:
  case TFLITE_PADV2:
    return lowering_pad(l);
  case TFLITE_RESHAPE:
  case TFLITE_SQUEEZE:
  case TFLITE_EXPAND_DIMS:
    return lowering_reshape(l);
  default:
    return lowering_fail(l,
                         "not supported; CONV_2D, DEPTHWISE_CONV_2D, FULLY_CONNECTED, pools, MEAN, "
                         "ADD, SUB, MUL, CONCATENATION, RESHAPE, PAD, RESIZE_BILINEAR, "
                         "RESIZE_NEAREST_NEIGHBOR, activations, QUANTIZE and SOFTMAX are");
  }
}

static bool lower_inputs(struct lowering *l) {
  for (uint32_t i = 0; i < l->model->input_count; i++) {
    int number = l->model->inputs[i];
    if (l->model->tensors[number].type == TFLITE_FLOAT32 && !l->real)
      continue; // begins behind a QUANTIZE
    if (l->tensors[number] >= 0)
      return lowering_fail(l, "input %u is named twice", i);
    int tensor = lowering_tensor(l, number);
    if (tensor < 0)
      return false;
    l->net->inputs = memory_grow(l->net->inputs, l->net->input_count + 1, sizeof(int));
    l->net->inputs[l->net->input_count++] = tensor;
  }
  return true;
}

static bool add_output(struct lowering *l, int value) {
  int tensor = lowering_is_padded(l, value) ? lowering_padded(l, value) : l->tensors[value];
  if (tensor < 0)
    return false;
  l->net->outputs = memory_grow(l->net->outputs, l->net->output_count + 1, sizeof(int));
  l->net->outputs[l->net->output_count++] = tensor;
  return true;
}

// The parts of a concatenation that is a result.
static bool add_parts(struct lowering *l, int result) {
  for (uint32_t i = 0; i < l->model->op_count; i++) {
    const struct tflite_op *op = &l->model->ops[i];
    bool known = op->code == TFLITE_CONCATENATION && op->outputs[0] == result;
    for (uint32_t k = 0; known && k < op->input_count; k++)
      known = op->inputs[k] >= 0 && l->tensors[op->inputs[k]] >= 0;
    for (uint32_t k = 0; known && k < op->input_count; k++)
      if (!add_output(l, op->inputs[k]))
        return false;
    if (known)
      return true;
  }
  return net_fail(l->error, "%s: output '%.60s' is not computed", l->name,
                  l->model->tensors[result].name);
}

static bool lower_outputs(struct lowering *l) {
  for (uint32_t i = 0; i < l->model->output_count; i++) {
    int value = l->model->outputs[i];
    if (!(l->tensors[value] < 0 ? add_parts(l, value) : add_output(l, value)))
      return false;
  }
  return true;
}

static bool lower_all(struct lowering *l) {
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
    bool codes = t->type == TFLITE_INT8 || t->type == TFLITE_UINT8 || t->type == TFLITE_INT16;
    if (codes && t->scales.count && !t->data)
      return true;
  }
  return false;
}
