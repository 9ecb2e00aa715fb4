// kernels/ref/ref_conv2d.h: quantized convolution in the plainest C, for host and target.
#ifndef REF_CONV2D_H
#define REF_CONV2D_H

#include "kernels/nn/nn_conv2d.h"

// Weights and scales as they are before packing.
struct ref_conv2d {
  const int8_t *weights; // [out_c][kernel_h][kernel_w][in_c]
  const int32_t *kappa;  // [out_c]
  const int32_t *lambda;
};

// One output: row y, column x, filter f.
uint8_t ref_conv2d_u8(const struct nn_conv2d *layer, const struct ref_conv2d *ref, uint32_t y,
                      uint32_t x, uint32_t f);

#endif
