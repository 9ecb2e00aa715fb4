// kernels/nn/nn_im2col_27.h: columns of 3x3 pixels of three channels, the first layer of most
// networks: 27 bytes in seven words, where rows of whole words would take nine.
#ifndef NN_IM2COL_27_H
#define NN_IM2COL_27_H

#include <stdbool.h>

#include "nn_conv2d.h"

enum { NN_IM2COL_27_WORDS = 7 };

static inline bool nn_im2col_is_27(const struct nn_conv2d *l) {
  return l->kernel_h == 3 && l->kernel_w == 3 && l->in_c == 3;
}

// The next output pixel, and the input rows under the kernel.
struct nn_im2col_27 {
  uint32_t y, x, out_w;
  uint32_t inside;        // windows that begin left of this, not left of 0, have three pixels a row
  const uint8_t *rows[3]; // `zeros` if outside
  uint32_t mask[3];       // of the way along a row: 0 if outside
  uint32_t zeros[3];
};

// From output pixel (y, x) on.
void nn_im2col_27_begin(const struct nn_conv2d *layer, struct nn_im2col_27 *at, uint32_t y,
                        uint32_t x);

// The columns of the next `count` pixels, interleaved by four (nn_im2col.h), four by four.
void nn_im2col_27(const struct nn_conv2d *layer, struct nn_im2col_27 *at, uint32_t *columns,
                  uint32_t count);

// The column of output pixel (y, x).
void nn_im2col_27_of(const struct nn_conv2d *layer, uint32_t y, uint32_t x, uint32_t *column);

#endif
