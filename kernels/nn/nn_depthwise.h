// kernels/nn/nn_depthwise.h: quantized depthwise convolution: every channel with a filter of its
// own.
//
//   sum[y][x][c] = sum over i < kernel_h, j < kernel_w of
//                    in[y * stride_h + i - pad_top][x * stride_w + j - pad_left][c] * w[c][i][j]
//   out[y][x][c] = clip((kappa[c] * sum + lambda[c]) >> shift)
//                  to 0..2^out_bits - 1, or -2^(out_bits - 1)..2^(out_bits - 1) - 1 if out_signed;
//                  with out_bits = 32 (HWC, aligned to 4) sum + lambda[c], int32;
//                  with `requant` by its scheme (nn_requant_i32.h), whose phi is sum + lambda[c],
//                  and lambda no larger than a sum can be
// Pixels outside the input count as pad_value.
//
// Layouts: HWC or CHW, of input and output each: HWC to HWC; CHW to CHW; CHW to HWC is the hybrid
// of DORY (Burrello et al., IEEE TC 70, 2021), whose input a strided DMA transfer brings into CHW.
// HWC tensors may be packed (nn_bits.h), all combinations of 8, 4 and 2 bits; CHW ones have 8 bits.
// Inputs unsigned, or signed if in_signed; weights signed, not packed in advance: channel c's
// kernel_h * kernel_w weights begin at byte c * nn_bits_bytes(kernel_h * kernel_w, weight_bits).
//
// Groups of four channels are split over the cores, each turned into four zero-padded planes in
// the core's scratch first; 3x3 kernels with columns two apart do without (nn_dw_quad.h). The
// caller puts a barrier behind the call.
#ifndef NN_DEPTHWISE_H
#define NN_DEPTHWISE_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/status.h"
#include "nn_requant_i32.h"

struct nn_depthwise {
  const uint8_t *in;
  const void *weights;
  const int32_t *kappa, *lambda; // [channels]; may be NULL, 0, with out_bits = 32 or `requant`
  uint8_t *out;
  void *scratch; // nn_depthwise_buffer_size() bytes, aligned to 4
  uint16_t in_h, in_w, channels;
  uint8_t kernel_h, kernel_w, stride_h, stride_w; // >= 1
  uint8_t pad_top, pad_bottom, pad_left, pad_right;
  uint8_t shift;                          // 0..31
  uint8_t in_bits, weight_bits, out_bits; // 8, 4, 2; out_bits also 32
  bool in_chw, out_chw;
  bool in_signed, out_signed;
  const struct nn_requant_i32 *requant; // of out_bits, out_signed; NULL: kappa, lambda, shift
  int16_t pad_value; // of pixels outside the input, an in_bits value: their zero point
};

uint32_t nn_depthwise_out_h(const struct nn_depthwise *layer);
uint32_t nn_depthwise_out_w(const struct nn_depthwise *layer);
uint32_t nn_depthwise_buffer_size(const struct nn_depthwise *layer);

enum kernel_status nn_depthwise(const struct nn_depthwise *layer);

#endif
