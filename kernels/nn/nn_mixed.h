// kernels/nn/nn_mixed.h: quantized 2-D convolution, HWC, activations, weights and outputs of 8, 4
// or 2 bits each: all 27 combinations, signed or unsigned activations. A 1x1 kernel makes it a
// pointwise layer, a 1x1 input beside a fully connected one.
//
// As nn_conv2d.h, but for: inputs of in_bits, weights signed of weight_bits, outputs
//   out[y][x][f] = clip((kappa[f] * sum + lambda[f]) >> shift)
// clipped to 0..2^out_bits - 1, or -2^(out_bits - 1)..2^(out_bits - 1) - 1 if out_signed; or, with
// out_bits = 32, sum + lambda[f], int32 (out aligned to 4; out_signed is without effect); or, with
// `requant`, by its scheme (nn_requant_i32.h; of out_bits and out_signed), in which case sum +
// lambda[f] is the scheme's phi, and lambda no larger than a sum can be. Tensors are packed
// (nn_bits.h): in[in_h][in_w][pixel], a pixel nn_bits_bytes(in_c, in_bits) bytes;
// weights[out_c][kernel_h][kernel_w][tap] alike. Pixels outside the input count as pad_value.
//
// Sums are computed scaled by up to 64: a filter has at most 2^16 weights. With out_signed and
// kappa the scaled sum plus 2^(out_bits - 1 + shift) must not pass 32 bits, nor the shift 31 -
// out_bits.
//
// Output pixels are split over the cores in groups of four; where those are fewer than the cores,
// as in a fully connected layer, blocks of four filters are (with barriers inside). The caller puts
// a barrier behind the call.
//
// Sources: Bruschi et al., "Enabling mixed-precision quantized neural networks in extreme-edge
// devices", CF 2020 (the 27 kernels); Garofalo et al., "XpulpNN", IEEE TETC 9(3), 2021.
#ifndef NN_MIXED_H
#define NN_MIXED_H

#include <stdbool.h>

#include "nn_bits.h"
#include "nn_conv2d.h"
#include "nn_requant_i32.h"

struct nn_mixed {
  struct nn_conv2d shape; // in, out: packed bytes; filters: nn_mixed_pack()
  uint8_t in_bits;        // 8, 4, 2
  uint8_t weight_bits;    // 8, 4, 2
  uint8_t out_bits;       // 8, 4, 2, or 32: sums
  bool xpulpnn;           // nibble and crumb dot products: for cores that have XpulpNN
  bool in_signed, out_signed;
  const struct nn_requant_i32 *requant; // NULL: kappa, lambda, shift
  int16_t pad_value; // of pixels outside the input, an in_bits value: their zero point
};

uint32_t nn_mixed_buffer_size(const struct nn_mixed *layer); // bytes of scratch
uint32_t nn_mixed_packed_size(const struct nn_mixed *layer); // bytes of packed filters
uint32_t nn_mixed_out_pixel(const struct nn_mixed *layer);   // bytes of an output pixel

// kappa may be NULL if out_bits is 32 or there is a `requant`, lambda too: 0. The cores share the
// work. The signs, `shift` and `requant` with the arrays it points to must be the layer's: they go
// into what is packed.
void nn_mixed_pack(const struct nn_mixed *layer, void *packed, const void *weights,
                   const int32_t *kappa, const int32_t *lambda);

enum kernel_status nn_mixed_conv2d(const struct nn_mixed *layer);

#endif
