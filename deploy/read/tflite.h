// deploy/read/tflite.h: TensorFlow Lite models: what the file says, checked, nothing computed.
//
// Field numbers and enumerations: the published schema, tensorflow/lite/schema/schema.fbs, file
// identifier "TFL3".
#ifndef TFLITE_H
#define TFLITE_H

#include "deploy/net/net.h"
#include "flatbuffer.h"

enum { TFLITE_RANK = 8, TFLITE_OPERANDS = 64 };

enum tflite_type {
  TFLITE_FLOAT32 = 0,
  TFLITE_FLOAT16 = 1,
  TFLITE_INT32 = 2,
  TFLITE_UINT8 = 3,
  TFLITE_INT64 = 4,
  TFLITE_BOOL = 6,
  TFLITE_INT16 = 7,
  TFLITE_INT8 = 9
};

enum tflite_code {
  TFLITE_ADD = 0,
  TFLITE_AVERAGE_POOL_2D = 1,
  TFLITE_CONCATENATION = 2,
  TFLITE_CONV_2D = 3,
  TFLITE_DEPTHWISE_CONV_2D = 4,
  TFLITE_DEQUANTIZE = 6,
  TFLITE_FULLY_CONNECTED = 9,
  TFLITE_LOGISTIC = 14,
  TFLITE_MAX_POOL_2D = 17,
  TFLITE_MUL = 18,
  TFLITE_RELU = 19,
  TFLITE_RELU_N1_TO_1 = 20,
  TFLITE_RELU6 = 21,
  TFLITE_RESHAPE = 22,
  TFLITE_RESIZE_BILINEAR = 23,
  TFLITE_SOFTMAX = 25,
  TFLITE_TANH = 28,
  TFLITE_CUSTOM = 32,
  TFLITE_PAD = 34,
  TFLITE_TRANSPOSE = 39,
  TFLITE_MEAN = 40,
  TFLITE_SUB = 41,
  TFLITE_SQUEEZE = 43,
  TFLITE_STRIDED_SLICE = 45,
  TFLITE_CAST = 53,
  TFLITE_ARG_MAX = 56,
  TFLITE_PADV2 = 60,
  TFLITE_EXPAND_DIMS = 70,
  TFLITE_SHAPE = 77,
  TFLITE_PACK = 83,
  TFLITE_RESIZE_NEAREST_NEIGHBOR = 97,
  TFLITE_LEAKY_RELU = 98,
  TFLITE_QUANTIZE = 114,
  TFLITE_HARD_SWISH = 117
};

enum tflite_activation {
  TFLITE_NO_ACTIVATION = 0,
  TFLITE_FUSED_RELU = 1,
  TFLITE_FUSED_RELU_N1_TO_1 = 2,
  TFLITE_FUSED_RELU6 = 3
};

// Numbers of fields of an operator's options.
enum {
  TFLITE_CONV_PADDING = 0,
  TFLITE_CONV_STRIDE_W,
  TFLITE_CONV_STRIDE_H,
  TFLITE_CONV_ACTIVATION,
  TFLITE_CONV_DILATION_W,
  TFLITE_CONV_DILATION_H,
  TFLITE_DEPTHWISE_MULTIPLIER = 3,
  TFLITE_DEPTHWISE_ACTIVATION,
  TFLITE_DEPTHWISE_DILATION_W,
  TFLITE_DEPTHWISE_DILATION_H,
  TFLITE_POOL_WINDOW_W = 3,
  TFLITE_POOL_WINDOW_H,
  TFLITE_POOL_ACTIVATION,
  TFLITE_CONCATENATION_AXIS = 0,
  TFLITE_CONCATENATION_ACTIVATION = 1,
  TFLITE_ACTIVATION = 0, // of additions, products, fully connected layers
  TFLITE_LEAKY_ALPHA = 0,
  TFLITE_NEAREST_CORNERS = 0,
  TFLITE_BILINEAR_CORNERS = 2,
  TFLITE_BILINEAR_HALF,
  TFLITE_SAME = 0 // padding; 1: VALID
};

struct tflite_tensor {
  char *name;
  uint8_t type; // enum tflite_type, or another
  uint32_t rank;
  uint32_t shape[TFLITE_RANK]; // each at least 1
  const uint8_t *data;         // of constants; NULL: computed
  size_t size;                 // bytes of data
  struct flatbuffer_vector scales, zeros;
  int32_t dimension; // that scales and zeros belong to, if there are several
};

struct tflite_op {
  int code;                                              // enum tflite_code, or another
  const char *custom;                                    // name of a custom operator, or NULL
  int inputs[TFLITE_OPERANDS], outputs[TFLITE_OPERANDS]; // numbers of tensors; -1: left out
  uint32_t input_count, output_count;
  size_t options; // table; 0: none
};

// The model's only subgraph.
struct tflite_model {
  struct flatbuffer fb;
  uint8_t *bytes; // the file
  struct tflite_tensor *tensors;
  struct tflite_op *ops;
  uint32_t tensor_count, op_count, input_count, output_count;
  int *inputs, *outputs;
};

bool tflite_is(const uint8_t *bytes, size_t size); // by the file's identifier

// NULL with the sentence, which names `name`. Takes a copy of the bytes.
struct tflite_model *tflite_parse(const char *name, const uint8_t *bytes, size_t size,
                                  struct net_error *error);
void tflite_free(struct tflite_model *model);

const char *tflite_code_name(int code); // "CONV_2D", ...; NULL: none that is known
const char *tflite_type_name(uint8_t type);
uint64_t tflite_elements(const struct tflite_tensor *tensor);
// The quantization of channel c: 0 and 0 if there is none.
float tflite_scale(const struct tflite_model *model, const struct tflite_tensor *t, uint32_t c);
int32_t tflite_zero(const struct tflite_model *model, const struct tflite_tensor *t, uint32_t c);

#endif
