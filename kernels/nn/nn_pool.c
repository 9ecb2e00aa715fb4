// kernels/nn/nn_pool.c: windows, four channels at a time; whole 2x2 ones by nn_pool_2x2.S.
#include "nn_pool.h"

#include <stdbool.h>
#include <stddef.h>

#include "kernels/rt/rt.h"
#include "nn_pool_2x2.h"
#include "nn_pool_window.h"
#include "nn_word.h"
#include "xpulp.h"

enum { MAX_WINDOW = 4096, SUMMED = 256 }; // 256 bytes add up to less than 2^16

static uint32_t out_size(uint32_t in, uint32_t pads, uint32_t kernel, uint32_t stride) {
  return in + pads < kernel ? 0 : (in + pads - kernel) / stride + 1;
}
uint32_t nn_pool_out_h(const struct nn_pool *l) {
  return out_size(l->in_h, (uint32_t)l->pad_top + l->pad_bottom, l->kernel_h, l->stride_h);
}
uint32_t nn_pool_out_w(const struct nn_pool *l) {
  return out_size(l->in_w, (uint32_t)l->pad_left + l->pad_right, l->kernel_w, l->stride_w);
}

static enum kernel_status check(const struct nn_pool *l) {
  if (!l->in_h || !l->in_w || !l->channels || !l->kernel_h || !l->kernel_w || !l->stride_h ||
      !l->stride_w || l->pad_top >= l->kernel_h || l->pad_bottom >= l->kernel_h ||
      l->pad_left >= l->kernel_w || l->pad_right >= l->kernel_w ||
      (uint32_t)l->kernel_h * l->kernel_w > MAX_WINDOW || !nn_pool_out_h(l) || !nn_pool_out_w(l))
    return KERNEL_BAD_SHAPE;
  return l->in && l->out ? KERNEL_OK : KERNEL_BAD_POINTER;
}

// The part of a window that is inside the input.
struct window {
  const uint8_t *first; // pixel
  uint32_t rows, columns;
  uint32_t pixel, row; // bytes from pixel to pixel, from row to row
};

static struct window window_of(const struct nn_pool *l, uint32_t y, uint32_t x) {
  int32_t top = (int32_t)(y * l->stride_h) - l->pad_top, bottom = top + l->kernel_h;
  int32_t left = (int32_t)(x * l->stride_w) - l->pad_left, right = left + l->kernel_w;
  top = top < 0 ? 0 : top;
  left = left < 0 ? 0 : left;
  bottom = bottom > l->in_h ? l->in_h : bottom;
  right = right > l->in_w ? l->in_w : right;
  return (struct window){
      .first = l->in + ((uint32_t)top * l->in_w + (uint32_t)left) * l->channels,
      .rows = (uint32_t)(bottom - top),
      .columns = (uint32_t)(right - left),
      .pixel = l->channels,
      .row = (uint32_t)l->in_w * l->channels,
  };
}

// How to divide: by a shift, or by the high half of a product with ceil(2^32 / n), which is exact
// for sums up to 255 n and n up to 4096: the error is below 255 n * n / 2^32 < 1 / n.
struct divisor {
  uint32_t shift, factor; // factor 0: shift
};

static struct divisor divisor_of(uint32_t n) {
  if ((n & (n - 1)) == 0)
    return (struct divisor){(uint32_t)__builtin_ctz(n), 0};
  return (struct divisor){0, UINT32_MAX / n + 1};
}

static uint32_t divide(uint32_t sum, struct divisor by) {
  return by.factor ? (uint32_t)((uint64_t)sum * by.factor >> 32) : sum >> by.shift;
}

typedef uint32_t word_fn(const struct window *w, const uint8_t *at, uint32_t bytes,
                         struct divisor by);

static inline uint32_t load(const uint8_t *at, uint32_t bytes) {
  return bytes == 4 ? nn_word_load(at) : nn_word_load_part(at, bytes);
}

static inline uint32_t max_word(const struct window *w, const uint8_t *at, uint32_t bytes,
                                struct divisor by) {
  uint32_t most = 0;
  (void)by;
  for (uint32_t i = 0; i < w->rows; i++, at += w->row) {
    const uint8_t *pixel = at;
    for (uint32_t j = 0; j < w->columns; j++, pixel += w->pixel)
      most = (uint32_t)pv_maxu_b(most, load(pixel, bytes));
  }
  return most;
}

