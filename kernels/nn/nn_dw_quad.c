// kernels/nn/nn_dw_quad.c: which layers, their bands, and what the assembly computes, in C.
#include "nn_dw_quad.h"

#include <stddef.h>

#include "nn_bits.h"
#include "nn_dw_filter.h"
#include "nn_word.h"
#include "xpulp.h"

// A window whose last column is outside is its row's first one from right to left.
static bool right_outside(const struct nn_depthwise *l, uint32_t out_w) {
  return 2 * out_w - l->pad_left >= l->in_w;
}

bool nn_dw_quads_fit(const struct nn_depthwise *l, uint32_t out_h, uint32_t out_w) {
  if (l->stride_w != 2 || l->kernel_h != 3 || l->kernel_w != 3 || l->in_bits < 4 ||
      l->out_bits != l->in_bits || l->in_chw || l->out_chw || l->requant || l->pad_value != 0 ||
      l->pad_left > 1 || l->pad_top > 1)
    return false;
  // No window has two columns outside, nor the middle one; the last window's middle row is inside.
  return 2 * out_w - l->pad_left <= l->in_w &&
         !(l->pad_left && out_w == 1 && right_outside(l, out_w)) &&
         l->stride_h * (out_h - 1) + 1 < l->in_h + l->pad_top;
}

// Taps (0,0) (1,0) (0,1) (1,1), and (0,2) (1,2) (2,1) (2,2), of a filter whose byte 6 or 8 is
// alone, as the window's first column is its left one or, mirrored, its right one.
enum { FIRST = 0x04010300, SECOND = 0x06070502, MIRRORED_FIRST = 0x04010502 };
enum { MIRRORED_SECOND = 0x06070300 };

#ifndef __riscv
void nn_dw_quad_filters(uint32_t *filters, const uint8_t *w, uint32_t quads, const uint8_t *in,
                        const uint8_t *alone, uint32_t first, uint32_t second) {
  for (uint32_t i = 0; i < 4 * quads; i++, w += 9, in += 9, alone += 9) {
    uint32_t low = nn_word_load(w), high = (nn_word_load(w + 4) & 0xff00ffff);
    uint32_t *filter = filters + (size_t)(i / 4) * 12 + i % 4;
    high |= (uint32_t)*in << 16;
    filter[0] = (uint32_t)pv_shuffle2_b((int32_t)low, high, first);
    filter[4] = (uint32_t)pv_shuffle2_b((int32_t)low, high, second);
    filter[8] = (uint32_t)*alone << 8 * (i % 4);
  }
}
#endif

// Words that filters take on the stack, whose bytes may stand so far behind that a quad's words do
// not reach those of the next.
enum { FILTERS_WORDS = NN_DW_QUADS * 12 + 9, BYTES_AT = 36 + 12 * NN_DW_QUADS };

// Those of `quads` quads; of `bits` bits.
static void filters_of(uint32_t *filters, const uint8_t *w, uint32_t bits, uint32_t quads,
                       bool mirrored) {
  if (bits < 8) {
    uint8_t *to = (uint8_t *)filters + BYTES_AT;
#pragma GCC unroll 1
    for (uint32_t i = 0; i < 4 * quads; i++, w += nn_bits_bytes(9, bits), to += 9) {
      nn_word_store(to, nn_dw_weights(w, 0, 4, bits));
      nn_word_store(to + 4, nn_dw_weights(w, 4, 4, bits));
      to[8] = (uint8_t)nn_dw_weights(w, 8, 1, bits);
    }
    w = (const uint8_t *)filters + BYTES_AT;
  }
  nn_dw_quad_filters(filters, w, quads, w + (mirrored ? 6 : 8), w + (mirrored ? 8 : 6),
                     mirrored ? MIRRORED_FIRST : FIRST, mirrored ? MIRRORED_SECOND : SECOND);
}

// Output rows y.., whose windows' first row, or last one, is outside; `row`: an input row's bytes.
static void add_band(struct nn_dw_quads *q, const struct nn_depthwise *l, uint32_t row, uint32_t y,
                     uint32_t count, bool above, bool below) {
  struct nn_dw_band *band = &q->band[q->bands++];
  uint32_t middle = (y * l->stride_h - l->pad_top + 1) * row;
  band->rows[0] = above ? middle : middle - row;
  band->rows[1] = middle;
  band->rows[2] = below ? middle : middle + row;
  band->count = count;
  band->mask[0] = above ? 0xff00ff00 : 0xffffffff;
  band->mask[1] = (above ? 0xffffff00 : 0xffffffff) & (below ? 0xffff : 0xffffffff);
  band->mask[2] = below ? 0 : 0xffffffff;
}

