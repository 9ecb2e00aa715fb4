// kernels/nn/nn_direct.h: convolution as it is defined, for what the faster kernels do not take:
// groups, dilation, weights of up to 12 bits (their zero points taken off), filters of any size.
//
//   sum[y][x][f] = sum over i < kernel_h, j < kernel_w, c < in_c / groups of
//     in[y * stride_h + i * dilation_h - pad_top][x * stride_w + j * dilation_w - pad_left]
//       [f / (all_c / groups) * (in_c / groups) + c] * w[f][i][j][c]
//   out = requantized(sum + bias[f]) by a scheme (nn_requant_i32.h), or sum + bias[f] in 32 bits
//
// The filters are first..first + out_c - 1 of all_c. Pixels outside the input count as pad_value.
// HWC, packed (nn_bits.h); about 12 cycles for a product. Groups of 16 filters of a pixel are split
// over the cores; the caller puts a barrier behind the call.
#ifndef NN_DIRECT_H
#define NN_DIRECT_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/status.h"
#include "nn_requant_i32.h"

struct nn_direct {
  const uint8_t *in;
  const void *weights; // [out_c][kernel_h][kernel_w][in_c / groups], int8_t or int16_t
  const int32_t *bias; // [out_c]; NULL: 0
  uint8_t *out;
  uint16_t in_h, in_w, in_c, out_h, out_w, out_c, first, all_c, groups;
  uint8_t kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w; // at least 1
  uint8_t pad_top, pad_left;
  uint8_t in_bits, out_bits; // 8, 4, 2; out_bits also 32
  uint8_t weight_bits;       // 8, or 16: aligned to 2
  bool in_signed;
  int16_t pad_value;
  const struct nn_requant_i32 *requant; // of out_bits; NULL with out_bits = 32
};

enum kernel_status nn_direct(const struct nn_direct *layer);

#endif
