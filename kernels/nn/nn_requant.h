// kernels/nn/nn_requant.h: from 32-bit sums to 8-bit activations.
//
// A channel's batch normalization and the layer's scale folded into integers:
//   y = clip((kappa * sum + lambda) >> d)         clip: to 0..255
// with kappa and lambda per channel, d per layer (0..31), an arithmetic shift, and 32-bit wrapping
// products and sums: |kappa * sum + lambda| < 2^31 is the caller's care. Source: Conti,
// "Technical report: NEMO DNN quantization for deployment", arXiv:2004.05930, section 3; Burrello
// et al., "DORY", IEEE TC 70 (2021), section 3.
#ifndef NN_REQUANT_H
#define NN_REQUANT_H

#include <stdint.h>

// One output, in plain C: what all kernels compute, bit for bit.
static inline uint8_t nn_requant_u8(int32_t sum, int32_t kappa, int32_t lambda, uint32_t shift) {
  int32_t y = (int32_t)((uint32_t)sum * (uint32_t)kappa + (uint32_t)lambda) >> shift;
  return (uint8_t)(y < 0 ? 0 : y > 255 ? 255 : y);
}

#endif
