// kernels/nn/nn_dw_quad.c: which layers, their bands, and what the assembly computes, in C.
#include "nn_dw_quad.h"

#include <stddef.h>

#include "nn_dw_filter.h"
#include "xpulp.h"

nn_dw_quads_fn nn_dw_quads_uu, nn_dw_quads_us, nn_dw_quads_su, nn_dw_quads_ss;

bool nn_dw_quads_fit(const struct nn_depthwise *l, uint32_t out_h, uint32_t out_w) {
  if (l->stride_w != 2 || l->kernel_h != 3 || l->kernel_w != 3 || l->in_bits != 8 ||
      l->out_bits != 8 || l->in_chw || l->out_chw || l->requant || l->pad_left > 1 ||
      l->pad_top > 1)
    return false;
  // The last window's right column, and its middle row, are inside.
  return 2 * out_w - l->pad_left < l->in_w && l->stride_h * (out_h - 1) + 1 < l->in_h + l->pad_top;
}

static void filter_of(const uint8_t *w, uint32_t bits, uint32_t *filter, uint32_t i) {
  uint32_t low = nn_dw_weights(w, 0, 4, bits), high = nn_dw_weights(w, 4, 4, bits);
  uint32_t last = nn_dw_weights(w, 8, 1, bits);
  filter[0] = (uint32_t)pv_shuffle2_b((int32_t)low, high, 0x04010300);
  filter[4] = ((uint32_t)pv_shuffle2_b((int32_t)low, high, 0x00070502) & 0xffffff) | last << 24;
  filter[8] = (high >> 16 & 0xff) << 8 * i;
}

// Output rows y.., whose windows' first row, or last one, is outside.
static void add_band(struct nn_dw_quads *q, const struct nn_depthwise *l, uint32_t y,
                     uint32_t count, bool above, bool below) {
  struct nn_dw_band *band = &q->band[q->bands++];
  uint32_t row = (uint32_t)l->in_w * l->channels;
  uint32_t middle = (y * l->stride_h - l->pad_top + 1) * row;
  band->rows[0] = above ? middle : middle - row;
  band->rows[1] = middle;
  band->rows[2] = below ? middle : middle + row;
  band->count = count;
  band->mask[0] = above ? 0xff00ff00 : 0xffffffff;
  band->mask[1] = (above ? 0xffffff00 : 0xffffffff) & (below ? 0xffff : 0xffffffff);
  band->mask[2] = below ? 0 : 0xffffffff;
}

static void add_bands(struct nn_dw_quads *q, const struct nn_depthwise *l, uint32_t out_h) {
  bool above = l->pad_top;
  bool below = l->stride_h * (out_h - 1) + 2u >= (uint32_t)l->in_h + l->pad_top;
  uint32_t at = 0, last = out_h - below;
  q->bands = 0;
  if (above) {
    add_band(q, l, 0, 1, true, last == 0);
    at = 1;
  }
  if (at < last)
    add_band(q, l, at, last - at, false, false);
  if (at <= last && below)
    add_band(q, l, last, 1, false, true);
}

void nn_dw_quads(const struct nn_depthwise *l, uint32_t out_h, uint32_t out_w,
                 struct rt_range channels) {
  uint32_t filters[NN_DW_QUADS * 12], bits = l->weight_bits, bytes = nn_bits_bytes(9, bits);
  struct nn_dw_quads q;
  nn_dw_quads_fn *run = l->in_signed ? (l->out_signed ? nn_dw_quads_ss : nn_dw_quads_su)
                                     : (l->out_signed ? nn_dw_quads_us : nn_dw_quads_uu);
  add_bands(&q, l, out_h);
  q.filters = filters;
  q.shift = l->shift;
  q.pixel = l->channels;
  q.out_w = out_w;
  q.inside = !l->pad_left;
  q.next = (l->stride_h * l->in_w - 2 * out_w - q.inside) * l->channels;
  for (uint32_t c = channels.begin; c + 4 <= channels.end; c += 4 * q.count) {
    q.count = (channels.end - c) / 4;
    if (q.count > NN_DW_QUADS)
      q.count = NN_DW_QUADS;
    q.in = l->in + c;
    q.out = l->out + c;
    q.kappa = l->kappa + c;
    q.lambda = l->lambda + c;
    const uint8_t *w = (const uint8_t *)l->weights + c * bytes;
#pragma GCC unroll 1
    for (uint32_t i = 0; i < 4 * q.count; i++, w += bytes)
      filter_of(w, bits, filters + i / 4 * 12 + i % 4, i % 4);
    run(&q);
  }
}

