// kernels/nn/nn_add.h: residual addition of two uint8 tensors, each with its scale.
//
//   out[i] = clip((a[i] * scale_a + b[i] * scale_b + lambda) >> shift)      to 0..255
//
// 32-bit wrapping sums, an arithmetic shift of 0..31. Scales in -128..127 take the faster path: 38
// slots for eight elements; others 27 for four. No alignment needed; aligned to 4 is fastest.
// Elements are split over the cores in pairs of words; the caller puts a barrier behind the call.
#ifndef NN_ADD_H
#define NN_ADD_H

#include <stdint.h>

#include "kernels/status.h"

struct nn_add {
  const uint8_t *a, *b;
  uint8_t *out;
  uint32_t count; // elements, at least 1
  int32_t scale_a, scale_b, lambda;
  uint8_t shift;
};

enum kernel_status nn_add_u8(const struct nn_add *layer);

#endif
