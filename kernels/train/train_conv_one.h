// kernels/train/train_conv_one.h: inner loops of 1x1 convolutions that see every other pixel of a
// row, planes of float (CHW), without patches; see train_conv_one.S. All strides in bytes.
#ifndef TRAIN_CONV_ONE_H
#define TRAIN_CONV_ONE_H

#include <stdint.h>

// `blocks` blocks of four output channels x four pixels of one output row.
//   out[u][v] = (add ? out[u][v] : +0) + sum over c of w[u][c] * x[c][2 v]
struct train_conv_one_fw {
  const float *w;  // first output channel
  uint32_t w_step; // from output channel to output channel
  const float *x;  // input under the first pixel
  uint32_t plane;  // from channel to channel
  float *out;
  uint32_t out_step; // from output channel to output channel
  uint32_t fours;    // channels / 4, at least 1
  uint32_t blocks;   // at least 1
  uint32_t next;     // from block to block of the input
  uint32_t out_next; // and of the output
  uint32_t add;
};

// Weight gradients of four output channels and `blocks` times four channels.
//   dw[u][c] = (add ? dw[u][c] : +0) + sum over y, i, v of dy[u][y][4 i + v] * x[c][y][i][2 v]
struct train_conv_one_wg {
  const float *dy; // first output channel, dense rows
  uint32_t dy_step;
  const float *x;
  uint32_t plane;
  float *dw;
  uint32_t dw_step;
  uint32_t fours;  // four pixels of a row, so many times; at least 1
  uint32_t blocks; // at least 1
  uint32_t step;   // from four pixels to the next, of x
  uint32_t gap;    // from behind a row's to the next row
  uint32_t rows;   // at least 1
  uint32_t next;   // from behind the last row to the first of the next four channels
  uint32_t add;
};

void train_conv_one_fw(const struct train_conv_one_fw *block);
void train_conv_one_wg(const struct train_conv_one_wg *block);
void train_conv_one_wg_4(const struct train_conv_one_wg *block); // one row

#endif
