// kernels/train/train_planes.c
#include "train_planes.h"

#include "kernels/mm/mmt_split.h"
#include "kernels/rt/rt.h"

// All of it: a word a cycle, where the pieces between rows would cost a loop each.
float *train_zero_border(float *dst, uint32_t h, uint32_t w, struct train_border border) {
  uint32_t pitch = border.left + w + border.right;
  if (train_any_border(border))
    rt_zero_words(dst, pitch * (border.top + h + border.bottom));
  return dst + border.top * pitch + border.left;
}

// Rows `begin` to `end` of a plane with its border.
static void pad_rows(float *dst, const float *src, uint32_t begin, uint32_t end, uint32_t h,
                     uint32_t w, struct train_border border) {
  uint32_t pitch = border.left + w + border.right;
  uint32_t first = begin > border.top ? begin : border.top;
  uint32_t last = end < border.top + h ? end : border.top + h;
  dst += (size_t)begin * pitch;
  rt_zero_words(dst, (end - begin) * pitch);
  if (first < last)
    rt_copy_rows(dst + (first - begin) * pitch + border.left, src + (first - border.top) * w, w,
                 last - first, pitch * 4, w * 4);
}

void train_pad_planes(float *dst, const float *src, uint32_t planes, uint32_t h, uint32_t w,
                      struct train_border border) {
  uint32_t rows = border.top + h + border.bottom, pitch = border.left + w + border.right;
  bool whole = planes >= 4 * rt_core_count() || rt_per_core(planes) * rt_core_count() == planes;
  struct rt_range mine = rt_share(whole ? planes : planes * rows);
  uint32_t plane = whole ? mine.begin : mmt_quotient(mine.begin, rows);
  if (whole)
    mine = (struct rt_range){mine.begin * rows, mine.end * rows};
  uint32_t begin = mine.begin - plane * rows;
  for (; mine.begin < mine.end; plane++, begin = 0) {
    uint32_t left = mine.end - mine.begin, end = rows - begin < left ? rows : begin + left;
    pad_rows(dst + (size_t)plane * rows * pitch, src + (size_t)plane * h * w, begin, end, h, w,
             border);
    mine.begin += end - begin;
  }
}
