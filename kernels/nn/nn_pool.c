// kernels/nn/nn_pool.c: windows: whole 2x2 ones by nn_pool_2x2.S, a row at a time; others by
// nn_pool_window.S, word by word. A pixel's last word, if it is not whole, overlaps the one before.
#include "nn_pool.h"

#include <stddef.h>

#include "kernels/rt/rt.h"
#include "nn_bits.h"
#include "nn_pool_2x2.h"
#include "nn_pool_window.h"
#include "nn_window.h"
#include "nn_word.h"
#include "xpulp.h"

enum { MAX_WINDOW = 4096 };

uint32_t nn_pool_out_h(const struct nn_pool *l) {
  return nn_window_count(l->in_h, (uint32_t)l->pad_top + l->pad_bottom, l->kernel_h, l->stride_h);
}
uint32_t nn_pool_out_w(const struct nn_pool *l) {
  return nn_window_count(l->in_w, (uint32_t)l->pad_left + l->pad_right, l->kernel_w, l->stride_w);
}

static enum kernel_status check(const struct nn_pool *l) {
  if (!l->in_h || !l->in_w || !l->channels || !l->kernel_h || !l->kernel_w || !l->stride_h ||
      !l->stride_w || l->pad_top >= l->kernel_h || l->pad_bottom >= l->kernel_h ||
      l->pad_left >= l->kernel_w || l->pad_right >= l->kernel_w ||
      (uint32_t)l->kernel_h * l->kernel_w > MAX_WINDOW || !nn_bits_valid(l->bits) ||
      (uint32_t)l->in_h + l->pad_top + l->pad_bottom < l->kernel_h ||
      (uint32_t)l->in_w + l->pad_left + l->pad_right < l->kernel_w)
    return KERNEL_BAD_SHAPE;
  return l->in && l->out ? KERNEL_OK : KERNEL_BAD_POINTER;
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

// A layer, and what follows from it.
struct job {
  struct nn_pool layer;
  uint32_t pixel, row; // bytes of an input pixel (and an output pixel), and of an input row
  uint32_t out_w;
  uint32_t last;  // mask of a pixel's last byte: the bits that are channels
  uint32_t signs; // of a word's elements, if signed
  struct divisor by;
  nn_pool_2x2_fn *small;
  nn_max_window_fn *most;
  bool is_average;
  const struct nn_average *otherwise; // or NULL
  nn_average_run_fn *bytes;           // of averages, or NULL
  uint32_t pixels;                    // that `average` divides by
  struct nn_average_by average;
};

// ---- maximum

static uint32_t load(const uint8_t *at, uint32_t bytes) {
  return bytes == 4 ? nn_word_load(at) : nn_word_load_part(at, bytes);
}

// The word made of the first `bytes` bytes (1..4) of the window's pixels.
static uint32_t most_of_part(const struct job *j, const struct nn_pool_window *w, uint32_t bytes) {
  uint32_t bits = j->layer.bits, result = 0;
  uint32_t top = (0xffu << (8 - bits) & 0xff) * 0x01010101;
  for (uint32_t up = 0; up < 8; up += bits) {
    uint32_t most = j->layer.is_signed ? 0x80808080 : 0;
    const uint8_t *at = w->first;
    for (uint32_t i = 0; i < w->rows; i++, at += w->next) {
      for (uint32_t k = 0; k < w->columns; k++, at += w->pixel) {
        uint32_t word = (load(at, bytes) & (0x01010101 * (0xffu >> up))) << up;
        most = (uint32_t)(j->layer.is_signed ? pv_max_b(most, word) : pv_maxu_b(most, word));
      }
    }
    result |= (most & top) >> up;
  }
  return result;
}

// What pairs of words leave over.
static __attribute__((noinline)) void
most_of_rest(const struct job *j, const struct nn_pool_window *w, uint8_t *out, uint32_t bytes) {
  struct nn_pool_window part = *w;
  if (bytes >= 8) {
    part.first += bytes - 8;
    j->most(out + bytes - 8, &part, 1);
    return;
  }
  for (uint32_t at = 0; at < bytes; at += 4) {
    uint32_t count = bytes - at < 4 ? bytes - at : 4;
    part.first = w->first + at;
    nn_word_store_part(out + at, most_of_part(j, &part, count), count);
  }
}

// ---- average

// As nn_window_sums_*(), for the first `bytes` bytes (1..3).
static void sums_of_part(uint32_t parts[4], const struct nn_pool_window *w, uint32_t flip,
                         uint32_t bits, uint32_t bytes) {
  uint32_t ways = bits == 2 ? 4 : 2, mask = bits == 8   ? 0x00ff00ff
                                            : bits == 4 ? 0x0f0f0f0f
                                                        : 0x03030303;
  const uint8_t *at = w->first;
  parts[0] = parts[1] = parts[2] = parts[3] = 0;
  for (uint32_t i = 0; i < w->rows; i++, at += w->next) {
    for (uint32_t k = 0; k < w->columns; k++, at += w->pixel) {
      uint32_t word = nn_word_load_part(at, bytes) ^ flip;
      for (uint32_t way = 0; way < ways; way++)
        parts[way] += word >> bits * way & mask;
    }
  }
}

// The word made of the sums of its elements (flipped if signed), of which `bytes` bytes exist, by
// another average.
static __attribute__((noinline)) uint32_t
otherwise(const struct job *j, const struct nn_pool_window *w, uint32_t *sum, uint32_t bytes) {
  const struct nn_pool *l = &j->layer;
  const struct nn_average *how = j->otherwise;
  uint32_t bits = l->bits, pixels = w->rows * w->columns, count = bytes * 8 / bits, result = 0;
  uint32_t n = how->inside ? pixels : (uint32_t)l->kernel_h * l->kernel_w;
  for (uint32_t e = 0; e < count; e++) {
    int32_t total = (int32_t)(sum[e] - (l->is_signed ? pixels << (bits - 1) : 0));
    uint32_t size = (uint32_t)(total < 0 ? -total : total);
    size += how->nearest ? n / 2 : total < 0 ? n - 1 : 0; // down: away from 0 if negative
    // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): every window has a pixel
    int32_t y = (int32_t)(size / n);
    sum[e] = (uint32_t)(how->requant ? total : total < 0 ? -y : y);
    result |= (sum[e] & ((1u << bits) - 1)) << e * bits;
  }
  if (!how->requant)
    return result;
  uint32_t first = (uint32_t)(w->first - l->in) % j->pixel * 8 / bits, end = first + count;
  nn_requant_i32_pixel(how->requant, (const int32_t *)sum, (uint8_t *)&result - first * bits / 8,
                       first, end < l->channels ? end : l->channels);
  return result;
}

// The word of averages of `bytes` bytes (4: a word). Windows with more pixels than lanes can add
// up are taken in pieces.
static inline __attribute__((always_inline)) uint32_t average(const struct job *j,
                                                              const struct nn_pool_window *w,
                                                              uint32_t bytes, uint32_t bits,
                                                              nn_window_sums_fn *run) {
  uint32_t ways = bits == 2 ? 4 : 2, lane = bits == 8 ? 16 : 8, sum[16] = {0}, result = 0;
  uint32_t columns = w->columns < NN_SUMS_MOST(bits) ? w->columns : NN_SUMS_MOST(bits);
  // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): every window has a pixel
  uint32_t rows = w->rows * columns <= NN_SUMS_MOST(bits) ? w->rows : NN_SUMS_MOST(bits) / columns;
  uint32_t whole = w->columns * w->pixel + w->next;
  for (uint32_t y = 0; y < w->rows; y += rows) {
    for (uint32_t x = 0; x < w->columns; x += columns) {
      uint32_t parts[4];
      struct nn_pool_window piece = {.first = w->first + y * whole + x * w->pixel,
                                     .rows = w->rows - y < rows ? w->rows - y : rows,
                                     .columns = w->columns - x < columns ? w->columns - x : columns,
                                     .pixel = w->pixel};
      piece.next = whole - piece.columns * w->pixel;
      if (bytes == 4)
        run(parts, &piece, j->signs);
      else
        sums_of_part(parts, &piece, j->signs, bits, bytes);
      for (uint32_t e = 0; e < 32 / bits; e++)
        sum[e] += parts[e % ways] >> e / ways * lane & ((1u << lane) - 1);
    }
  }
  if (j->otherwise)
    return otherwise(j, w, sum, bytes);
  // What is outside counts as 0, flipped.
  const struct nn_pool *l = &j->layer;
  uint32_t outside = (uint32_t)l->kernel_h * l->kernel_w - w->rows * w->columns;
  uint32_t zeros = l->is_signed ? outside << (bits - 1) : 0;
  for (uint32_t e = 0; e < 32 / bits; e++)
    result |= divide(sum[e] + zeros, j->by) << e * bits;
  return result ^ j->signs;
}

static uint32_t average_8(const struct job *j, const struct nn_pool_window *w, uint32_t bytes) {
  return average(j, w, bytes, 8, nn_window_sums_8);
}
static uint32_t average_4(const struct job *j, const struct nn_pool_window *w, uint32_t bytes) {
  return average(j, w, bytes, 4, nn_window_sums_4);
}
static uint32_t average_2(const struct job *j, const struct nn_pool_window *w, uint32_t bytes) {
  return average(j, w, bytes, 2, nn_window_sums_2);
}

static __attribute__((noinline)) void
average_of(const struct job *j, const struct nn_pool_window *w, uint8_t *out, uint32_t bytes) {
  uint32_t (*word)(const struct job *, const struct nn_pool_window *, uint32_t) =
      j->layer.bits == 8   ? average_8
      : j->layer.bits == 4 ? average_4
                           : average_2;
  struct nn_pool_window at = *w;
  if (bytes < 4) {
    nn_word_store_part(out, word(j, &at, bytes), bytes);
    return;
  }
  for (uint32_t done = 0; done < bytes; done += 4) {
    uint32_t begin = done + 4 <= bytes ? done : bytes - 4;
    at.first = w->first + begin;
    nn_word_store(out + begin, word(j, &at, 4));
  }
}

// floor(sum / n) of sums up to 256 n, n up to NN_AVERAGE_MOST, as sum * factor >> shift in 32 bits:
// the factor, of 16 bits, times n is 2^shift and at most n - 1 more, and 256 n * n < 2^shift.
static __attribute__((noinline)) void divide_bytes(struct job *j, uint32_t n) {
  uint32_t shift = NN_AVERAGE_SHIFT;
  while (n > 1u << (shift - NN_AVERAGE_SHIFT))
    shift++;
  // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): every window has a pixel
  uint32_t factor = ((1u << shift) + n - 1) / n;
  bool nearest = j->otherwise && j->otherwise->nearest;
  j->pixels = n;
  j->average = (struct nn_average_by){
      .add = nearest ? n / 2 * 0x00010001 : 0, .factor = factor * 0x00010001, .shift = shift};
}

// How to divide sums of windows with `inside` pixels.
static struct nn_average_by average_by(struct job *j, uint32_t inside) {
  const struct nn_pool *l = &j->layer;
  uint32_t n = (uint32_t)l->kernel_h * l->kernel_w;
  if (j->otherwise && j->otherwise->inside)
    n = inside;
  if (n != j->pixels)
    divide_bytes(j, n);
  struct nn_average_by by = j->average;
  if (l->is_signed)
    by.add += (n - inside) * 0x00800080; // zeros, flipped
  if (n % 2 == 0 && j->otherwise && j->otherwise->nearest)
    by.limit = inside * 0x00800080 + by.add; // halves are rounded away from 0: down, if negative
  return by;
}

// Columns that a window and the next are averaged with, of which nobody else's are: added up once.
static uint32_t shared_columns(const struct nn_pool *l) {
  uint32_t shared = (uint32_t)l->kernel_w - l->stride_w;
  return l->kernel_w > l->stride_w && shared <= l->stride_w ? shared : 0;
}

// Averages of `windows` side by side, of bytes, at least eight of them: the last eight may overlap
// others. `w` is the first window, which may begin with fewer shared columns.
static __attribute__((noinline)) void average_bytes(struct job *j, const struct nn_pool_window *w,
                                                    uint8_t *out, uint32_t bytes,
                                                    uint32_t windows) {
  const struct nn_pool *l = &j->layer;
  uint32_t columns = windows > 1 ? l->kernel_w : w->columns;
  uint32_t shared = windows > 1 ? shared_columns(l) : 0;
  struct nn_average_run run = {.first = w->first,
                               .rows = w->rows,
                               .before = shared - (columns - w->columns),
                               .alone = columns - 2 * shared,
                               .shared = shared,
                               .row = j->row,
                               .column = w->pixel - w->rows * j->row,
                               .next = shared ? 0 : (l->stride_w - columns) * w->pixel,
                               .windows = windows,
                               .pixel = j->pixel};
  const struct nn_average_by by = average_by(j, w->rows * w->columns);
  j->bytes(out, &run, bytes / 8, &by);
  if (bytes % 8 == 0)
    return;
  run.first += bytes - 8;
  j->bytes(out + bytes - 8, &run, 1, &by);
}

// How many outputs from x on, of at most `count`, average_bytes() takes at once, if it is what
// takes them; at least one. Their windows end inside, and begin there if averages of windows that
// do not are others.
static __attribute__((noinline)) uint32_t side_by_side(const struct job *j, uint32_t x,
                                                       uint32_t count) {
  const struct nn_pool *l = &j->layer;
  uint32_t left = x * l->stride_w, cut = left < l->pad_left ? l->pad_left - left : 0;
  if (j->pixel < 8 || left + l->kernel_w > (uint32_t)l->in_w + l->pad_left ||
      (cut > 0 && (l->is_signed || j->otherwise || cut > shared_columns(l))))
    return 1;
  uint32_t fit = nn_window_count(l->in_w + l->pad_left - left, 0, l->kernel_w, l->stride_w);
  return fit < count ? fit : count;
}

// ---- pixels

// Bytes from `begin` on, `count` of them, of an output pixel, of the part of its window that is
// inside the input; or of `windows` side by side by average_bytes().
static __attribute__((noinline)) void pixel(struct job *j, uint32_t y, uint32_t x, uint32_t begin,
                                            uint32_t count, uint32_t windows) {
  const struct nn_pool *l = &j->layer;
  int32_t top = (int32_t)(y * l->stride_h) - l->pad_top, rows = l->kernel_h;
  int32_t left = (int32_t)(x * l->stride_w) - l->pad_left, columns = l->kernel_w;
  rows = l->in_h - top < rows ? l->in_h - top : rows;
  columns = l->in_w - left < columns ? l->in_w - left : columns;
  if (top < 0) {
    rows += top;
    top = 0;
  }
  if (left < 0) {
    columns += left;
    left = 0;
  }
  struct nn_pool_window w;
  w.first = l->in + (uint32_t)top * j->row + (uint32_t)left * j->pixel + begin;
  w.rows = (uint32_t)rows;
  w.columns = (uint32_t)columns;
  w.pixel = j->pixel;
  w.next = j->row - w.columns * j->pixel;
  uint8_t *out = l->out + (y * j->out_w + x) * j->pixel;
  out += begin;
  if (j->is_average) {
    if (j->bytes && count >= 8)
      average_bytes(j, &w, out, count, windows);
    else
      average_of(j, &w, out, count);
  } else {
    if (count >= 8)
      j->most(out, &w, count / 8);
    if (count % 8 > 0)
      most_of_rest(j, &w, out, count);
  }
  if (begin + count == j->pixel && j->last != 0xff)
    out[count - 1] &= (uint8_t)j->last;
}

// How many outputs from (y, x) on, of at most `count` in this row, are whole 2x2 windows and have a
// word: these are done.
static __attribute__((noinline)) uint32_t small_windows(const struct job *j, uint32_t y, uint32_t x,
                                                        uint32_t count) {
  const struct nn_pool *l = &j->layer;
  uint32_t top = y * l->stride_h - l->pad_top, left = x * l->stride_w - l->pad_left;
  if (top >= l->in_h - 1u || left >= l->in_w - 1u) // negative ones are huge
    return 0;
  uint32_t room = l->in_w - 2u - left, fit = 0;
  for (uint32_t taken = 0; fit < count && taken <= room; taken += l->stride_w)
    fit++;
  uint32_t step = l->stride_w * j->pixel, words = j->pixel / 4;
  const uint8_t *in = l->in + top * j->row + left * j->pixel;
  uint8_t *out = l->out + (y * j->out_w + x) * j->pixel;
  struct nn_pool_2x2 windows = {out,   in,  in + j->row,      j->pixel,
                                words, fit, step - words * 4, j->pixel - words * 4};
  j->small(&windows);
  uint32_t before = j->pixel - 4; // the last word, if it is not whole
  if (j->pixel % 4 > 0) {
    windows = (struct nn_pool_2x2){
        out + before, in + before, in + j->row + before, j->pixel, 1, fit, step - 4, before};
    j->small(&windows);
  }
  for (uint32_t i = 1; i <= fit && j->last != 0xff; i++)
    out[i * j->pixel - 1] &= (uint8_t)j->last;
  return fit;
}

static void by_pixels(struct job *j, uint32_t pixels) {
  struct rt_range mine = rt_split(pixels, 1);
  // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): check() refuses a layer without output
  uint32_t y = mine.begin / j->out_w, x = mine.begin - y * j->out_w;
  for (uint32_t left = mine.end - mine.begin; left > 0;) {
    uint32_t in_row = j->out_w - x < left ? j->out_w - x : left;
    uint32_t done = j->small ? small_windows(j, y, x, in_row) : 0;
    if (done == 0) {
      done = j->bytes ? side_by_side(j, x, in_row) : 1;
      pixel(j, y, x, 0, j->pixel, done);
    }
    left -= done;
    x += done;
    if (x == j->out_w) {
      x = 0;
      y++;
    }
  }
}

static void by_words(struct job *j, uint32_t pixels) {
  struct rt_range mine = rt_split(j->pixel, 4);
  for (uint32_t p = 0, y = 0, x = 0; p < pixels && mine.begin < mine.end; p++) {
    pixel(j, y, x, mine.begin, mine.end - mine.begin, 1);
    if (++x == j->out_w) {
      x = 0;
      y++;
    }
  }
}

// Whether average_bytes() takes them.
static bool are_bytes(const struct job *j) {
  const struct nn_pool *l = &j->layer;
  return l->bits == 8 && (uint32_t)l->kernel_h * l->kernel_w <= NN_AVERAGE_MOST &&
         !(j->otherwise && j->otherwise->requant);
}

// What is added up or compared by what, whole pixels or their words.
static void choose_loops(struct job *j, bool is_average, bool words) {
  const struct nn_pool *l = &j->layer;
  j->is_average = is_average;
  j->small = NULL;
  j->bytes = NULL;
  j->pixels = 0;
  if (!j->otherwise && l->kernel_h == 2 && l->kernel_w == 2 && j->pixel >= 4)
    j->small = nn_pool_2x2(is_average, l->bits, l->is_signed);
  else if (is_average && are_bytes(j))
    j->bytes = l->is_signed ? nn_average_run_8s : nn_average_run_8u;
  if (!is_average)
    j->most = nn_max_window(l->bits, l->is_signed);
  else if (!j->bytes || words || j->pixel < 8)
    j->by = divisor_of((uint32_t)l->kernel_h * l->kernel_w);
}

static void run(struct job *j, bool is_average) {
  const struct nn_pool *l = &j->layer;
  uint32_t used = l->channels * l->bits % 8u;
  j->pixel = nn_bits_bytes(l->channels, l->bits);
  j->row = l->in_w * j->pixel;
  j->out_w = nn_pool_out_w(l);
  j->last = used ? (1u << used) - 1 : 0xff;
  j->signs = l->is_signed ? nn_bits_signs(l->bits) : 0;
  uint32_t pixels = nn_pool_out_h(l) * j->out_w;
  bool words = pixels < rt_core_count() && j->pixel > 4;
  choose_loops(j, is_average, words);
  (words ? by_words : by_pixels)(j, pixels);
}

enum kernel_status nn_maxpool(const struct nn_pool *given) {
  KERNEL_CHECK(check(given));
  struct job j;
  j.layer = *given;
  j.otherwise = NULL;
  run(&j, false);
  return KERNEL_OK;
}

enum kernel_status nn_avgpool(const struct nn_pool *given) {
  KERNEL_CHECK(check(given));
  struct job j;
  j.layer = *given;
  j.otherwise = NULL;
  run(&j, true);
  return KERNEL_OK;
}

static enum kernel_status check_requant(const struct nn_pool *l, const struct nn_requant_i32 *rq) {
  if (!rq)
    return KERNEL_OK;
  return rq->bits == l->bits && rq->out_signed == l->is_signed ? nn_requant_i32_check(rq)
                                                               : KERNEL_BAD_SHAPE;
}

enum kernel_status nn_avgpool_by(const struct nn_pool *given, const struct nn_average *by) {
  KERNEL_CHECK(check(given));
  KERNEL_CHECK(check_requant(given, by->requant));
  struct job j;
  j.layer = *given;
  j.otherwise = by;
  run(&j, true);
  return KERNEL_OK;
}
