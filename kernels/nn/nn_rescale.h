// kernels/nn/nn_rescale.h: x * factor * 2^(shift - 31), factor in Q31, as TensorFlow Lite rounds
// it. shift is -31..30, to the left if positive. Jacob et al., CVPR 2018, section 2.2.
#ifndef NN_RESCALE_H
#define NN_RESCALE_H

#include <stdint.h>

// value >> shift, shift in 0..63, as near as 32 bits come.
static inline int32_t nn_shifted(int64_t value, uint32_t shift) {
  if (shift >= 32)
    return (int32_t)(value >> 32) >> (shift - 32);
  value >>= shift;
  return value < INT32_MIN ? INT32_MIN : value > INT32_MAX ? INT32_MAX : (int32_t)value;
}

// To the nearest behind the product, halves up, and again behind the shift, halves away from 0. A
// shift to the left wraps at 32 bits.
static inline int32_t nn_rescale_twice(int32_t x, int32_t factor, int32_t shift) {
  x = (int32_t)((uint32_t)x << (shift > 0 ? shift : 0));
  int32_t y = nn_shifted((int64_t)x * factor + (1 << 30), 31);
  if (shift >= 0)
    return y;
  int32_t negative = -(y < 0);
  y = (int32_t)((uint32_t)y + (uint32_t)negative) >> (-shift - 1);
  return (y + 1) >> 1;
}

// To the nearest once, halves up.
static inline int32_t nn_rescale_once(int32_t x, int32_t factor, int32_t shift) {
  return nn_shifted((int64_t)x * factor + ((int64_t)1 << (30 - shift)), (uint32_t)(31 - shift));
}

#endif
