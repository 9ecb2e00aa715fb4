// kernels/train/train_planes.h: planes of floats with a border.
#ifndef TRAIN_PLANES_H
#define TRAIN_PLANES_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/rt/rt.h"

struct train_border {
  uint32_t top, bottom, left, right;
};

static inline bool train_any_border(struct train_border b) {
  return b.top || b.bottom || b.left || b.right;
}

// `planes` planes of h x w floats, surrounded by zeros; the cores share the work, and the caller
// puts a barrier behind it.
void train_pad_planes(float *dst, const float *src, uint32_t planes, uint32_t h, uint32_t w,
                      struct train_border border);

// One plane, by the calling core alone: zeros around h x w floats that are still to come, returns
// their place; and these.
float *train_zero_border(float *dst, uint32_t h, uint32_t w, struct train_border border);
static inline void train_fill_plane(float *inside, const float *src, uint32_t h, uint32_t w,
                                    struct train_border border) {
  rt_copy_rows(inside, src, w, h, (border.left + w + border.right) * 4, w * 4);
}

#endif
