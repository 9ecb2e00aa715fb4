// kernels/train/train_conv2d_views.c
#include "train_conv2d_views.h"

void train_conv2d_copy_image(uint32_t *dst, const struct train_view *v, struct train_border b) {
  uint32_t pixel = train_whole(v->c, v->type) * train_bytes(v->type) / 4;
  const struct train_border words = {b.top, b.bottom, b.left * pixel, b.right * pixel};
  uint32_t pitch = words.left + v->w * pixel + words.right;
  train_copy_pixels(dst + (size_t)b.top * pitch + words.left, v, pitch);
  if (train_any_border(b))
    train_clear_border(dst, words, v->h, v->w * pixel);
}

void train_conv2d_share(const struct mmt_groups *rows, uint32_t lines,
                        const struct mmt_groups *columns, train_conv2d_part *part,
                        const void *what) {
  uint32_t across = columns->wide + columns->rest, down = rows->wide + rows->rest;
  struct rt_range items = rt_share(down * lines * across);
  uint32_t line = mmt_quotient(items.begin, across), item = line * across;
  uint32_t group = mmt_quotient(line, lines);
  for (line -= group * lines; item < items.end; item += across) {
    uint32_t begin = items.begin > item ? items.begin - item : 0, left = items.end - item;
    part(what, mmt_groups_begin(rows, group), rows->size - (group >= rows->wide), line,
         (struct rt_range){begin, left < across ? left : across});
    if (++line == lines) {
      line = 0;
      group++;
    }
  }
}
