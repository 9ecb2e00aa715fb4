// kernels/train/train_conv2d_views.h: what the direct convolution in HWC and 16 bits reads
// (train_conv2d_pixels.c), as strided views; copies of images, and the cores' shares of the work.
#ifndef TRAIN_CONV2D_VIEWS_H
#define TRAIN_CONV2D_VIEWS_H

#include "kernels/mm/mmt_split.h"
#include "train_conv2d_ways.h"
#include "train_pixels.h"
#include "train_typed.h"

static inline struct train_border train_conv2d_border(const struct train_conv2d *l) {
  return (struct train_border){l->pad_top, l->pad_bottom, l->pad_left, l->pad_right};
}

// A tensor of the layer; a 1x1 kernel with stride 1 sees a single row of pixels.
static inline struct train_view train_conv2d_view(const struct train_conv2d *l, const void *at,
                                                  uint32_t c, uint32_t h, uint32_t w) {
  int32_t plane = (int32_t)(h * w), channels = (int32_t)c, pitch = (int32_t)w;
  if (train_conv2d_one_pixel(l)) {
    w *= h;
    h = 1;
  }
  if (l->hwc)
    return (struct train_view){at, h, w, c, pitch * channels, channels, 1, l->type};
  return (struct train_view){at, h, w, c, pitch, 1, plane, l->type};
}

static inline struct train_view train_conv2d_input(const struct train_conv2d *l) {
  return train_conv2d_view(l, l->in, l->in_c, l->in_h, l->in_w);
}

static inline struct train_view train_conv2d_output(const struct train_conv2d *l, const void *at) {
  return train_conv2d_view(l, at, l->out_c, train_conv2d_rows(l), train_conv2d_columns(l));
}

// Weights as images: one per filter, pixels are taps.
static inline struct train_view train_conv2d_filters(const struct train_conv2d *l,
                                                     const void *weights) {
  int32_t taps = (int32_t)train_conv2d_taps(l), c = l->in_c;
  return (struct train_view){weights,  l->out_c,       (uint32_t)taps,    l->in_c,
                             taps * c, l->hwc ? c : 1, l->hwc ? 1 : taps, l->type};
}

// Words of an image with its border, if it has to be copied; 0 if it is read where it is.
static inline uint32_t train_conv2d_image_words(const struct train_view *v, struct train_border b,
                                                bool hwc) {
  bool turned = v->type != TRAIN_F32 && (!hwc || v->c % 2);
  if (!turned && !train_any_border(b))
    return 0;
  return (b.top + v->h + b.bottom) * (b.left + v->w + b.right) * train_whole(v->c, v->type) *
         train_bytes(v->type) / 4;
}

// The copy. The cores share the work; the caller puts a barrier behind it.
void train_conv2d_copy_image(uint32_t *dst, const struct train_view *image,
                             struct train_border border);

// Groups `columns` of line `line` of a group of `size` rows, `first` is the first of them.
typedef void train_conv2d_part(const void *what, uint32_t first, uint32_t size, uint32_t line,
                               struct rt_range columns);

// This core's share of a grid of blocks, down by `rows`, across in `lines` lines by `columns`:
// calls `part` for each line of a group of rows that it has a share of.
void train_conv2d_share(const struct mmt_groups *rows, uint32_t lines,
                        const struct mmt_groups *columns, train_conv2d_part *part,
                        const void *what);

#endif