static void add_bands(struct nn_dw_quads *q, const struct nn_depthwise *l, uint32_t row,
                      struct rt_range rows) {
  bool above = l->pad_top && rows.begin == 0;
  bool below = l->stride_h * (rows.end - 1) + 2u >= (uint32_t)l->in_h + l->pad_top;
  uint32_t at = rows.begin, last = rows.end - below;
  q->bands = 0;
  if (above) {
    add_band(q, l, row, at, 1, true, at == last);
    at++;
  }
  if (at < last)
    add_band(q, l, row, at, last - at, false, false);
  if (at <= last && below)
    add_band(q, l, row, last, 1, false, true);
}

// Windows of a row, all or some, from left to right, or from right to left, of quads of channels.
struct pass {
  uint32_t first, count;
  bool mirrored;
};

static void of_pass(struct nn_dw_quads *q, const struct nn_depthwise *l, uint32_t pixel,
                    uint32_t out_w, const struct pass *p) {
  uint32_t down = l->stride_h * l->in_w, end = p->first + p->count;
  q->out_w = p->count;
  if (p->mirrored) {
    q->inside = 0;
    q->pixel = -pixel;
    q->next = (down + 2 * p->count) * pixel;
    q->out_next = (out_w + p->count) * pixel;
    q->in += (2 * end - 1 - l->pad_left) * pixel; // the last window's middle column
    q->out += (end - 1) * pixel;
  } else {
    q->inside = p->first > 0 || !l->pad_left;
    q->pixel = pixel;
    q->next = (down - 2 * p->count - q->inside) * pixel;
    q->out_next = (out_w - p->count) * pixel;
    q->in += p->first > 0 ? (2 * p->first - l->pad_left) * pixel : 0;
    q->out += p->first * pixel;
  }
}

static inline __attribute__((always_inline)) void run_pass(const struct nn_depthwise *l,
                                                           uint32_t out_w, struct rt_range rows,
                                                           struct rt_range channels,
                                                           const struct pass *p) {
  uint32_t filters[FILTERS_WORDS], bits = l->weight_bits, bytes = nn_bits_bytes(9, bits);
  struct nn_dw_quads q;
  uint32_t halves = l->in_bits == 4, pixel = l->channels; // bytes, of 4 bits halves of them
  if (halves)
    pixel = (pixel + 1) / 2;
  nn_dw_quads_fn *run = nn_dw_quads_of(l->in_bits, l->in_signed, l->out_signed);
  add_bands(&q, l, l->in_w * pixel, rows);
  q.filters = filters;
  q.shift = l->shift;
  q.in = l->in + (channels.begin >> halves);
  q.out = l->out + rows.begin * out_w * pixel + (channels.begin >> halves);
  of_pass(&q, l, pixel, out_w, p);
  // Not all cores begin with their first quads: pixels that are a multiple of 64 bytes apart are in
  // the same bank, and so would their quads be.
  uint32_t step = 4 * NN_DW_QUADS, all = (channels.end - channels.begin) / 4 * 4, at = 0;
  for (uint32_t skip = rt_core_id() / 2; skip > 0; skip--)
    at = at + step < all ? at + step : 0;
  const uint8_t *in = q.in;
  uint8_t *out = q.out;
  for (uint32_t left = all; left > 0; at = at + step < all ? at + step : 0) {
    uint32_t c = channels.begin + at, count = all - at < step ? all - at : step;
    q.count = count / 4;
    q.in = in + (at >> halves);
    q.out = out + (at >> halves);
    q.kappa = l->kappa + c;
    q.lambda = l->lambda + c;
    filters_of(filters, (const uint8_t *)l->weights + c * bytes, bits, q.count, p->mirrored);
    run(&q);
    left -= count;
  }
}

void nn_dw_quads(const struct nn_depthwise *l, uint32_t out_w, struct rt_range rows,
                 struct rt_range channels) {
  bool right = right_outside(l, out_w), both = right && l->pad_left > 0;
  uint32_t passes = both ? 2 : 1; // if columns are outside on both sides, the last one by itself
#pragma GCC unroll 1
  for (uint32_t i = 0; i < passes; i++) {
    struct pass pass = {0, both ? out_w - 1 : out_w, right && !both};
    if (i > 0)
      pass = (struct pass){out_w - 1, 1, true};
    run_pass(l, out_w, rows, channels, &pass);
  }
}

