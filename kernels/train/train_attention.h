// kernels/train/train_attention.h: multi-head self-attention with its gradients.
//
//   Q = X Wq', K = X Wk', V = X Wv'                       [rows][width], weights [width][width]
//   per head h, over its width / heads columns: P = softmax(Q K' / sqrt(width / heads)), Z = P V
//   out = Z Wo'
//
// X [rows][width] row-major. The forward pass leaves q, k, v, p [heads][rows][rows] and z for the
// gradient, which needs all of them and `scratch` (train_attention_buffer_size() bytes). Weight
// gradients are added to if `add`. Contains barriers. All cores call with the same arguments; the
// caller puts a barrier behind the call.
//
// Source: Vaswani et al., "Attention is all you need", 2017, section 3.2.
#ifndef TRAIN_ATTENTION_H
#define TRAIN_ATTENTION_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/status.h"

struct train_attention {
  const float *in;                // [rows][width]
  const float *wq, *wk, *wv, *wo; // [width][width]
  float *q, *k, *v, *z;           // [rows][width]
  float *p;                       // [heads][rows][rows]
  float *out;                     // [rows][width]
  const float *out_grad;          // [rows][width]
  float *in_grad;                 // [rows][width]
  float *wq_grad, *wk_grad, *wv_grad, *wo_grad;
  float *scratch;
  uint32_t rows, width, heads; // width a multiple of heads
  bool add;
};

// Of the gradient; the forward pass needs none.
uint32_t train_attention_buffer_size(const struct train_attention *layer);

enum kernel_status train_attention_fw(const struct train_attention *layer);
enum kernel_status train_attention_bw(const struct train_attention *layer); // weights and input

#endif
