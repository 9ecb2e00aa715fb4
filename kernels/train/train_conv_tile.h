// kernels/train/train_conv_tile.h: inner loops of the direct convolution, kernels three columns
// wide, stride 1, planes of float (CHW); see train_conv_tile.S. All strides in bytes.
#ifndef TRAIN_CONV_TILE_H
#define TRAIN_CONV_TILE_H

#include <stdint.h>

enum { TRAIN_CONV_ROWS = 4, TRAIN_CONV_PIXELS = 5, TRAIN_CONV_LINES = 2 };

// `blocks` blocks of U output channels x V pixels of one output row, side by side.
//   out[u][v] = (add ? out[u][v] : +0) + sum over c, i, j of w[u][c][i][j] * x[c][i][v + j]
struct train_conv_fw {
  const float *w;  // first output channel, [channels][kernel_h][3]
  uint32_t w_step; // from output channel to output channel
  const float *x;  // input under the first pixel
  uint32_t row;    // from input row to input row
  uint32_t gap;    // from below the last row of a channel to the first of the next
  float *out;
  uint32_t out_step; // from output channel to output channel
  uint32_t channels, kernel_h;
  uint32_t blocks;
  uint32_t next; // from block to block, input and output
  uint32_t add;
};

// Weight gradients of U output channels and L lines, `blocks` times, line after line; a line is one
// row of a filter, of 3 weights.
//   dw[u][l][j] = (add ? dw[u][l][j] : +0) + sum over y, x of dy[u][y][x] * x[l][y][x + j]
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

// By U - 1, then V - 1 or L - 1.
extern train_conv_fw_fn *const train_conv_fw_tiles[TRAIN_CONV_ROWS][TRAIN_CONV_PIXELS];
extern train_conv_wg_fn *const train_conv_wg_tiles[TRAIN_CONV_ROWS][TRAIN_CONV_LINES];

#endif
