// deploy/read/tflite_lowering.h: what the parts of the lowering share.
#ifndef TFLITE_LOWERING_H
#define TFLITE_LOWERING_H

#include "deploy/quant/real.h"
#include "tflite_lower.h"
#include "tflite_quant.h"

struct tflite_padding {
  uint32_t top, bottom, left, right;
};

struct lowering {
  const char *name;
  const struct tflite_model *model;
  struct net *net;
  struct real_net *real; // the network in real numbers, whose shapes `net` is; NULL: in integers
  struct real_layer numbers;       // ... of the operator at hand
  int *tensors;                    // per tensor of the model: the network's, or -1
  struct tflite_padding *paddings; // per tensor of the model: of a PAD not yet merged
  int *constants;                  // per tensor of the model: the one with its data, or -1
  bool *read;                      // per tensor of the network: a layer reads it
  const struct tflite_op *op;      // the operator at hand; NULL: the network's inputs
  uint32_t number;                 // its number
  struct net_error *error;
};

// "FILE: operator 3 (CONV_2D): " and the reason; false.
bool lowering_fail(const struct lowering *l, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Operand i of the operator; NULL, without a sentence, if left out.
const struct tflite_tensor *lowering_input(const struct lowering *l, uint32_t i);
const struct tflite_tensor *lowering_output(const struct lowering *l);

// The option's value.
int32_t lowering_option(const struct lowering *l, int field, int32_t otherwise);
uint8_t lowering_choice(const struct lowering *l, int field); // an enumeration

// Whether a PAD of this tensor of the model is not yet part of a layer.
bool lowering_is_padded(const struct lowering *l, int value);

// Height, width and channels of a tensor with a batch of 1.
bool lowering_shape(const struct lowering *l, const struct tflite_tensor *t, uint32_t hwc[3]);

// Whether the network can have it: 8 bits with a scale, or floats where it is in real numbers.
bool lowering_type(const struct lowering *l, const struct tflite_tensor *t);
bool lowering_same_codes(const struct lowering *l, const struct tflite_tensor *a,
                         const struct tflite_tensor *b); // type, scale and zero point

// The network's tensor of operand i, which must be computed, of 8 bits, and not padded; with
// `shaped`, in the operand's shape. -1 with the sentence.
int lowering_operand(struct lowering *l, uint32_t i, bool shaped);

// A new tensor of the network for one of the model's, for the operator's output; -1 with the
// sentence.
int lowering_tensor(struct lowering *l, int number);
int lowering_result(struct lowering *l);

// ... for one between two layers of one operator.
int lowering_between(struct lowering *l, const struct net_tensor *tensor);

// A layer of this kind that reads `input` and writes the operator's output; its window is 1 x 1.
struct net_layer lowering_layer(const struct lowering *l, enum net_kind kind, int input,
                                int output);

// enum tflite_activation, or another: the one fused to the operator, or that it is.
int lowering_activation(const struct lowering *l);

// What the activation leaves: the requantization's clip, or that of the real numbers.
void lowering_clip(struct lowering *l, struct net_requant *rq);

// The constant that operand i is: float32, float16, or 8 bits with scales, as it is or behind a
// DEQUANTIZE; NULL: it is none.
const struct tflite_tensor *lowering_constant(const struct lowering *l, uint32_t i);
float lowering_real(const struct lowering *l, const struct tflite_tensor *constant, size_t i);

// Appends it; takes it over.
bool lowering_add(struct lowering *l, struct net_layer *layer);

// The operators. Convolutions, depthwise ones and fully connected layers (tflite_weights.c).
bool lowering_weights(struct lowering *l);
// Pools, MEAN (tflite_pool.c); a requantization by one factor; resizing (tflite_resize.c).
bool lowering_pool(struct lowering *l);
bool lowering_mean(struct lowering *l);
bool lowering_resize(struct lowering *l);
void lowering_factor(struct net_requant *rq, struct tflite_factor factor, int64_t lambda);
// ADD and SUB, MUL, CONCATENATION (tflite_pair.c).
bool lowering_sum(struct lowering *l);
bool lowering_product(struct lowering *l);
bool lowering_concatenate(struct lowering *l);
// Functions, QUANTIZE (tflite_table.c); a layer that maps `input`'s codes into tensor `output`.
bool lowering_table(struct lowering *l);
bool lowering_quantize(struct lowering *l);
int lowering_map(struct lowering *l, int input, const struct tflite_map *map, int output);
// What computes nothing (tflite_shape.c): the output is its input's tensor; DEQUANTIZE; RESHAPE and
// its like; PAD; SOFTMAX and ARG_MAX, which stand at the end.
bool lowering_alias(struct lowering *l);
bool lowering_dequantize(struct lowering *l);
bool lowering_reshape(struct lowering *l);
bool lowering_pad(struct lowering *l);
bool lowering_end(struct lowering *l);
// ADD, SUB, MUL of operand `input` and a constant; the padding of the model's tensor `value` as a
// layer, whose tensor is returned, or -1 (tflite_constant.c).
bool lowering_by_constant(struct lowering *l, uint32_t input);
int lowering_padded(struct lowering *l, int value);
// Padding of one direction: SAME's, or none.
void lowering_same(uint32_t size, uint32_t kernel, uint32_t stride, uint32_t dilation,
                   uint32_t *before, uint32_t *after);

#endif
