// kernels/nn/nn_dw_quad.c: which layers, their bands, and what the assembly computes, in C.
#include "nn_dw_quad.h"

#include <stddef.h>

#include "nn_bits.h"
#include "nn_dw_filter.h"
#include "nn_word.h"
#include "xpulp.h"

bool nn_dw_quads_fit(const struct nn_depthwise *l, uint32_t out_h, uint32_t out_w) {
  if (l->stride_w != 2 || l->kernel_h != 3 || l->kernel_w != 3 || l->in_bits < 4 ||
      l->out_bits != l->in_bits || l->in_chw || l->out_chw || l->requant || l->pad_value != 0 ||
      l->pad_left > 1 || l->pad_top > 1)
    return false;
  // The middle column of each window is inside, and the middle row.
  return 2 * out_w - l->pad_left <= l->in_w && l->stride_h * (out_h - 1) + 1 < l->in_h + l->pad_top;
}

// Weights of fewer bits are made bytes for so many channels at a time.
enum { UNPACKED = 16, UNPACKED_BYTES = UNPACKED * 9 };

static void unpack(uint8_t *to, const uint8_t *w, uint32_t bits, uint32_t channels) {
#pragma GCC unroll 1
  for (; channels > 0; channels--, w += nn_bits_bytes(9, bits), to += 9) {
    nn_word_store(to, nn_dw_weights(w, 0, 4, bits));
    nn_word_store(to + 4, nn_dw_weights(w, 4, 4, bits));
    to[8] = (uint8_t)nn_dw_weights(w, 8, 1, bits);
  }
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

// Where cores have 32 channels or more each, pixels may be so many bytes apart that all would be in
// the same bank: they do not all begin with their first channels.
static uint32_t first_of(uint32_t channels) {
  return channels < 32 ? 0 : 4 * (rt_core_id() % 8);
}

void nn_dw_quads(const struct nn_depthwise *l, uint32_t out_w, struct rt_range rows,
                 struct rt_range channels) {
  uint8_t unpacked[UNPACKED_BYTES];
  uint32_t bits = l->weight_bits, halves = l->in_bits == 4;
  uint32_t pixel = halves ? (l->channels + 1u) / 2 : l->channels; // bytes
  const uint8_t *in = l->in + (channels.begin >> halves);
  uint8_t *out = l->out + rows.begin * out_w * pixel + (channels.begin >> halves);
  nn_dw_quads_fn *run = nn_dw_quads_of(l->in_bits, l->in_signed, l->out_signed);
  struct nn_dw_quads q = {.shift = l->shift, .pixel = pixel, .inside = !l->pad_left};
  q.last = 2 * out_w - l->pad_left >= l->in_w;
  q.out_w = out_w - q.last;
  q.next = (l->stride_h * l->in_w - 2 * q.out_w - q.inside - q.last) * pixel;
  q.out_next = (halves ? 1 : 2) - (rows.end - rows.begin) * out_w * pixel;
  add_bands(&q, l, l->in_w * pixel, rows);
  uint32_t all = (channels.end - channels.begin) / 4 * 4, at = first_of(all);
  for (uint32_t left = all; left > 0;) {
    uint32_t c = channels.begin + at, count = all - at < left ? all - at : left;
    q.weights = (const uint8_t *)l->weights + c * nn_bits_bytes(9, bits);
    if (bits < 8) {
      count = count < UNPACKED ? count : UNPACKED;
      unpack(unpacked, q.weights, bits, count);
      q.weights = unpacked;
    }
    q.pairs = count / 2;
    q.in = in + (at >> halves);
    q.out = out + (at >> halves);
    q.kappa = l->kappa + c;
    q.lambda = l->lambda + c;
    run(&q);
    left -= count;
    at = at + count < all ? at + count : 0;
  }
}

#ifdef __riscv

_Static_assert(offsetof(struct nn_dw_quads, band) == 56, "nn_dw_quad.S knows the offsets");

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

// Channel k of a pair, of the window whose rows' second pixels are `at`; first, last: its first, or
// last, column is outside.
static int32_t sum_of(const struct nn_dw_quads *q, const int8_t *weights,
                      const struct nn_dw_band *band, const uint8_t *const at[3], uint32_t k,
                      bool first, bool last, const struct kind *kind) {
  int32_t sum = 0;
  for (uint32_t i = 0; i < 9; i++) {
    uint32_t y = i / 3, x = i % 3;
    bool row = y == 1 || (y == 0 ? band->mask[0] & 0xff : band->mask[2] >> 24);
    if (row && !(x == 0 && first) && !(x == 2 && last))
      sum += value_of(at[y] + ((int32_t)x - 1) * (int32_t)q->pixel, k, kind) * weights[i];
  }
  return sum;
}

static uint8_t *band_of(const struct nn_dw_quads *q, const struct nn_dw_band *b, uint32_t pair,
                        uint8_t *out, const struct kind *kind) {
  int32_t range = 1 << kind->bits, least = kind->out_signed ? -range / 2 : 0;
  uint32_t out_w = q->out_w + q->last;
  uint32_t row = q->next + (2 * q->out_w + q->inside + q->last) * q->pixel;
  for (uint32_t i = 0; i < b->count * out_w; i++, out += q->pixel) {
    uint32_t x = i % out_w, y = i / out_w;
    const uint8_t *p = q->in + pair * kind->bits / 4 + y * row + (2 * x + q->inside) * q->pixel;
    const uint8_t *const at[3] = {p + b->rows[0], p + b->rows[1], p + b->rows[2]};
    for (uint32_t k = 0; k < 2; k++) {
      uint32_t c = pair * 2 + k;
      uint32_t sum = (uint32_t)sum_of(q, (const int8_t *)q->weights + (size_t)c * 9, b, at, k,
                                      x == 0 && !q->inside, x == q->out_w, kind);
      int32_t v = (int32_t)(sum * (uint32_t)q->kappa[c] + (uint32_t)q->lambda[c]) >> q->shift;
      v = v < least ? least : v >= least + range ? least + range - 1 : v;
      nn_bits_put(out, k, kind->bits, (uint32_t)v);
    }
  }
  return out;
}

static void run(const struct nn_dw_quads *q, struct kind kind) {
  uint8_t *out = q->out;
  for (uint32_t pair = 0; pair < q->pairs; pair++, out += (int32_t)q->out_next) {
    for (const struct nn_dw_band *b = q->band; b < q->band + q->bands; b++)
      out = band_of(q, b, pair, out, &kind);
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
