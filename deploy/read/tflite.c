// deploy/read/tflite.c
#include "tflite.h"

#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "deploy/memory.h"

enum { COUNT_MAX = 8192 };

// Fields of the schema's tables.
enum { MODEL_CODES = 1, MODEL_SUBGRAPHS = 2, MODEL_BUFFERS = 4 };
enum { CODE_OLD = 0, CODE_CUSTOM = 1, CODE_NEW = 3 };
enum { GRAPH_TENSORS = 0, GRAPH_INPUTS = 1, GRAPH_OUTPUTS = 2, GRAPH_OPERATORS = 3 };
enum { TENSOR_SHAPE = 0, TENSOR_TYPE = 1, TENSOR_BUFFER = 2, TENSOR_NAME = 3, TENSOR_QUANT = 4 };
enum { QUANT_SCALE = 2, QUANT_ZERO = 3, QUANT_DIMENSION = 6 };
enum { OP_CODE = 0, OP_INPUTS = 1, OP_OUTPUTS = 2, OP_OPTIONS = 4 };

struct reader {
  struct tflite_model *model;
  const char *name;
  struct net_error *error;
  size_t root, graph;
};

bool tflite_is(const uint8_t *bytes, size_t size) {
  return size >= 8 && memcmp(bytes + 4, "TFL3", 4) == 0;
}

static char *text_of(struct flatbuffer *fb, size_t table, int field) {
  struct flatbuffer_vector v = flatbuffer_vector(fb, table, field, 1);
  char *text = memory_new((size_t)v.count + 1, 1);
  if (v.count)
    memcpy(text, fb->data + v.at, v.count);
  return text;
}

// ---------------------------------------------------------------------------- tensors

static bool read_shape(struct reader *r, size_t table, struct tflite_tensor *t) {
  struct flatbuffer *fb = &r->model->fb;
  struct flatbuffer_vector shape = flatbuffer_vector(fb, table, TENSOR_SHAPE, 4);
  if (shape.count > TFLITE_RANK)
    return net_fail(r->error, "%s: tensor '%.80s' has %u dimensions; at most %d are supported",
                    r->name, t->name, shape.count, TFLITE_RANK);
  uint64_t elements = 1;
  t->rank = shape.count;
  for (uint32_t i = 0; i < shape.count; i++) {
    int32_t size = flatbuffer_item_i32(fb, shape, i);
    if (size < 1 || (elements *= (uint64_t)size) > INT32_MAX)
      return net_fail(r->error,
                      "%s: tensor '%.80s': dimension %u is %d; sizes must be known, and "
                      "not exceed 2^31 elements",
                      r->name, t->name, i, size);
    t->shape[i] = (uint32_t)size;
  }
  return true;
}

static size_t bytes_per_element(uint8_t type) {
  switch (type) {
  case TFLITE_FLOAT32:
  case TFLITE_INT32:
    return 4;
  case TFLITE_INT64:
    return 8;
  case TFLITE_FLOAT16:
  case TFLITE_INT16:
    return 2;
  case TFLITE_UINT8:
  case TFLITE_INT8:
  case TFLITE_BOOL:
    return 1;
  default: // nobody reads them
    return 0;
  }
}

static bool read_data(struct reader *r, size_t table, struct tflite_tensor *t) {
  struct flatbuffer *fb = &r->model->fb;
  struct flatbuffer_vector buffers = flatbuffer_vector(fb, r->root, MODEL_BUFFERS, 4);
  uint32_t number = (uint32_t)flatbuffer_i32(fb, table, TENSOR_BUFFER, 0);
  if (number >= buffers.count)
    return true;
  struct flatbuffer_vector data =
      flatbuffer_vector(fb, flatbuffer_item_table(fb, buffers, number), 0, 1);
  if (!data.count)
    return true;
  t->data = fb->data + data.at, t->size = data.count;
  if (t->size < tflite_elements(t) * bytes_per_element(t->type))
    return net_fail(r->error, "%s: constant '%.80s' has %zu bytes, too few for its shape", r->name,
                    t->name, t->size);
  return true;
}

static bool read_tensor(struct reader *r, size_t table, struct tflite_tensor *t) {
  struct flatbuffer *fb = &r->model->fb;
  t->name = text_of(fb, table, TENSOR_NAME);
  t->type = flatbuffer_u8(fb, table, TENSOR_TYPE, TFLITE_FLOAT32);
  size_t quant = flatbuffer_table(fb, table, TENSOR_QUANT);
  t->scales = flatbuffer_vector(fb, quant, QUANT_SCALE, 4);
  t->zeros = flatbuffer_vector(fb, quant, QUANT_ZERO, 8);
  t->dimension = flatbuffer_i32(fb, quant, QUANT_DIMENSION, 0);
  return read_shape(r, table, t) && read_data(r, table, t);
}

// ---------------------------------------------------------------------------- operators