#ifdef __riscv

_Static_assert(offsetof(struct nn_dw_quads, band) == 48, "nn_dw_quad.S knows the offsets");

#else

static int32_t byte_of(const uint8_t *at, bool is_signed) {
  return is_signed ? (int8_t)*at : *at;
}
static int32_t weight(uint32_t word, uint32_t i) {
  return (int8_t)(word >> 8 * i);
}

// Channel k of the window whose rows' second pixels are `at`; `first`: its first column is outside.
static int32_t sum_of(const struct nn_dw_quads *q, const uint32_t *filter,
                      const struct nn_dw_band *band, const uint8_t *const at[3], uint32_t k,
                      bool first, bool is_signed) {
  static const uint8_t taps[9][2] = {{0, 0}, {1, 0}, {0, 1}, {1, 1}, {0, 2},
                                     {1, 2}, {2, 1}, {2, 2}, {2, 0}};
  int32_t sum = 0;
  for (uint32_t i = 0; i < 9; i++) {
    uint32_t word = filter[i / 4 * 4 + k] & band->mask[i / 4];
    if (taps[i][1] > 0 || !first)
      sum += byte_of(at[taps[i][0]] + taps[i][1] * q->pixel - q->pixel + k, is_signed) *
             weight(word, i < 8 ? i % 4 : k);
  }
  return sum;
}

static void band_of(const struct nn_dw_quads *q, const struct nn_dw_band *b, uint32_t quad,
                    uint8_t *out, bool in_signed, bool out_signed) {
  int32_t least = out_signed ? -128 : 0;
  size_t row = q->next + (2 * q->out_w + q->inside) * (size_t)q->pixel;
  for (uint32_t i = 0; i < b->count * q->out_w; i++, out += q->pixel) {
    uint32_t x = i % q->out_w;
    size_t p = i / q->out_w * row + (2 * x + q->inside) * (size_t)q->pixel + (size_t)quad * 4;
    const uint8_t *const at[3] = {q->in + b->rows[0] + p, q->in + b->rows[1] + p,
                                  q->in + b->rows[2] + p};
    for (uint32_t k = 0; k < 4; k++) {
      uint32_t sum = (uint32_t)sum_of(q, q->filters + (size_t)quad * 12, b, at, k,
                                      x == 0 && !q->inside, in_signed);
      uint32_t c = quad * 4 + k;
      int32_t v = (int32_t)(sum * (uint32_t)q->kappa[c] + (uint32_t)q->lambda[c]) >> q->shift;
      out[k] = (uint8_t)(v < least ? least : v > least + 255 ? least + 255 : v);
    }
  }
}

static void run(const struct nn_dw_quads *q, bool in_signed, bool out_signed) {
  for (uint32_t quad = 0; quad < q->count; quad++) {
    uint8_t *out = q->out + (size_t)quad * 4;
    for (const struct nn_dw_band *b = q->band; b < q->band + q->bands; b++) {
      band_of(q, b, quad, out, in_signed, out_signed);
      out += (size_t)b->count * q->out_w * q->pixel;
    }
  }
}

#define DEFINE(signs, in_signed, out_signed)                                                       \
  void nn_dw_quads_##signs(const struct nn_dw_quads *q) {                                          \
    run(q, in_signed, out_signed);                                                                 \
  }
DEFINE(uu, false, false)
DEFINE(us, false, true)
DEFINE(su, true, false)
DEFINE(ss, true, true)

#endif
