// kernels/train/train_patches.c
#include "train_patches.h"

#include <stddef.h>

#include "xpulp.h"

#include "kernels/mm/mmt_split.h"
#include "kernels/rt/rt.h"

// Positions of an axis that see zeros, elements from `first` on, and zeros again.
struct span {
  uint32_t before, inside, after, first;
};

static inline uint32_t smaller(uint32_t a, uint32_t b) {
  return a < b ? a : b;
}

static struct span span_of(const struct train_axis *a, uint32_t tap, uint32_t begin,
                           uint32_t count) {
  int32_t at = (int32_t)(begin * a->step) + a->offset + (int32_t)tap * a->apart;
  uint32_t before = at >= 0 ? 0 : mmt_quotient((uint32_t)-at + a->step - 1, a->step);
  if (before > count)
    before = count;
  uint32_t first = (uint32_t)(at + (int32_t)(before * a->step));
  uint32_t inside = first < a->size ? mmt_quotient(a->size - first - 1, a->step) + 1 : 0;
  inside = smaller(inside, count - before);
  return (struct span){before, inside, count - before - inside, first};
}

static inline float *zeros(float *to, uint32_t count) {
  for (; count > 0; count--)
    *to++ = 0;
  return to;
}

// Four at a time: loads first, so that none is waited for.
static inline float *pick(float *to, const float *from, int32_t step, uint32_t count) {
  for (; count >= 4; count -= 4) {
    int32_t w[4];
    for (uint32_t i = 0; i < 4; i++)
      w[i] = p_lw_rrpost(from, step);
    for (uint32_t i = 0; i < 4; i++)
      p_sw_post(w[i], to, 4);
  }
  if (count >= 2) {
    int32_t w0 = p_lw_rrpost(from, step), w1 = p_lw_rrpost(from, step);
    p_sw_post(w0, to, 4);
    p_sw_post(w1, to, 4);
  }
  if (count % 2)
    *to++ = *from;
  return to;
}

static inline void pick_apart(float *to, uint32_t to_step, const float *from, uint32_t step,
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

void train_pick(float *to, uint32_t to_step, const float *from, uint32_t step, uint32_t count) {
  pick_apart(to, to_step, from, step, count);
}

void train_pick_rows(float *to, struct train_rows to_by, const float *from, struct train_rows by,
                     uint32_t rows, uint32_t columns) {
  uint32_t fours = columns / 4, rest = columns % 4;
  for (; rows > 0; rows--) {
    const float *pixel = from;
    float *place = to;
    for (uint32_t n = fours; n > 0; n--) {
      int32_t w[4];
      for (uint32_t i = 0; i < 4; i++)
        w[i] = p_lw_rrpost(pixel, by.step);
      for (uint32_t i = 0; i < 4; i++)
        p_sw_rrpost(w[i], place, to_by.step);
    }
    for (uint32_t n = rest; n > 0; n--) {
      int32_t w = p_lw_rrpost(pixel, by.step);
      p_sw_rrpost(w, place, to_by.step);
    }
    to += to_by.row_step / 4;
    from += by.row_step / 4;
  }
}

static void gather_line(float *to, const float *plane, uint32_t w, const struct span *down,
                        const struct span *across, const uint32_t step[2]) {
  uint32_t columns = across->before + across->inside + across->after;
  const float *from = plane + (size_t)down->first * w + across->first;
  to = zeros(to, down->before * columns);
  for (uint32_t n = down->inside; n > 0; n--, from += step[0] * w) {
    to = zeros(to, across->before);
    to = pick(to, from, (int32_t)step[1] * 4, across->inside);
    to = zeros(to, across->after);
  }
  zeros(to, down->after * columns);
}

void train_gather_patches(float *dst, uint32_t pitch, const float *planes, uint32_t channels,
                          const struct train_axis *down, const struct train_axis *across,
                          struct train_rectangle r) {
  uint32_t height = down->taps, width = across->taps, steps[2] = {down->step, across->step};
  struct rt_range mine = rt_share(channels * height * width);
  uint32_t row = mmt_quotient(mine.begin, width), j = mine.begin - row * width;
  uint32_t c = mmt_quotient(row, height), i = row - c * height;
  const float *plane = planes + (size_t)c * down->size * across->size;
  float *to = dst + (size_t)mine.begin * pitch;
  struct span rows = span_of(down, i, r.y, r.rows);
  for (; mine.begin < mine.end; mine.begin++, to += pitch) {
    struct span columns = span_of(across, j, r.x, r.columns);
    gather_line(to, plane, across->size, &rows, &columns, steps);
    if (++j < width)
      continue;
    j = 0;
    if (++i == height) {
      i = 0;
      plane += (size_t)down->size * across->size;
    }
    rows = span_of(down, i, r.y, r.rows);
  }
}

static inline void put(float *to, uint32_t step, const float *from, uint32_t count) {
  for (; count >= 4; count -= 4) {
    int32_t w[4];
    for (uint32_t i = 0; i < 4; i++)
      w[i] = p_lw_post(from, 4);
    for (uint32_t i = 0; i < 4; i++)
      p_sw_rrpost(w[i], to, step * 4);
  }
  for (; count > 0; count--, to += step)
    *to = *from++;
}

static inline void put_zeros(float *to, uint32_t step, uint32_t count) {
  for (; count > 0; count--, to += step)
    *to = 0;
}

void train_scatter(const struct train_lattice *l, const float *src, uint32_t pitch) {
  struct rt_range mine = rt_share(l->planes * l->rows);
  uint32_t c = mine.begin / l->rows, y = mine.begin - c * l->rows;
  for (; mine.begin < mine.end; mine.begin++) {
    float *to = l->at + (size_t)c * l->plane + (size_t)y * l->row_step;
    if (src)
      put(to, l->step, src + (size_t)c * pitch + y * l->columns, l->columns);
    else
      put_zeros(to, l->step, l->columns);
    if (++y == l->rows) {
      y = 0;
      c++;
    }
  }
}
