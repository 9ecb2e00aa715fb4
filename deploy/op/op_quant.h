// deploy/op/op_quant.h: the arithmetic of quantized operators, which the integer form follows.
//
// A code is saturate(round(x / scale) + zero), rounded to nearest, ties to even, the division in
// the scale's precision (ONNX, QuantizeLinear). The operators that have quantized inputs and
// outputs (QLinearConv, com.microsoft's QLinearAdd, ...) compute sums exactly in integers and bring
// them to codes by one factor, x_scale * w_scale / y_scale in binary32, whose product is rounded
// likewise: that is ONNX Runtime's arithmetic, and what a float operator between DequantizeLinear
// and QuantizeLinear is taken for. Sums of two tensors are rounded once.
#ifndef DEPLOY_OP_QUANT_H
#define DEPLOY_OP_QUANT_H

#include <stdint.h>

#include "deploy/graph/array.h"

// round(sum * factor) + zero, saturated to the type, for exact sums.
int64_t quant_code(int64_t sum, float factor, int64_t zero, enum array_type type);
// Of two codes less their zero points: their sum in doubles, which is exact but for the last
// division; their product, which is an integer, by quant_code().
struct quant_pair {
  float a, b, to; // scales
  int64_t zero;
  enum array_type type;
};
int64_t quant_sum(const struct quant_pair *by, int64_t a, int64_t b);
int64_t quant_product(const struct quant_pair *by, int64_t a, int64_t b);
// x / scale, of real numbers.
int64_t quant_of_real(float x, float scale, int64_t zero, enum array_type type);
int64_t quant_least(enum array_type type);
int64_t quant_most(enum array_type type);

enum op_qbinary { OP_QADD, OP_QMUL };

#endif
