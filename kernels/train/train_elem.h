// kernels/train/train_elem.h: residual addition, dropout, SwiGLU.
//
// All cores call with the same arguments; the caller puts a barrier behind the call.
#ifndef TRAIN_ELEM_H
#define TRAIN_ELEM_H

#include <stdint.h>

#include "kernels/status.h"
#include "kernels/train/train_type.h"

// out = a + b; the gradient goes to both: a_grad (+)= out_grad, b_grad (+)= out_grad.
struct train_residual {
  const void *a, *b;
  void *out;
  const void *out_grad;
  void *a_grad, *b_grad;
  uint32_t count;
  uint32_t add; // gradients are added to what is there
  enum train_type type;
};

enum kernel_status train_residual_fw(const struct train_residual *layer);
enum kernel_status train_residual_ig(const struct train_residual *layer);

// out = in / keep with probability `keep`, else 0; the gradient passes where the input did. Whether
// element i is kept follows from seed and i alone: the same on any number of cores, and again in
// the gradient. (Hash of i: the finalizer of MurmurHash3, public domain, A. Appleby.)
struct train_dropout {
  const void *in; // forward: input; gradient: out_grad
  void *out;      // forward: output; gradient: in_grad
  uint32_t count, seed;
  float keep; // in (0, 1]
  enum train_type type;
};

enum kernel_status train_dropout(const struct train_dropout *layer);

// out = a * sigmoid(a) * b: the gate of a feed-forward layer whose two products are a and b.
//   a_grad = g * b * s * (1 + a * (1 - s)), b_grad = g * a * s, with s = sigmoid(a)
// Source: Shazeer, "GLU variants improve transformer", 2020, with beta = 1.
struct train_swiglu {
  const void *a, *b;
  void *out;
  const void *out_grad;
  void *a_grad, *b_grad;
  uint32_t count;
  enum train_type type;
};

enum kernel_status train_swiglu_fw(const struct train_swiglu *layer);
enum kernel_status train_swiglu_ig(const struct train_swiglu *layer);

#endif