static bool read_numbers(struct reader *r, struct flatbuffer_vector from, int *to) {
  for (uint32_t i = 0; i < from.count; i++) {
    to[i] = flatbuffer_item_i32(&r->model->fb, from, i);
    if (to[i] < -1 || to[i] >= (int)r->model->tensor_count)
      return net_fail(r->error, "%s: an operator refers to tensor %d of %u", r->name, to[i],
                      r->model->tensor_count);
  }
  return true;
}

static bool read_operands(struct reader *r, size_t table, int field, int *to, uint32_t *count) {
  struct flatbuffer_vector from = flatbuffer_vector(&r->model->fb, table, field, 4);
  *count = from.count;
  return from.count > TFLITE_OPERANDS
             ? net_fail(r->error, "%s: an operator has %u operands; at most %d are supported",
                        r->name, from.count, TFLITE_OPERANDS)
             : read_numbers(r, from, to);
}

// Codes from 127 on stand in a field of their own.
static bool read_code(struct reader *r, size_t table, struct tflite_op *op) {
  struct flatbuffer *fb = &r->model->fb;
  struct flatbuffer_vector codes = flatbuffer_vector(fb, r->root, MODEL_CODES, 4);
  uint32_t index = (uint32_t)flatbuffer_i32(fb, table, OP_CODE, 0);
  if (index >= codes.count)
    return net_fail(r->error, "%s: an operator has code %u of %u", r->name, index, codes.count);
  size_t code = flatbuffer_item_table(fb, codes, index);
  int old = flatbuffer_u8(fb, code, CODE_OLD, 0), new = flatbuffer_i32(fb, code, CODE_NEW, 0);
  op->code = old > new ? old : new;
  struct flatbuffer_vector custom = flatbuffer_vector(fb, code, CODE_CUSTOM, 1);
  op->custom = custom.count && memchr(fb->data + custom.at, 0, fb->size - custom.at)
                   ? (const char *)fb->data + custom.at
                   : NULL;
  return true;
}

static bool read_op(struct reader *r, size_t table, struct tflite_op *op) {
  op->options = flatbuffer_table(&r->model->fb, table, OP_OPTIONS);
  return read_code(r, table, op) &&
         read_operands(r, table, OP_INPUTS, op->inputs, &op->input_count) &&
         read_operands(r, table, OP_OUTPUTS, op->outputs, &op->output_count);
}

// ---------------------------------------------------------------------------- the whole

static bool read_tensors(struct reader *r) {
  struct tflite_model *m = r->model;
  struct flatbuffer_vector list = flatbuffer_vector(&m->fb, r->graph, GRAPH_TENSORS, 4);
  if (list.count > COUNT_MAX)
    return net_fail(r->error, "%s: %u tensors; at most %d are supported", r->name, list.count,
                    COUNT_MAX);
  m->tensors = memory_new(list.count, sizeof *m->tensors);
  for (uint32_t i = 0; i < list.count; i++) {
    m->tensor_count++;
    if (!read_tensor(r, flatbuffer_item_table(&m->fb, list, i), &m->tensors[i]))
      return false;
  }
  return true;
}

static bool read_ops(struct reader *r) {
  struct tflite_model *m = r->model;
  struct flatbuffer_vector list = flatbuffer_vector(&m->fb, r->graph, GRAPH_OPERATORS, 4);
  if (list.count > COUNT_MAX)
    return net_fail(r->error, "%s: %u operators; at most %d are supported", r->name, list.count,
                    COUNT_MAX);
  m->ops = memory_new(list.count, sizeof *m->ops);
  m->op_count = list.count;
  for (uint32_t i = 0; i < list.count; i++) {
    if (!read_op(r, flatbuffer_item_table(&m->fb, list, i), &m->ops[i]))
      return false;
  }
  return true;
}

static bool read_ends(struct reader *r, int field, int **numbers, uint32_t *count) {
  struct flatbuffer_vector list = flatbuffer_vector(&r->model->fb, r->graph, field, 4);
  *numbers = memory_new(list.count, sizeof **numbers);
  *count = list.count;
  if (!read_numbers(r, list, *numbers))
    return false;
  for (uint32_t i = 0; i < list.count; i++) {
    if ((*numbers)[i] < 0)
      return net_fail(r->error, "%s: an input or output of the model is left out", r->name);
  }
  return true;
}

static bool read_model(struct reader *r) {
  struct tflite_model *m = r->model;
  if (!tflite_is(m->fb.data, m->fb.size))
    return net_fail(r->error, "%s: not a TensorFlow Lite model (no 'TFL3' at byte 4)", r->name);
  r->root = flatbuffer_root(&m->fb);
  struct flatbuffer_vector graphs = flatbuffer_vector(&m->fb, r->root, MODEL_SUBGRAPHS, 4);
  if (!m->fb.bad && graphs.count != 1)
    return net_fail(r->error, "%s: %u subgraphs; one is supported", r->name, graphs.count);
  r->graph = m->fb.bad ? 0 : flatbuffer_item_table(&m->fb, graphs, 0);
  return read_tensors(r) && read_ops(r) &&
         read_ends(r, GRAPH_INPUTS, &m->inputs, &m->input_count) &&
         read_ends(r, GRAPH_OUTPUTS, &m->outputs, &m->output_count);
}

