// deploy/lower/quantized.h: an op graph with ONNX's quantized operators as the integer form.
//
// Read are both forms that quantizers write, also mixed:
//
//   QDQ        float operators between DequantizeLinear and QuantizeLinear
//   QOperator  QLinearConv, QLinearMatMul, ConvInteger, MatMulInteger, com.microsoft's QGemm,
//              QLinearAdd, QLinearMul, QLinearConcat, QLinearGlobalAveragePool, ...
//
// A convolution or product with all that follows it element by element up to QuantizeLinear is one
// layer; its requantization gives the codes of deploy/op/op_quant.h exactly (fit.h). Functions of
// one tensor become tables, computed by the operators themselves. Codes are uint8 or int8, of the
// whole tensor; weights uint8 or int8, of the tensor or by channel. What follows the last
// DequantizeLinear and keeps the order of its numbers (Softmax, ...) is left to the reader.
#ifndef DEPLOY_QUANTIZED_H
#define DEPLOY_QUANTIZED_H

#include "deploy/graph/graph.h"
#include "deploy/net/net.h"

// Whether there is any such operator.
bool quantized_is(const struct graph *graph);
// Types and shapes are inferred first, constants folded. NULL with the sentence, which names node,
// operator and attribute, and what is supported.
struct net *quantized_lower(const char *name, struct graph *graph, struct net_error *error);

#endif
