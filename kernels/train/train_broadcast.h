// kernels/train/train_broadcast.h: sums and products of tensors of different shapes, as in numpy
// and ONNX (Multidirectional Broadcasting), with their gradients; transposition of any rank.
//
// Dense tensors, sizes >= 1, buffers must not overlap. All cores call with the same arguments; the
// caller puts a barrier behind the call.
#ifndef TRAIN_BROADCAST_H
#define TRAIN_BROADCAST_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/status.h"
#include "kernels/train/train_type.h"

enum { TRAIN_RANK = 6 };

// out = a + b or, with `product`, a * b, over `rank` axes of `size`; bit i of a_axes says that a
// has axis i, else its size there is 1, and likewise b. Gradients are summed over the axes that an
// operand lacks, rounded once: a_grad (+)= out_grad or out_grad * b; NULL: not wanted.
struct train_broadcast {
  const void *a, *b;
  void *out;
  const void *out_grad;
  void *a_grad, *b_grad;
  uint32_t rank; // 1..TRAIN_RANK
  uint32_t size[TRAIN_RANK];
  uint8_t a_axes, b_axes;
  bool product;
  bool add; // gradients are added to what is there
  enum train_type type;
};
enum kernel_status train_broadcast_fw(const struct train_broadcast *op);
enum kernel_status train_broadcast_ig(const struct train_broadcast *op);

// Axis i of dst is axis order[i] of src; `size` are those of src. The gradient is the inverse
// permutation.
struct train_transpose {
  const void *src;
  void *dst;
  uint32_t rank; // 1..TRAIN_RANK
  uint32_t size[TRAIN_RANK];
  uint8_t order[TRAIN_RANK];
  enum train_type type;
};
enum kernel_status train_transpose(const struct train_transpose *op);

#endif
