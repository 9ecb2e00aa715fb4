// kernels/nn/nn_strip_u8.h: the inner loops of the 8-bit layers: 1..4 rows of activations (pixels)
// times blocks of four filters, requantized to uint8. In assembly on the target (nn_strip_u8.S),
// in C on the host (nn_strip_u8.c).
#ifndef NN_STRIP_U8_H
#define NN_STRIP_U8_H

#include <stddef.h>
#include <stdint.h>

// A packed block of four filters: for each word of K the four filters' words, then the four
// filters' {kappa, lambda}. Missing weights, and filters, are zero.
static inline uint32_t nn_block_size(uint32_t words) {
  return words * 16 + 32;
}

struct nn_strip_u8 { // the assembly knows these offsets
  const void *a;     // rows: the first pixel; columns: aligned to 4
  uint32_t a_stride; // rows: bytes from pixel to pixel
  const void *blocks;
  uint8_t *out;        // filter f of pixel p at out[p * out_stride + f]
  uint32_t out_stride; // bytes from pixel to pixel
  uint32_t words;      // of K: at least 2
  uint32_t count;      // blocks, at least 1
  uint32_t shift;
  uint32_t strips; // four pixels: so many times four, at least 1
  // Rows, one pixel: bytes of a block that are not for these words, in front of them in all blocks
  // but the first, to which `blocks` points behind them, and behind them.
  uint32_t before, behind;
};

typedef void nn_strip_u8_fn(const struct nn_strip_u8 *strip);

// uint8 activations, int8 weights. Index: pixels - 1. Columns: four pixels interleaved word by
// word (nn_im2col.h), and the next four behind them. Rows: pixels as they stand in memory.
extern nn_strip_u8_fn *const nn_strip_u8_i8_u8_columns[4];
extern nn_strip_u8_fn *const nn_strip_u8_i8_u8_rows[4];

// `strips` times four pixels times one filter: `count` is which of the block's four, `out` its
// output.
nn_strip_u8_fn nn_strip_u8_one_columns, nn_strip_u8_one_rows;

#endif
