// kernels/train/train_conv_tile.h: inner loops of the direct convolution, kernels up to three
// columns wide, planes of float (CHW); see train_conv_tile.S. All strides in bytes.
#ifndef TRAIN_CONV_TILE_H
#define TRAIN_CONV_TILE_H

#include <stdint.h>

enum { TRAIN_CONV_ROWS = 4, TRAIN_CONV_PIXELS = 5, TRAIN_CONV_LINES = 2 };

// `blocks` blocks of U output channels x V pixels of one output row, side by side.
//   out[u][v * to] = (add ? out[u][v * to] : +0) + sum over c, i, j of
//                    w[u][c][i][j] * x[c][i][v * step + j]
struct train_conv_fw {
  const float *w;  // first output channel, [channels][kernel_h][width]
  uint32_t w_step; // from output channel to output channel
  const float *x;  // input under the first pixel
  uint32_t row;    // from input row to input row
  uint32_t gap;    // from below the last row of a channel to the first of the next
  float *out;
  uint32_t out_step; // from output channel to output channel
  uint32_t channels, kernel_h;
  uint32_t blocks;
  uint32_t next; // from block to block of the input
  uint32_t add;
  uint32_t out_next; // and of the output
};

// Widths of the kernel, and steps along a row of the input and of the output, that there are.
enum train_conv_kind {
  TRAIN_CONV_3,      // 3 wide
  TRAIN_CONV_3_BY_2, // 3 wide, every other pixel of the input
  TRAIN_CONV_2_TO_2, // 2 wide, to every other pixel of the output
  TRAIN_CONV_1_TO_2, // 1 wide, to every other pixel of the output
  TRAIN_CONV_KINDS
};

// Weight gradients of U output channels and L lines, `blocks` times, line after line; a line is one
// row of a filter, of 3 weights.
//   dw[u][l][j] = (add ? dw[u][l][j] : +0) + sum over y, x of dy[u][y][x] * x[l][y][x * step + j]
struct train_conv_wg {
  const float *dy;      // first output channel, dense rows
  uint32_t dy_step;     // from output channel to output channel
  const float *x;       // input of line 0 under the first pixel
  uint32_t row;         // from line to line
  uint32_t wrap;        // from the last line of a channel to the first of the next
  uint32_t kernel_h, i; // lines of a channel; which of them line 0 is
  uint32_t gap;         // from behind a row of input to the next one
  float *dw;            // lines one after the other
  uint32_t dw_step;     // from output channel to output channel
  uint32_t out_w, out_h;
  uint32_t blocks; // >= 1
  uint32_t add;
};

typedef void train_conv_fw_fn(const struct train_conv_fw *block);
typedef void train_conv_wg_fn(const struct train_conv_wg *block);

// By kind or by step - 1, by U - 1, then V - 1 or L - 1.
typedef train_conv_fw_fn *const train_conv_fw_table[TRAIN_CONV_ROWS][TRAIN_CONV_PIXELS];
typedef train_conv_wg_fn *const train_conv_wg_table[TRAIN_CONV_ROWS][TRAIN_CONV_LINES];
extern train_conv_fw_table train_conv_fw_tiles[TRAIN_CONV_KINDS];
extern train_conv_wg_table train_conv_wg_tiles[2];

#endif
