// kernels/train/train_gate.h: ReLU of a block of floats in L1 and its gradient, in place, by the
// calling core: where a layer leaves its results or finds its operands.
//
//   relu      x = x > 0 ? x : +0
//   grad      x = out > 0 ? x : +0; `out` lies as x does
//   bias      x += bias[row]
//   mask      x = out > 0 ? value : +0, of one row: a gradient that all have in common
//
// Blocks have 1 or more rows of 1 or more columns, rows `step` bytes apart. By integers, as floats
// are ordered like what they are made of; a NaN that arithmetic makes (sign 0) stays one.
#ifndef TRAIN_GATE_H
#define TRAIN_GATE_H

#include <stdint.h>

void train_gate_relu(float *x, uint32_t rows, uint32_t columns, uint32_t step);
void train_gate_grad(float *x, const float *out, uint32_t rows, uint32_t columns, uint32_t step);
void train_gate_bias(float *x, const float *bias, uint32_t rows, uint32_t columns, uint32_t step);
void train_gate_mask(float *x, const float *out, float value, uint32_t count);

#endif
