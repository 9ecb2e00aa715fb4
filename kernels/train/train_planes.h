// kernels/train/train_planes.h: planes of floats with a border, and patches of them.
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

// A window that moves over a plane: output pixel (y, x) sees plane pixel
//   (y * step_y + offset_y) / divide_y, (x * step_x + offset_x) / divide_x
// and +0 where that is outside or the division has a remainder.
struct train_window {
  const float *plane;
  int32_t h, w;  // of the plane
  int32_t out_w; // of the output
  int32_t step_y, step_x, offset_y, offset_x, divide_y, divide_x;
};

// dst[i] = what the i-th output pixel from `first` on sees, `count` of them, counted row by row.
struct train_pixel {
  int32_t row, column;
};
void train_gather(float *dst, const struct train_window *window, struct train_pixel first,
                  uint32_t count);

#endif
