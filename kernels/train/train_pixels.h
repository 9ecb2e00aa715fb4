// kernels/train/train_pixels.h: copies of tensors as the direct convolution in HWC and 16 bits
// reads them (train_conv2d_pixels.c): pixels, all channels of one beside each other. The cores
// share the work; the caller puts a barrier behind the calls.
#ifndef TRAIN_PIXELS_H
#define TRAIN_PIXELS_H

#include <stdint.h>

#include "kernels/train/train_planes.h"
#include "kernels/train/train_type.h"

// Element (y, x, c) is at[y * row_step + x * x_step + c * c_step].
struct train_view {
  const void *at;
  uint32_t h, w, c;
  int32_t row_step, x_step, c_step;
  enum train_type type;
};

// Channels in whole words: a zero behind an odd number of 16-bit ones.
static inline uint32_t train_whole(uint32_t channels, enum train_type type) {
  return type == TRAIN_F32 ? channels : channels + channels % 2;
}

// dst[y][x][train_whole(c)], rows `pitch` words apart.
void train_copy_pixels(uint32_t *dst, const struct train_view *from, uint32_t pitch);

// 16 bits: dst[y][i][c] = the pixels i * advance - left and i * advance - left + apart of row y as
// a pair; `count` of them in a row. Pixels outside the row are zeros.
void train_copy_pairs(uint32_t *dst, const struct train_view *from, uint32_t count, uint32_t left,
                      uint32_t advance, uint32_t apart);

// 16 bits, dense: dst[y][x][c].
void train_copy_halves(uint16_t *dst, const struct train_view *from);

// Zeros around `rows` rows of `inside` words, `left` and `right` words beside them, dst[top + rows
// + bottom][left + inside + right].
void train_clear_border(uint32_t *dst, struct train_border border, uint32_t rows, uint32_t inside);

#endif