static inline uint32_t average_word(const struct window *w, const uint8_t *at, uint32_t bytes,
                                    struct divisor by) {
  uint32_t sum[4] = {0}, low = 0, high = 0, summed = 0;
  for (uint32_t i = 0; i < w->rows; i++, at += w->row) {
    const uint8_t *pixel = at;
    for (uint32_t j = 0; j < w->columns; j++, pixel += w->pixel) {
      uint32_t word = load(pixel, bytes);
      low += word & 0x00ff00ff;
      high += word >> 8 & 0x00ff00ff;
      if (++summed == SUMMED || (i + 1 == w->rows && j + 1 == w->columns)) {
        sum[0] += low & 0xffff;
        sum[1] += high & 0xffff;
        sum[2] += low >> 16;
        sum[3] += high >> 16;
        low = high = summed = 0;
      }
    }
  }
  return divide(sum[0], by) | divide(sum[1], by) << 8 | divide(sum[2], by) << 16 |
         divide(sum[3], by) << 24;
}

#ifndef __riscv
static void pool_2x2(uint8_t *out, const uint8_t *at[4], uint32_t bytes, bool max) {
  for (uint32_t i = 0; i < bytes; i++) {
    uint32_t sum = 0, most = 0;
    for (uint32_t j = 0; j < 4; j++) {
      sum += at[j][i];
      most = at[j][i] > most ? at[j][i] : most;
    }
    out[i] = (uint8_t)(max ? most : sum / 4);
  }
}
void nn_max_2x2(uint8_t *out, const uint8_t *top, const uint8_t *bottom, uint32_t pixel,
                uint32_t words) {
  pool_2x2(out, (const uint8_t *[4]){top, top + pixel, bottom, bottom + pixel}, words * 4, true);
}
void nn_max_window(uint8_t *out, const struct nn_pool_window *w, uint32_t pairs) {
  for (uint32_t c = 0; c < pairs * 8; c++) {
    const uint8_t *at = w->first + c;
    out[c] = 0;
    for (uint32_t i = 0; i < w->rows; i++, at += w->next) {
      for (uint32_t j = 0; j < w->columns; j++, at += w->pixel)
        out[c] = *at > out[c] ? *at : out[c];
    }
  }
}
void nn_average_2x2(uint8_t *out, const uint8_t *top, const uint8_t *bottom, uint32_t pixel,
                    uint32_t words) {
  pool_2x2(out, (const uint8_t *[4]){top, top + pixel, bottom, bottom + pixel}, words * 4, false);
}
#endif

// Words done: all pairs.
static inline uint32_t pairs(nn_pool_window_fn *any, uint8_t *out, const struct window *w,
                             uint32_t words) {
  const struct nn_pool_window window = {w->first, w->rows, w->columns, w->pixel,
                                        w->row - w->columns * w->pixel};
  any(out, &window, words / 2);
  return words / 2 * 2;
}

// This core's pixels: pairs of words by `any`, if there is one, words by `word`, or all by `small`
// where the window is a whole 2x2 one; then the bytes left.
static inline __attribute__((always_inline)) void
pool(const struct nn_pool *given, word_fn *word, nn_pool_2x2_fn *small, nn_pool_window_fn *any) {
  const struct nn_pool layer = *given, *l = &layer; // in L1, wherever the caller has it
  uint32_t out_w = nn_pool_out_w(l), words = l->channels / 4u, rest = l->channels % 4u;
  struct divisor by = divisor_of((uint32_t)l->kernel_h * l->kernel_w);
  struct rt_range mine = rt_split(nn_pool_out_h(l) * out_w, 1);
  // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): check() refuses a layer without output
  uint32_t y = mine.begin / out_w, x = mine.begin % out_w;
  uint8_t *out = l->out + (size_t)mine.begin * l->channels;
  for (uint32_t p = mine.begin; p < mine.end; p++) {
    struct window w = window_of(l, y, x);
    const uint8_t *at = w.first;
    bool is_small = w.rows == 2 && w.columns == 2 && l->kernel_h == 2 && l->kernel_w == 2;
    if (is_small && words > 0) {
      small(out, at, at + w.row, w.pixel, words);
      at += words * 4;
      out += words * 4;
    }
    uint32_t done = is_small ? words : 0;
    if (any && done == 0 && words >= 2) {
      done = pairs(any, out, &w, words);
      at += done * 4;
      out += done * 4;
    }
    for (uint32_t i = done; i < words; i++, at += 4, out += 4)
      nn_word_store(out, word(&w, at, 4, by));
    if (rest > 0)
      nn_word_store_part(out, word(&w, at, rest, by), rest);
    out += rest;
    if (++x == out_w) {
      x = 0;
      y++;
    }
  }
}

enum kernel_status nn_maxpool_u8(const struct nn_pool *l) {
  KERNEL_CHECK(check(l));
  pool(l, max_word, nn_max_2x2, nn_max_window);
  return KERNEL_OK;
}

enum kernel_status nn_avgpool_u8(const struct nn_pool *l) {
  KERNEL_CHECK(check(l));
  pool(l, average_word, nn_average_2x2, NULL);
  return KERNEL_OK;
}
