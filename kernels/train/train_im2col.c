// kernels/train/train_im2col.c
#include "train_im2col.h"

#include "kernels/rt/rt.h"
#include "train_extent.h"
#include "train_typed.h"

uint32_t train_im2col_out_h(const struct train_im2col *l) {
  return train_positions((uint32_t)l->h + l->pad_top + l->pad_bottom, l->kernel_h, l->stride_h);
}

uint32_t train_im2col_out_w(const struct train_im2col *l) {
  return train_positions((uint32_t)l->w + l->pad_left + l->pad_right, l->kernel_w, l->stride_w);
}

static uint32_t taps(const struct train_im2col *l) {
  return (uint32_t)l->kernel_h * l->kernel_w;
}

enum kernel_status train_im2col_refuse(const struct train_im2col *l, const void *image,
                                       uint32_t channels) {
  if (!channels || channels > 4095 || l->type >= TRAIN_TYPES || l->pitch < channels * taps(l) ||
      train_bad_extent(l->h, l->kernel_h, l->stride_h, l->pad_top, l->pad_bottom) ||
      train_bad_extent(l->w, l->kernel_w, l->stride_w, l->pad_left, l->pad_right))
    return KERNEL_BAD_SHAPE;
  return train_aligned(image) && train_aligned(l->patches) ? KERNEL_OK : KERNEL_BAD_POINTER;
}

// The channels of one tap: where they lie in a row and in the image.
struct column {
  size_t row, row_step;
  const void *image;
  size_t at, step;
  uint32_t channels;
};

// Four at a time: loads first, so that none is waited for.
TRAIN_TYPED void copy_strided(void *patches, const struct column *c, uint32_t n,
                              enum train_type t) {
  size_t row = c->row + n * c->row_step, at = c->at + n * c->step;
  for (; n + 4 <= c->channels; n += 4) {
    uint32_t value[4];
    for (uint32_t i = 0; i < 4; i++, at += c->step)
      value[i] = train_get_bits(c->image, at, t);
    for (uint32_t i = 0; i < 4; i++, row += c->row_step)
      train_put_bits(patches, row, value[i], t);
  }
  for (; n < c->channels; n++, row += c->row_step, at += c->step)
    train_copy(patches, row, c->image, at, t);
}

TRAIN_TYPED void copy_column(void *patches, const struct column *c, bool inside,
                             enum train_type t) {
  uint32_t each = 4 / train_bytes(t), words = c->channels / each;
  if (!inside) {
    for (uint32_t n = 0; n < c->channels; n++)
      train_put_bits(patches, c->row + n * c->row_step, 0, t);
  } else if (c->step == 1 && c->row_step == 1 && (each == 1 || (c->row | c->at) % 2 == 0)) {
    rt_copy_words(train_at(patches, c->row, t), train_at(c->image, c->at, t), words);
    copy_strided(patches, c, words * each, t);
  } else {
    copy_strided(patches, c, 0, t);
  }
}

TRAIN_TYPED void clear_tail(const struct train_im2col *l, size_t row, uint32_t used,
                            enum train_type t) {
  for (uint32_t i = used; i < l->pitch; i++)
    train_put(l->patches, row * l->pitch + i, 0, t);
}

// Row `row` is patch (y, x) of the window.
TRAIN_TYPED void patch(const struct train_im2col *l, size_t row, uint32_t y, uint32_t x,
                       enum train_type t) {
  uint32_t tap = 0, plane = (uint32_t)l->h * l->w;
  struct column c = {0, l->hwc ? 1 : taps(l), l->image, 0, l->hwc ? 1 : plane, l->channels};
  for (uint32_t i = 0; i < l->kernel_h; i++) {
    for (uint32_t j = 0; j < l->kernel_w; j++, tap++) {
      uint32_t from_y = y * l->stride_h + i - l->pad_top,
               from_x = x * l->stride_w + j - l->pad_left;
      size_t pixel = (size_t)from_y * l->w + from_x;
      c.row = row * l->pitch + (l->hwc ? tap * l->channels : tap);
      c.at = l->hwc ? pixel * l->channels : pixel;
      copy_column(l->patches, &c, from_y < l->h && from_x < l->w, t);
    }
  }
  clear_tail(l, row, taps(l) * l->channels, t);
}

