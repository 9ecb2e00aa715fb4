// kernels/nn/nn_im2col.h: the input pixels under a filter, as columns.
//
// The column of an output pixel: kernel_h runs of kernel_w * in_c bytes, each run padded to a
// multiple of 4 (so that runs begin at word addresses), the whole at least 8 bytes. What stands in
// the padding is arbitrary: the packed filters have zeros there.
//
// The columns of four pixels are interleaved word by word: word w of pixel p is word 4 * w + p. So
// the inner loop reads them through one pointer, in step with the packed filters: activations
// and weights then move through the banks alike, and cores out of step by a few cycles do not meet
// at a bank again.
#ifndef NN_IM2COL_H
#define NN_IM2COL_H

#include "nn_conv2d.h"

// Bytes of a run, and words of a column.
static inline uint32_t nn_im2col_run(const struct nn_conv2d *layer) {
  return ((uint32_t)layer->kernel_w * layer->in_c + 3) / 4 * 4;
}
static inline uint32_t nn_im2col_words(const struct nn_conv2d *layer) {
  uint32_t words = layer->kernel_h * nn_im2col_run(layer) / 4;
  return words < 2 ? 2 : words;
}

// The column of output pixel (y, x), its words at column[0], column[4], column[8] ...
void nn_im2col_u8(const struct nn_conv2d *layer, uint32_t y, uint32_t x, uint32_t *column);

#endif
