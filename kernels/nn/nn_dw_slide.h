// kernels/nn/nn_dw_slide.h: a channel of a depthwise convolution with any kernel, from its padded
// plane to 32-bit sums. In assembly on the target (nn_dw_slide.S), in C on the host
// (nn_dw_slide.c).
//
// Outputs whose windows begin in the same word are computed at once, from the same words of the
// plane: four with columns one apart, two with columns two apart, else one; each by a filter of its
// own, shifted by as many bytes as its window is.
#ifndef NN_DW_SLIDE_H
#define NN_DW_SLIDE_H

#include <stdint.h>

struct nn_dw_slide {    // the assembly knows these offsets
  const uint8_t *plane; // unsigned, at the first window
  uint32_t row;         // bytes from row to row
  uint32_t row_next;    // stride_h rows
  int32_t *sums;        // [out_h][out_w], and three more
  uint32_t out_w, out_h;
  const uint32_t *filter; // of each row, of each word those of all outputs
  uint32_t kernel_h;
  uint32_t words;    // of a row of each filter
  uint32_t stride_w; // of nn_dw_slide_1()
};

// Outputs at once, for columns `stride_w` apart, and words of a filter's row of kernel_w taps then.
static inline uint32_t nn_dw_slide_outputs(uint32_t stride_w) {
  return stride_w == 1 ? 4 : stride_w == 2 ? 2 : 1;
}
static inline uint32_t nn_dw_slide_words(uint32_t kernel_w, uint32_t stride_w) {
  return (kernel_w + (nn_dw_slide_outputs(stride_w) - 1) * stride_w + 3) / 4;
}

typedef void nn_dw_slide_fn(const struct nn_dw_slide *channel);
extern nn_dw_slide_fn nn_dw_slide_1, nn_dw_slide_2, nn_dw_slide_4; // outputs at once

#endif
