// kernels/train/train_planes.c
#include "train_planes.h"

#include "kernels/rt/rt.h"

// All of it: a word a cycle, where the pieces between rows would cost a loop each.
float *train_zero_border(float *dst, uint32_t h, uint32_t w, struct train_border border) {
  uint32_t pitch = border.left + w + border.right;
  if (train_any_border(border))
    rt_zero_words(dst, pitch * (border.top + h + border.bottom));
  return dst + border.top * pitch + border.left;
}

void train_pad_planes(float *dst, const float *src, uint32_t planes, uint32_t h, uint32_t w,
                      struct train_border border) {
  uint32_t padded = (border.top + h + border.bottom) * (border.left + w + border.right);
  struct rt_range mine = rt_share(planes);
  for (uint32_t p = mine.begin; p < mine.end; p++)
    train_fill_plane(train_zero_border(dst + (size_t)p * padded, h, w, border),
                     src + (size_t)p * h * w, h, w, border);
}

static float seen(const struct train_window *w, int32_t y, int32_t x) {
  if (y < 0 || x < 0)
    return 0;
  if (w->divide_y > 1 || w->divide_x > 1) {
    if (y % w->divide_y != 0 || x % w->divide_x != 0)
      return 0;
    y /= w->divide_y;
    x /= w->divide_x;
  }
  return y < w->h && x < w->w ? w->plane[y * w->w + x] : 0;
}

void train_gather(float *dst, const struct train_window *w, uint32_t first, uint32_t count) {
  int32_t row = (int32_t)first / w->out_w, column = (int32_t)first - row * w->out_w;
  int32_t y = row * w->step_y + w->offset_y, x = column * w->step_x + w->offset_x;
  for (uint32_t i = 0; i < count; i++) {
    dst[i] = seen(w, y, x);
    x += w->step_x;
    if (++column == w->out_w) {
      column = 0;
      x = w->offset_x;
      y += w->step_y;
    }
  }
}
