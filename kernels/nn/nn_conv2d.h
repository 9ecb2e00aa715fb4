// kernels/nn/nn_conv2d.h: quantized 2-D convolution, HWC: im2col and a 4x4 register block.
//
//   sum[y][x][f] = sum over i < kernel_h, j < kernel_w, c < in_c of
//                    in[y * stride_h + i - pad_top][x * stride_w + j - pad_left][c] * w[f][i][j][c]
//   out[y][x][f] = clip((kappa[f] * sum + lambda[f]) >> shift)          (nn_requant.h)
//   out_h = (in_h + pad_top + pad_bottom - kernel_h) / stride_h + 1, out_w alike
//
// Pixels outside the input count as 0. Layouts: in[in_h][in_w][in_c] and out[out_h][out_w][out_c]
// uint8, no alignment needed (word-aligned input with in_c a multiple of 4 is fastest); weights
// w[out_c][kernel_h][kernel_w][in_c] int8, packed beforehand, once, by nn_conv2d_pack().
//
// All cores call with the same arguments: output pixels, in row order, are split over the cores in
// groups of four, and where those are few blocks of four filters, too (nn_split.h; with barriers
// inside). The caller puts a barrier behind the call. For signed activations, other
// precisions, int32 sums and other schemes of requantization: nn_mixed.h.
//
// Sources: Garofalo et al., "PULP-NN", Phil. Trans. R. Soc. A 378 (2020), section 3 (HWC, im2col
// per core, dot-product blocks); the block is 4 pixels x 4 filters over packed filters.
#ifndef NN_CONV2D_H
#define NN_CONV2D_H

#include <stdint.h>

#include "kernels/status.h"

struct nn_conv2d {
  const uint8_t *in;
  const void *filters; // packed: nn_conv2d_pack(), aligned to 4
  uint8_t *out;
  void *scratch; // nn_conv2d_buffer_size() bytes, aligned to 4; NULL if that is 0
  uint16_t in_h, in_w, in_c, out_c; // >= 1
  uint8_t kernel_h, kernel_w;       // >= 1
  uint8_t stride_h, stride_w;       // >= 1
  uint8_t pad_top, pad_bottom, pad_left, pad_right;
  uint8_t shift; // 0..31
  uint8_t fours; // of pixels whose columns a core makes at once; 0: one
};

// Height and width of the output; 0 if the kernel does not fit the padded input.
uint32_t nn_conv2d_out_h(const struct nn_conv2d *layer);
uint32_t nn_conv2d_out_w(const struct nn_conv2d *layer);

// Bytes of scratch (im2col: `fours` times four pixels per core; 0 for a pointwise layer whose
// channels are a multiple of 4), and of packed filters. Columns and dot products together pass a
// core's 512 bytes of instruction cache: the more fours, the fewer misses.
uint32_t nn_conv2d_buffer_size(const struct nn_conv2d *layer);
uint32_t nn_conv2d_packed_size(const struct nn_conv2d *layer);

// Packs weights, kappa and lambda (one per output channel); the cores share the work.
void nn_conv2d_pack(const struct nn_conv2d *layer, void *packed, const int8_t *weights,
                    const int32_t *kappa, const int32_t *lambda);

// Useful multiply-accumulates of the layer: every output times the size of a filter.
uint64_t nn_conv2d_macs(const struct nn_conv2d *layer);

enum kernel_status nn_conv2d_u8_i8_u8(const struct nn_conv2d *layer);

#endif
