// kernels/train/train_depthwise_edges.h: 3x3 depthwise convolution in CHW, stride 1 with any border
// and stride 2 with borders of one, any type, on the planes where they are; for train_depthwise.c.
// A core's scratch is a row of zeros and one that nobody reads. Sizes in bytes.
#ifndef TRAIN_DEPTHWISE_EDGES_H
#define TRAIN_DEPTHWISE_EDGES_H

#include <stdbool.h>

#include "kernels/train/train_depthwise.h"
#include "kernels/train/train_dw.h"
#include "kernels/train/train_extent.h"

// Whether a pass goes this way: fw (in 16 bits without a bias) and wg, and ig, which at stride 1
// has a window of three over the gradient. In line: a small layer feels every call.
static inline bool train_depthwise_edges_kernel_fits(const struct train_depthwise *l) {
  return !l->hwc && l->kernel_h == 3 && l->kernel_w == 3 && l->stride_h == l->stride_w &&
         l->type < TRAIN_TYPES &&
         (l->stride_w == 1 || (l->stride_w == 2 && l->pad_top <= 1 && l->pad_bottom <= 1 &&
                               l->pad_left <= 1 && l->pad_right <= 1));
}
static inline bool train_depthwise_edges_fits(const struct train_depthwise *l) {
  return train_depthwise_edges_kernel_fits(l) && l->in_w >= 2;
}
static inline bool train_depthwise_edges_narrow(const struct train_depthwise *l) {
  return (uint32_t)l->in_w + l->pad_left + l->pad_right < 4;
}
static inline bool train_depthwise_edges_ig_fits(const struct train_depthwise *l) {
  return train_depthwise_edges_kernel_fits(l) &&
         (l->stride_w == 2 || !train_depthwise_edges_narrow(l));
}

// Likewise in line: what a pass with a 3x3 window and these four pointers refuses.
static inline enum kernel_status train_depthwise_edges_refuse(const struct train_depthwise *l,
                                                              const void *one, const void *two,
                                                              const void *three, const void *four) {
  if (l->c - 1u >= 4095 || train_bad_extent(l->in_h, 3, 1, l->pad_top, l->pad_bottom) ||
      train_bad_extent(l->in_w, 3, 1, l->pad_left, l->pad_right))
    return KERNEL_BAD_SHAPE;
  if (!train_aligned(one) || !train_aligned(two) || !train_aligned(three) || !train_aligned(four))
    return KERNEL_BAD_POINTER;
  return KERNEL_OK;
}

uint32_t train_depthwise_edges_size(const struct train_depthwise *layer); // of any pass
void train_depthwise_edges_fw(const struct train_depthwise *layer);
void train_depthwise_edges_wg(const struct train_depthwise *layer);
// Where the kernel fits; checks its arguments, and leaves too narrow a map to
// train_depthwise_converted.h.
enum kernel_status train_depthwise_edges_ig(const struct train_depthwise *layer);

// The kernel's arguments for single planes of floats that the caller brings: x, w, y and `end` are
// its to set. The weights' gradient is as `fw`; `zeros`: train_depthwise_edges_size() / 4 / 2 /
// cores floats, 0 when the kernel runs. Stride 1 (`back`), or that and 2.
void train_depthwise_edges_fw_plane(struct train_dw_edges *e, const struct train_depthwise *layer,
                                    float *zeros);
void train_depthwise_edges_back_plane(struct train_dw_edges *e, const struct train_depthwise *layer,
                                      float *zeros);

#endif
