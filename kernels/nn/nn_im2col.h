// kernels/nn/nn_im2col.h: the input pixels under a filter, as columns.
//
// The column of an output pixel: kernel_h runs of kernel_w * in_c bytes, each run padded to a
// multiple of 4 (so that runs begin at word addresses), the whole at least 8 bytes; but for
// nn_im2col_27.h. What stands in the padding is arbitrary: the packed filters have zeros there.
//
// The columns of four pixels are interleaved word by word: word w of pixel p is word 4 * w + p. So
// the inner loop reads them through one pointer, in step with the packed filters: activations
// and weights then move through the banks alike, and cores out of step by a few cycles do not meet
// at a bank again.
#ifndef NN_IM2COL_H
#define NN_IM2COL_H

#include <stdbool.h>

#include "nn_conv2d.h"
#include "nn_im2col_27.h"
#include "nn_spread.h"

// Bytes of a run, and words of a column.
static inline uint32_t nn_im2col_run(const struct nn_conv2d *layer) {
  return ((uint32_t)layer->kernel_w * layer->in_c + 3) / 4 * 4;
}
static inline uint32_t nn_im2col_words(const struct nn_conv2d *layer) {
  uint32_t words = layer->kernel_h * nn_im2col_run(layer) / 4;
  return words < 2 ? 2 : nn_im2col_is_27(layer) ? NN_IM2COL_27_WORDS : words;
}

// The next output pixel, and what of the input is under the kernel in all of its row.
struct nn_im2col_place {
  uint32_t y, x, out_w;
  uint32_t pixel;                    // bytes of an input pixel; 0: rows 0
  uint32_t outside;                  // a word of pixels outside the input
  uint32_t words, bytes;             // of a window's row, of an input row
  uint32_t zeros_above, zeros_below; // words of a column
  uint32_t rows;                     // inside; 0: not for nn_im2col_whole()
  uint32_t inside; // windows that begin left of this, not left of 0, are whole, as are their words
  const uint8_t *src; // the first of them
};

// For row `y` all from `words` on.
void nn_im2col_row(const struct nn_conv2d *layer, struct nn_im2col_place *at);

// Whether nn_im2col_whole() is for this pixel's window: rows of it are inside; and it is whole, or
// input pixels are whole words.
static inline bool nn_im2col_is_whole(const struct nn_conv2d *l, const struct nn_im2col_place *at) {
  return at->rows > 0 && (at->pixel % 4 == 0 || at->x * l->stride_w - l->pad_left < at->inside);
}

// The column of such a pixel.
static inline __attribute__((always_inline)) void
nn_im2col_whole(const struct nn_conv2d *l, const struct nn_im2col_place *at, uint32_t *column) {
  uint32_t begin = at->x * l->stride_w - l->pad_left, pixel = at->pixel, words = at->words;
  if (at->zeros_above > 0)
    nn_spread_fill(column, at->zeros_above, at->outside);
  if (at->zeros_below > 0)
    nn_spread_fill(column + 4 * (at->zeros_above + words * at->rows), at->zeros_below, at->outside);
  column += 4 * at->zeros_above;
  if (begin < at->inside) {
    nn_spread_rows(column, at->src + begin * pixel, words, at->rows, at->bytes, 0);
    return;
  }
  int32_t kernel_w = l->kernel_w, x0 = (int32_t)begin;
  int32_t left = x0 < 0 ? -x0 : 0, right = l->in_w - x0 < kernel_w ? l->in_w - x0 : kernel_w;
  if (right < left)
    left = right = 0; // all beside the input
  uint32_t before = (uint32_t)left * pixel / 4, inside = (uint32_t)(right - left) * pixel / 4;
  if (inside > 0)
    nn_spread_rows(column + 4 * before, at->src + (uint32_t)(x0 + left) * pixel, inside, at->rows,
                   at->bytes, words - inside);
  if (before > 0)
    nn_spread_fills(column, before, at->rows, words - before, at->outside);
  if (before + inside < words)
    nn_spread_fills(column + 4 * (before + inside), words - before - inside, at->rows,
                    before + inside, at->outside);
}

// The column of output pixel (y, x), its words at column[0], column[4], column[8] ...
void nn_im2col_u8(const struct nn_conv2d *layer, uint32_t y, uint32_t x, uint32_t *column);

#endif
