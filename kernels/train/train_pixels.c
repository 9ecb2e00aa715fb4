// kernels/train/train_pixels.c
#include "train_pixels.h"

#include "kernels/mm/mmt_split.h"
#include "kernels/rt/rt.h"
#include "train_typed.h"

// ---- lines; four at a time: loads first, so that none is waited for

struct halves {
  const uint16_t *at;
  int32_t step; // bytes
};

// Words `to_step` bytes apart: of `low`, and `high` behind it.
static inline void put_pairs(uint32_t *to, uint32_t to_step, struct halves low, struct halves high,
                             uint32_t count) {
  for (; count >= 4; count -= 4) {
    uint32_t l[4], h[4];
    for (uint32_t i = 0; i < 4; i++) {
      l[i] = (uint32_t)p_lhu_rrpost(low.at, low.step);
      h[i] = (uint32_t)p_lhu_rrpost(high.at, high.step);
    }
    for (uint32_t i = 0; i < 4; i++)
      p_sw_rrpost(pv_pack(h[i], l[i]), to, to_step);
  }
  for (; count > 0; count--) {
    uint32_t l = (uint32_t)p_lhu_rrpost(low.at, low.step);
    uint32_t h = (uint32_t)p_lhu_rrpost(high.at, high.step);
    p_sw_rrpost(pv_pack(h, l), to, to_step);
  }
}

static inline void put_words(uint32_t *to, uint32_t to_step, const uint32_t *from, int32_t step,
                             uint32_t count) {
  for (; count >= 4; count -= 4) {
    int32_t w[4];
    for (uint32_t i = 0; i < 4; i++)
      w[i] = p_lw_rrpost(from, step);
    for (uint32_t i = 0; i < 4; i++)
      p_sw_rrpost(w[i], to, to_step);
  }
  for (; count > 0; count--) {
    int32_t w = p_lw_rrpost(from, step);
    p_sw_rrpost(w, to, to_step);
  }
}

static inline uint16_t *put_halves(uint16_t *to, struct halves from, uint32_t count) {
  for (; count >= 4; count -= 4) {
    int32_t h[4];
    for (uint32_t i = 0; i < 4; i++)
      h[i] = p_lhu_rrpost(from.at, from.step);
    for (uint32_t i = 0; i < 4; i++)
      p_sh_post(h[i], to, 2);
  }
  for (; count > 0; count--) {
    int32_t h = p_lhu_rrpost(from.at, from.step);
    p_sh_post(h, to, 2);
  }
  return to;
}

// ---- pixels

static void copy_rows(uint32_t *dst, const struct train_view *v, uint32_t pitch) {
  uint32_t words = v->w * v->c * train_bytes(v->type) / 4;
  struct rt_range mine = rt_share(v->h);
  if (mine.begin < mine.end)
    rt_copy_rows(dst + (size_t)mine.begin * pitch,
                 (const uint32_t *)v->at + (size_t)mine.begin * words, words, mine.end - mine.begin,
                 pitch * 4, words * 4);
}

// All pixels of row y, word `i` of each, at places `step` words apart.
static inline void copy_word(uint32_t *to, uint32_t step, const struct train_view *v, uint32_t y,
                             uint32_t i) {
  uint16_t zero = 0;
  uint32_t bytes = train_bytes(v->type), c = i * 4 / bytes;
  const char *at =
      (const char *)v->at +
      (ptrdiff_t)((int32_t)y * v->row_step + (int32_t)c * v->c_step) * (ptrdiff_t)bytes;
  if (v->type == TRAIN_F32) {
    put_words(to, step * 4, (const uint32_t *)(const void *)at, v->x_step * 4, v->w);
    return;
  }
  const struct halves low = {(const uint16_t *)(const void *)at, v->x_step * 2},
                      high = {low.at + v->c_step, low.step}, none = {&zero, 0};
  put_pairs(to, step * 4, low, c + 1 < v->c ? high : none, v->w);
}

void train_copy_pixels(uint32_t *dst, const struct train_view *from, uint32_t pitch) {
  struct train_view v = *from;
  uint32_t words = train_whole(v.c, v.type) * train_bytes(v.type) / 4, step = words;
  if (v.w == 1) { // rows of one pixel: a row of pixels, for longer lines
    v.w = v.h;
    v.x_step = v.row_step;
    v.h = 1;
    step = pitch;
  }
  if (v.c_step == 1 && v.x_step == (int32_t)v.c && v.row_step == (int32_t)(v.w * v.c) &&
      step == words && (v.type == TRAIN_F32 || v.c % 2 == 0)) {
    copy_rows(dst, &v, pitch);
    return;
  }
  struct rt_range mine = rt_share(v.h * words);
  uint32_t y = mmt_quotient(mine.begin, words), i = mine.begin - y * words;
  for (uint32_t item = mine.begin; item < mine.end; item++) {
    copy_word(dst + (size_t)y * pitch + i, step, &v, y, i);
    if (++i == words) {
      i = 0;
      y++;
    }
  }
}

void train_clear_border(uint32_t *dst, struct train_border b, uint32_t rows, uint32_t inside) {
  uint32_t pitch = b.left + inside + b.right;
  struct rt_range mine = rt_share(b.top + rows + b.bottom);
  for (uint32_t *row = dst + (size_t)mine.begin * pitch; mine.begin < mine.end; mine.begin++) {
    if (mine.begin - b.top < rows) {
      rt_zero_words(row, b.left);
      row += pitch;
      rt_zero_words(row - b.right, b.right);
    } else {
      rt_zero_words(row, pitch);
      row += pitch;
    }
  }
}

// ---- 16 bits

void train_copy_pairs(uint32_t *dst, const struct train_view *v, uint32_t count, uint32_t left,
                      uint32_t advance, uint32_t apart) {
  uint16_t zero = 0;
  struct rt_range mine = rt_share(v->h * count);
  uint32_t y = mmt_quotient(mine.begin, count), i = mine.begin - y * count;
  uint32_t *to = dst + (size_t)mine.begin * v->c;
  for (uint32_t item = mine.begin; item < mine.end; item++, to += v->c) {
    uint32_t low = i * advance - left, high = low + apart;
    const uint16_t *row = (const uint16_t *)v->at + (ptrdiff_t)((int32_t)y * v->row_step);
    const struct halves none = {&zero, 0};
    put_pairs(
        to, 4, low < v->w ? (struct halves){row + (int32_t)low * v->x_step, v->c_step * 2} : none,
        high < v->w ? (struct halves){row + (int32_t)high * v->x_step, v->c_step * 2} : none, v->c);
    if (++i == count) {
      i = 0;
      y++;
    }
  }
}

void train_copy_halves(uint16_t *dst, const struct train_view *v) {
  struct rt_range mine = rt_share(v->h * v->w);
  uint32_t y = mmt_quotient(mine.begin, v->w), x = mine.begin - y * v->w;
  uint16_t *to = dst + (size_t)mine.begin * v->c;
  for (uint32_t item = mine.begin; item < mine.end; item++) {
    const uint16_t *from =
        (const uint16_t *)v->at + (ptrdiff_t)((int32_t)y * v->row_step + (int32_t)x * v->x_step);
    to = put_halves(to, (struct halves){from, v->c_step * 2}, v->c);
    if (++x == v->w) {
      x = 0;
      y++;
    }
  }
}
