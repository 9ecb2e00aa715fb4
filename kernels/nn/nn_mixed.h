// kernels/nn/nn_mixed.h: quantized 2-D convolution, HWC, activations, weights and outputs of 8, 4
// or 2 bits each: all 27 combinations. A 1x1 kernel makes it a pointwise layer.
//
// As nn_conv2d.h, but for: inputs unsigned of in_bits, weights signed of weight_bits, outputs
//   out[y][x][f] = clip((kappa[f] * sum + lambda[f]) >> shift)      to 0..2^out_bits - 1
// or, with out_bits = 32, the sums themselves, int32 (out aligned to 4; requantize them as you
// like: nn_requant_i32.h). Tensors are packed (nn_bits.h): in[in_h][in_w][pixel], a pixel
// nn_bits_bytes(in_c, in_bits) bytes; weights[out_c][kernel_h][kernel_w][tap] alike.
//
// Sums are computed scaled by up to 64: a filter has at most 2^16 weights.
//
// Sources: Bruschi et al., "Enabling mixed-precision quantized neural networks in extreme-edge
// devices", CF 2020 (the 27 kernels); Garofalo et al., "XpulpNN", IEEE TETC 9(3), 2021.
#ifndef NN_MIXED_H
#define NN_MIXED_H

#include <stdbool.h>

#include "nn_bits.h"
#include "nn_conv2d.h"

struct nn_mixed {
  struct nn_conv2d shape; // in, out: packed bytes; filters: nn_mixed_pack()
  uint8_t in_bits;        // 8, 4, 2
  uint8_t weight_bits;    // 8, 4, 2
  uint8_t out_bits;       // 8, 4, 2, or 32: sums
  bool xpulpnn;           // nibble and crumb dot products: for cores that have XpulpNN
};

uint32_t nn_mixed_buffer_size(const struct nn_mixed *layer); // bytes of scratch
uint32_t nn_mixed_packed_size(const struct nn_mixed *layer); // bytes of packed filters
uint32_t nn_mixed_out_pixel(const struct nn_mixed *layer);   // bytes of an output pixel

// kappa and lambda may be NULL if out_bits is 32. The cores share the work.
void nn_mixed_pack(const struct nn_mixed *layer, void *packed, const void *weights,
                   const int32_t *kappa, const int32_t *lambda);

enum kernel_status nn_mixed_conv2d(const struct nn_mixed *layer);

#endif