TRAIN_TYPED void all_patches(const struct train_im2col *l, enum train_type t) {
  uint32_t w = train_im2col_out_w(l);
  struct rt_range mine = rt_share(train_im2col_out_h(l) * w);
  uint32_t y = mine.begin / w, x = mine.begin - y * w;
  for (uint32_t p = mine.begin; p < mine.end; p++) {
    patch(l, p, y, x, t);
    if (++x == w) {
      x = 0;
      y++;
    }
  }
}

enum kernel_status train_im2col(const struct train_im2col *l) {
  enum kernel_status status = train_im2col_refuse(l, l->image, l->channels);
  if (status == KERNEL_OK)
    TRAIN_BY_TYPE(l->type, all_patches, l);
  return status;
}

// ---- back

TRAIN_TYPED void back_row(const struct train_im2col *l, const void *seen, uint32_t taken,
                          size_t row, uint32_t out_h, uint32_t out_w, enum train_type t) {
  uint32_t y = (uint32_t)row / l->w, x = (uint32_t)row - y * l->w, tap = 0;
  struct column c = {0, l->hwc ? 1 : taps(l), seen, 0, l->hwc ? 1 : out_h * out_w, taken};
  for (uint32_t i = 0; i < l->kernel_h; i++) {
    uint32_t py = train_position(y, l->pad_top, i, l->stride_h, out_h);
    for (uint32_t j = 0; j < l->kernel_w; j++, tap++) {
      uint32_t px = train_position(x, l->pad_left, j, l->stride_w, out_w);
      size_t pixel = (size_t)py * out_w + px;
      c.row = row * l->pitch + (l->hwc ? tap * taken : tap);
      c.at = l->hwc ? pixel * taken : pixel;
      copy_column(l->patches, &c, py != TRAIN_NOWHERE && px != TRAIN_NOWHERE, t);
    }
  }
  clear_tail(l, row, taps(l) * taken, t);
}

TRAIN_TYPED void back(const struct train_im2col *l, const void *seen, uint32_t taken,
                      enum train_type t) {
  uint32_t out_h = train_im2col_out_h(l), out_w = train_im2col_out_w(l);
  struct rt_range mine = rt_share((uint32_t)l->h * l->w);
  for (size_t row = mine.begin; row < mine.end; row++)
    back_row(l, seen, taken, row, out_h, out_w, t);
}

enum kernel_status train_im2col_back(const struct train_im2col *l, const void *seen,
                                     uint32_t taken) {
  enum kernel_status status = train_im2col_refuse(l, seen, taken);
  if (status == KERNEL_OK)
    TRAIN_BY_TYPE(l->type, back, l, seen, taken);
  return status;
}

// ---- col2im

// Pixel (y, x) of channel c.
TRAIN_TYPED float gathered(const struct train_im2col *l, uint32_t y, uint32_t x, uint32_t c,
                           enum train_type t) {
  uint32_t out_h = train_im2col_out_h(l), out_w = train_im2col_out_w(l), tap = 0;
  float sum = 0;
  for (uint32_t i = 0; i < l->kernel_h; i++) {
    uint32_t py = train_position(y, l->pad_top, i, l->stride_h, out_h);
    for (uint32_t j = 0; j < l->kernel_w; j++, tap++) {
      uint32_t px = train_position(x, l->pad_left, j, l->stride_w, out_w);
      uint32_t at = l->hwc ? tap * l->channels + c : c * taps(l) + tap;
      if (py != TRAIN_NOWHERE && px != TRAIN_NOWHERE)
        sum += train_get(l->patches, ((size_t)py * out_w + px) * l->pitch + at, t);
    }
  }
  return sum;
}

TRAIN_TYPED void all_pixels(const struct train_im2col *l, enum train_type t) {
  uint32_t plane = (uint32_t)l->h * l->w;
  struct rt_range mine = rt_share(plane);
  for (size_t p = mine.begin; p < mine.end; p++) {
    uint32_t y = (uint32_t)p / l->w, x = (uint32_t)p - y * l->w;
    for (uint32_t c = 0; c < l->channels; c++)
      train_put(l->image, l->hwc ? p * l->channels + c : (size_t)c * plane + p,
                gathered(l, y, x, c, t), t);
  }
}

enum kernel_status train_col2im(const struct train_im2col *l) {
  enum kernel_status status = train_im2col_refuse(l, l->image, l->channels);
  if (status == KERNEL_OK)
    TRAIN_BY_TYPE(l->type, all_pixels, l);
  return status;
}
