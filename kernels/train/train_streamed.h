// kernels/train/train_streamed.h: a chain of fully connected layers, batch 1, whose weights lie
// outside L1 and stream through it: each pass reads them once, the backward pass also writes them.
//
//   forward   value[l][o] = act(bias[o] + sum over i of weights[o][i] * in[i]);  act: ReLU or none
//   backward  in_grad[i] = sum over o of grad[o] * weights[o][i], where the layer below is active;
//             then weights[o][i] -= rate * grad[o] * in[i], and bias[o] -= rate * grad[o]
//
// `in` is the chain's input, or the value of the layer below. Values, gradients and biases lie in
// L1. Whole rows of weights make a tile: while the cores compute on one, the DMA brings the next
// one, of the next layer as well, and takes away the one before. A gradient of the weights is used
// where it arises and never stored: plain stochastic gradient descent (Goodfellow et al., Deep
// Learning, 8.3).
//
// Floats; sums over i and over o run in their order with one rounding a step: the same bits on any
// number of cores. All cores call with the same arguments; a barrier behind each call is the
// caller's.
#ifndef TRAIN_STREAMED_H
#define TRAIN_STREAMED_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/status.h"

struct train_streamed_layer {
  float *weights; // [out_n][in_n], outside L1
  float *bias;    // [out_n]
  float *value;   // [out_n]: forward writes it, backward reads it
  float *grad;    // [out_n]: of the loss; backward reads it, and writes that of the layer below
  uint32_t in_n, out_n;
  bool relu;
};

struct train_streamed {
  const struct train_streamed_layer *layers; // each as wide as the one below
  uint32_t count;                            // >= 1
  const float *input;                        // [layers[0].in_n]
  float rate;
  void *l1; // for tiles, aligned to 4: the more, the better; 96 bytes or more
  uint32_t l1_bytes;
};

enum kernel_status train_streamed_fw(const struct train_streamed *net);
// layers[count - 1].grad is given.
enum kernel_status train_streamed_bw(const struct train_streamed *net);

#endif
