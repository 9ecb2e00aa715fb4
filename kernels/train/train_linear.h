// kernels/train/train_linear.h: fully connected layer with its gradients.
//
//   out[b][o] = bias[o] + sum over i of weights[o][i] * in[b][i]
//   weights_grad[o][i] = sum over b of out_grad[b][o] * in[b][i];  bias_grad[o] = sum over b
//   in_grad[b][i] = sum over o of out_grad[b][o] * weights[o][i]
//
// Dense rows, pointers aligned to 4 bytes, sizes >= 1; buffers must not overlap. With `add` the
// gradients of weights and bias are added to what is there. A batch of one goes through
// train_gemv.S (gradients; in 16 bits see train_linear_product.c) and blocks of eight rows
// (forward), anything else through mmt_f32.h or, in 16 bits,
// train_product.h. The bias is added last; in 16 bits it comes first.
//
// All cores call with the same arguments; the caller puts a barrier behind the call.
//
// Gradients: Goodfellow et al., Deep Learning, section 6.5.
#ifndef TRAIN_LINEAR_H
#define TRAIN_LINEAR_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/status.h"
#include "kernels/train/train_type.h"

struct train_linear {
  const void *in;       // [batch][in_n]       fw, wg
  const void *weights;  // [out_n][in_n]       fw, ig
  const void *bias;     // [out_n] or NULL     fw
  void *out;            // [batch][out_n]      fw
  const void *out_grad; // [batch][out_n]      wg, ig
  void *in_grad;        // [batch][in_n]       ig
  void *weights_grad;   // [out_n][in_n]       wg
  void *bias_grad;      // [out_n] or NULL     wg
  uint32_t batch, in_n, out_n;
  bool add;
  uint8_t matmul; // 0: the way by shape; else products by this kernel: 1 + an id of mmt_f32.h
  void *scratch;  // of the size that the pass asks for; NULL if that is 0
  enum train_type type;
};

// Bytes of scratch: 0 with floats.
uint32_t train_linear_fw_buffer_size(const struct train_linear *layer);
uint32_t train_linear_wg_buffer_size(const struct train_linear *layer);
uint32_t train_linear_ig_buffer_size(const struct train_linear *layer);

enum kernel_status train_linear_fw(const struct train_linear *layer);
enum kernel_status train_linear_wg(const struct train_linear *layer);
enum kernel_status train_linear_ig(const struct train_linear *layer);

#endif
