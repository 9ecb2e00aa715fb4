// kernels/train/train_attention.h: multi-head self-attention with its gradients.
//
//   Q = X Wq' + bq, K = X Wk' + bk, V = X Wv' + bv        [rows][width], weights [width][width]
//   per head h, over its width / heads columns: P = softmax(Q K' / sqrt(width / heads)), Z = P V
//   out = Z Wo' + bo                                      biases [width], or none if NULL
//
// X [rows][width] row-major. The forward pass leaves q, k, v, p [heads][rows][rows] and z for the
// gradient, which needs all of them. In 16-bit types these are rounded, each once and the scores
// twice. Gradients of weights and biases are added to if `add`. Contains barriers. All cores call
// with the same arguments; the caller puts a barrier behind the call.
//
// Source: Vaswani et al., "Attention is all you need", 2017, section 3.2.
#ifndef TRAIN_ATTENTION_H
#define TRAIN_ATTENTION_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/status.h"
#include "kernels/train/train_type.h"

struct train_attention {
  const void *in;                // [rows][width]
  const void *wq, *wk, *wv, *wo; // [width][width]
  const void *bq, *bk, *bv, *bo; // [width] or NULL
  void *q, *k, *v, *z;           // [rows][width]
  void *p;                       // [heads][rows][rows]
  void *out;                     // [rows][width]
  const void *out_grad;          // [rows][width]
  void *in_grad;                 // [rows][width]
  void *wq_grad, *wk_grad, *wv_grad, *wo_grad;
  void *bq_grad, *bk_grad, *bv_grad, *bo_grad; // or NULL
  void *scratch;               // of the size that the pass asks for; NULL if that is 0
  uint32_t rows, width, heads; // width a multiple of heads
  bool add;
  uint8_t matmul; // 0: products by shape; else 1 + an id of mmt_f32.h
  enum train_type type;
};

// Bytes of scratch; the forward pass needs none with floats.
uint32_t train_attention_fw_buffer_size(const struct train_attention *layer);
uint32_t train_attention_bw_buffer_size(const struct train_attention *layer);

enum kernel_status train_attention_fw(const struct train_attention *layer);
enum kernel_status train_attention_bw(const struct train_attention *layer); // weights and input

#endif
