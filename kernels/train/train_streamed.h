// kernels/train/train_streamed.h: a chain of fully connected layers, batch 1, whose weights lie
// outside L1 and stream through it: each pass reads them once, the backward pass also writes them.
//
//   forward   value[l][o] = act(bias[o] + sum over i of weights[o][i] * in[i]);  act: ReLU or none
//   backward  in_grad[i] = sum over o of grad[o] * weights[o][i], where the layer below is active;
//             then weights[o][i] -= rate * grad[o] * in[i], and bias[o] -= rate * grad[o]
//   step      forward; grad = 2 / out_n * (value - target), that of the mean squared error;
//             backward. The last layer's weights are read once for both.
//
// `in` is the chain's input, or the value of the layer below. Values and gradients lie in L1. While
// the cores compute on tiles of weights, the DMA brings the next ones, of the next layer as well,
// and takes away those before (train_stream.h). A gradient of the weights is used where it arises
// and never stored: plain stochastic gradient descent (Goodfellow et al., Deep Learning, 8.3).
//
// Weights lie as they are used: `rows` rows are a block, whose weights of a column are side by
// side, column behind column; a bias is the weight of a column in front, whose input is 1.
// train_streamed_place() tells where each one is. Inputs and values are vectors with a head: {1, 0,
// the elements}, and 0 behind an odd number of them.
//
// The first layer's weights, which need no gradient of their input, may be stepped by the next
// forward pass, which reads them anyway: `step_input`. The values are the same, and the backward
// pass leaves a layer out.
//
// Floats, one rounding a step: the same bits on any number of cores. Sums over i run in its order;
// those over o in its order within each of 8 groups of ceil(out_n / 8), then from group to group.
// Cores share the groups. All cores call with the same arguments; a barrier behind each call is the
// caller's.
#ifndef TRAIN_STREAMED_H
#define TRAIN_STREAMED_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/status.h"

enum {
  TRAIN_STREAMED_GROUPS = 8,
  TRAIN_STREAMED_HEAD = 2, // of a vector
  TRAIN_STREAMED_ROWS = 8, // of a block, at most
};

// Floats of a vector of n elements.
static inline uint32_t train_streamed_vector(uint32_t n) {
  return TRAIN_STREAMED_HEAD + n + (n & 1);
}

struct train_streamed_layer {
  float *weights; // [train_streamed_floats()], outside L1
  float *value;   // vector of out_n: forward writes its elements, backward reads them
  // [out_n]: of the loss; backward reads it, and writes that of the layer below. The last layer's
  // may be its values.
  float *grad;
  uint32_t in_n, out_n;
  // Of a block, 1 to 8: the more, the fewer accesses to L1. A step uses the last layer's blocks
  // both ways while they are in L1 if one fits into three quarters of a core's part of it.
  uint32_t rows;
  bool relu;
};

static inline uint32_t train_streamed_group_rows(const struct train_streamed_layer *l) {
  return (l->out_n + TRAIN_STREAMED_GROUPS - 1) / TRAIN_STREAMED_GROUPS;
}

// Of a layer's weights: columns without a meaning, which stay 0 if they are, are part of them.
uint32_t train_streamed_floats(const struct train_streamed_layer *layer);
// Index of weights[o][i]; i = in_n: of bias[o].
uint32_t train_streamed_place(const struct train_streamed_layer *layer, uint32_t o, uint32_t i);
// Makes head and end of a vector of n elements.
void train_streamed_head(float *vector, uint32_t n);

struct train_streamed {
  const struct train_streamed_layer *layers; // each as wide as the one below
  uint32_t count;                            // >= 1
  const float *input;                        // vector of layers[0].in_n
  // NULL: a backward pass steps all weights. Else it leaves out those of the first layer, and the
  // forward pass first steps them, with this input, that of the backward pass before, and
  // layers[0].grad, which is to be as that pass left it, and zero at first. For count >= 2.
  const float *step_input;
  const float *target; // [out_n] of the last layer: train_streamed_step() alone
  float rate;
  void *l1; // aligned to 4 (8: faster)
  uint32_t l1_bytes;
};

// Of l1, at least. What is more makes larger tiles.
uint32_t train_streamed_least_bytes(const struct train_streamed *net);

enum kernel_status train_streamed_fw(const struct train_streamed *net);
// layers[count - 1].grad is given.
enum kernel_status train_streamed_bw(const struct train_streamed *net);
// The last layer has no ReLU.
enum kernel_status train_streamed_step(const struct train_streamed *net);
// With a `step_input`, behind the last backward pass: steps the first layer's weights with `input`,
// that pass's, and makes layers[0].grad zero.
enum kernel_status train_streamed_finish(const struct train_streamed *net);

#endif
