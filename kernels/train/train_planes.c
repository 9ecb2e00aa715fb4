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

// Whether there is an element of an axis at `at` / `divide`, and which. `divide`: 1 or 2, known to
// the compiler, or 0: `by`, which it does not know.
static inline __attribute__((always_inline)) bool reached(int32_t at, int32_t divide, int32_t by,
                                                          int32_t count, int32_t *place) {
  if (divide == 0 && (at < 0 || at % by != 0))
    return false;
  if (divide == 2 && at & 1)
    return false;
  *place = divide == 0 ? at / by : at >> (divide - 1);
  return (uint32_t)*place < (uint32_t)count;
}

// `count` pixels along a line of the plane, from x on.
static inline __attribute__((always_inline)) void along(float *dst, const struct train_window *w,
                                                        const float *line, int32_t x, int32_t count,
                                                        int32_t divide) {
  for (; count > 0; count--, x += w->step_x) {
    int32_t place;
    *dst++ = reached(x, divide, w->divide_x, w->w, &place) ? line[place] : 0;
  }
}

// A part of a row of the output.
static void part(float *dst, const struct train_window *w, int32_t row, int32_t column,
                 int32_t count) {
  int32_t y = row * w->step_y + w->offset_y, x = column * w->step_x + w->offset_x, line;
  bool there = w->divide_y == 1   ? reached(y, 1, 1, w->h, &line)
               : w->divide_y == 2 ? reached(y, 2, 2, w->h, &line)
                                  : reached(y, 0, w->divide_y, w->h, &line);
  if (!there) {
    for (; count > 0; count--)
      *dst++ = 0;
    return;
  }
  const float *from = w->plane + line * w->w;
  if (w->divide_x == 1)
    along(dst, w, from, x, count, 1);
  else if (w->divide_x == 2)
    along(dst, w, from, x, count, 2);
  else
    along(dst, w, from, x, count, 0);
}

void train_gather(float *dst, const struct train_window *w, struct train_pixel first,
                  uint32_t count) {
  int32_t row = first.row, column = first.column, left = (int32_t)count;
  while (left > 0) {
    int32_t n = w->out_w - column < left ? w->out_w - column : left;
    part(dst, w, row++, column, n);
    dst += n;
    left -= n;
    column = 0;
  }
}