struct tflite_model *tflite_parse(const char *name, const uint8_t *bytes, size_t size,
                                  struct net_error *error) {
  struct tflite_model *model = memory_new(1, sizeof *model);
  model->bytes = memory_copy(bytes, size, 1);
  model->fb = (struct flatbuffer){.data = model->bytes, .size = size};
  struct reader r = {.model = model, .name = name, .error = error};
  bool good = read_model(&r);
  if (model->fb.bad)
    good = net_fail(error, "%s: the file is damaged: a reference leads beyond its end", name);
  if (good)
    return model;
  if (error && !error->status)
    error->status = EX_DATAERR;
  tflite_free(model);
  return NULL;
}

void tflite_free(struct tflite_model *model) {
  if (!model)
    return;
  for (uint32_t i = 0; i < model->tensor_count; i++)
    free(model->tensors[i].name);
  free(model->tensors);
  free(model->ops);
  free(model->inputs);
  free(model->outputs);
  free(model->bytes);
  free(model);
}

uint64_t tflite_elements(const struct tflite_tensor *tensor) {
  uint64_t count = 1;
  for (uint32_t i = 0; i < tensor->rank; i++)
    count *= tensor->shape[i];
  return count;
}

float tflite_scale(const struct tflite_model *model, const struct tflite_tensor *t, uint32_t c) {
  return t->scales.count ? flatbuffer_item_float(&model->fb, t->scales, t->scales.count > 1 ? c : 0)
                         : 0;
}

int32_t tflite_zero(const struct tflite_model *model, const struct tflite_tensor *t, uint32_t c) {
  return t->zeros.count
             ? (int32_t)flatbuffer_item_i64(&model->fb, t->zeros, t->zeros.count > 1 ? c : 0)
             : 0;
}

const char *tflite_type_name(uint8_t type) {
  static const char *const names[] = {"float32", "float16",    "int32",  "uint8",     "int64",
                                      "string",  "bool",       "int16",  "complex64", "int8",
                                      "float64", "complex128", "uint64", "resource",  "variant",
                                      "uint32",  "uint16",     "int4",   "bfloat16"};
  return type < sizeof names / sizeof *names ? names[type] : "unknown";
}

const char *tflite_code_name(int code) {
  static const struct {
    int code;
    const char *name;
  } names[] = {{TFLITE_ADD, "ADD"},
               {TFLITE_AVERAGE_POOL_2D, "AVERAGE_POOL_2D"},
               {TFLITE_CONCATENATION, "CONCATENATION"},
               {TFLITE_CONV_2D, "CONV_2D"},
               {TFLITE_DEPTHWISE_CONV_2D, "DEPTHWISE_CONV_2D"},
               {TFLITE_DEQUANTIZE, "DEQUANTIZE"},
               {TFLITE_FULLY_CONNECTED, "FULLY_CONNECTED"},
               {TFLITE_LOGISTIC, "LOGISTIC"},
               {TFLITE_MAX_POOL_2D, "MAX_POOL_2D"},
               {TFLITE_MUL, "MUL"},
               {TFLITE_RELU, "RELU"},
               {TFLITE_RELU_N1_TO_1, "RELU_N1_TO_1"},
               {TFLITE_RELU6, "RELU6"},
               {TFLITE_RESHAPE, "RESHAPE"},
               {TFLITE_RESIZE_BILINEAR, "RESIZE_BILINEAR"},
               {TFLITE_SOFTMAX, "SOFTMAX"},
               {TFLITE_TANH, "TANH"},
               {TFLITE_CUSTOM, "CUSTOM"},
               {TFLITE_PAD, "PAD"},
               {TFLITE_TRANSPOSE, "TRANSPOSE"},
               {TFLITE_MEAN, "MEAN"},
               {TFLITE_SUB, "SUB"},
               {TFLITE_CAST, "CAST"},
               {TFLITE_ARG_MAX, "ARG_MAX"},
               {TFLITE_PADV2, "PADV2"},
               {TFLITE_SHAPE, "SHAPE"},
               {TFLITE_PACK, "PACK"},
               {TFLITE_SQUEEZE, "SQUEEZE"},
               {TFLITE_STRIDED_SLICE, "STRIDED_SLICE"},
               {TFLITE_EXPAND_DIMS, "EXPAND_DIMS"},
               {TFLITE_RESIZE_NEAREST_NEIGHBOR, "RESIZE_NEAREST_NEIGHBOR"},
               {TFLITE_LEAKY_RELU, "LEAKY_RELU"},
               {TFLITE_QUANTIZE, "QUANTIZE"},
               {TFLITE_HARD_SWISH, "HARD_SWISH"}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (names[i].code == code)
      return names[i].name;
  }
  return NULL;
}