#ifdef __riscv

_Static_assert(offsetof(struct nn_dw_quads, band) == 52, "nn_dw_quad.S knows the offsets");

#else

// What the loop is for.
struct kind {
  uint32_t bits;
  bool in_signed, out_signed;
};

static int32_t value_of(const uint8_t *at, uint32_t k, const struct kind *kind) {
  return kind->in_signed ? nn_bits_signed(at, k, kind->bits)
                         : (int32_t)nn_bits_unsigned(at, k, kind->bits);
}
static int32_t weight(uint32_t word, uint32_t i) {
  return (int8_t)(word >> 8 * i);
}

// Channel k of the window whose rows' second pixels are `at`; `first`: its first column is outside.
static int32_t sum_of(const struct nn_dw_quads *q, const uint32_t *filter,
                      const struct nn_dw_band *band, const uint8_t *const at[3], uint32_t k,
                      bool first, const struct kind *kind) {
  static const uint8_t taps[9][2] = {{0, 0}, {1, 0}, {0, 1}, {1, 1}, {0, 2},
                                     {1, 2}, {2, 1}, {2, 2}, {2, 0}};
  int32_t sum = 0;
  for (uint32_t i = 0; i < 9; i++) {
    uint32_t word = filter[i / 4 * 4 + k] & band->mask[i / 4];
    if (taps[i][1] > 0 || !first)
      sum += value_of(at[taps[i][0]] + (taps[i][1] - 1) * (int32_t)q->pixel, k, kind) *
             weight(word, i < 8 ? i % 4 : k);
  }
  return sum;
}

static uint8_t *band_of(const struct nn_dw_quads *q, const struct nn_dw_band *b, uint32_t quad,
                        uint8_t *out, const struct kind *kind) {
  int32_t range = 1 << kind->bits, least = kind->out_signed ? -range / 2 : 0,
          pixel = (int32_t)q->pixel;
  int32_t row = (int32_t)q->next + (int32_t)(2 * q->out_w + q->inside) * pixel;
  for (uint32_t i = 0; i < b->count * q->out_w; i++, out += pixel) {
    int32_t x = (int32_t)(i % q->out_w), y = (int32_t)(i / q->out_w);
    const uint8_t *p =
        q->in + (size_t)quad * kind->bits / 2 + y * row + (2 * x + (int32_t)q->inside) * pixel;
    const uint8_t *const at[3] = {p + b->rows[0], p + b->rows[1], p + b->rows[2]};
    if (x == 0 && y > 0)
      out += (int32_t)q->out_next;
    for (uint32_t k = 0; k < 4; k++) {
      uint32_t sum =
          (uint32_t)sum_of(q, q->filters + (size_t)quad * 12, b, at, k, x == 0 && !q->inside, kind);
      uint32_t c = quad * 4 + k;
      int32_t v = (int32_t)(sum * (uint32_t)q->kappa[c] + (uint32_t)q->lambda[c]) >> q->shift;
      v = v < least ? least : v >= least + range ? least + range - 1 : v;
      nn_bits_put(out, k, kind->bits, (uint32_t)v);
    }
  }
  return out + (int32_t)q->out_next;
}

static void run(const struct nn_dw_quads *q, struct kind kind) {
  for (uint32_t quad = 0; quad < q->count; quad++) {
    uint8_t *out = q->out + (size_t)quad * kind.bits / 2;
    for (const struct nn_dw_band *b = q->band; b < q->band + q->bands; b++)
      out = band_of(q, b, quad, out, &kind);
  }
}

#define DEFINE(name, bits, in_signed, out_signed)                                                  \
  void nn_dw_quads_##name(const struct nn_dw_quads *q) {                                           \
    run(q, (struct kind){bits, in_signed, out_signed});                                            \
  }
DEFINE(8uu, 8, false, false)
DEFINE(8us, 8, false, true)
DEFINE(8su, 8, true, false)
DEFINE(8ss, 8, true, true)
DEFINE(4uu, 4, false, false)
DEFINE(4us, 4, false, true)
DEFINE(4su, 4, true, false)
DEFINE(4ss, 4, true, true)

#endif
