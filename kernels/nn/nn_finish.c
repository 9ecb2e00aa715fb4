// kernels/nn/nn_finish.c: which ends there are, their parameters, and what they compute, in C.
#include "nn_finish.h"

#include <stddef.h>

#include "nn_bits.h"
#include "nn_finish_names.h"
#include "nn_rescale.h"

// ---- which, and their parameters

static bool icn_fits(const struct nn_requant_i32 *rq, uint32_t sets, uint32_t channels) {
  if (rq->shift > 0)
    return false;
  for (uint32_t i = 0; i < sets; i++) {
    if (rq->factor[i] < 0 || rq->shifts[i] < -22 || rq->shifts[i] > 0)
      return false;
  }
  for (uint32_t i = 0; i < channels && rq->zero; i++) {
    if (rq->bias[i] < -(1 << 29) || rq->bias[i] > 1 << 29)
      return false;
  }
  return true;
}

static uint32_t size_of(int32_t v) {
  return v < 0 ? 0u - (uint32_t)v : (uint32_t)v;
}

// By how much to the left; 0: it does not fit.
static uint8_t left_of(const struct nn_requant_i32 *rq, uint32_t sets, uint32_t channels,
                       uint32_t sums) {
  int32_t left = rq->shift;
  for (uint32_t i = 0; i < sets; i++)
    left = rq->shifts[i] > left ? rq->shifts[i] : left;
  if (left > 28 || sums > 1u << 28 >> left)
    return 0;
  for (uint32_t i = 0; i < sets; i++) {
    if (rq->factor[i] < 0 || rq->shifts[i] < left - 22)
      return 0;
  }
  for (uint32_t i = 0; i < channels; i++) {
    if (size_of(rq->bias[i]) > 1u << 29 >> (left - rq->shift))
      return 0;
  }
  return (uint8_t)left;
}

bool nn_end_tflite(const struct nn_requant_i32 *rq, uint32_t begin, uint32_t end, uint32_t sums,
                   int32_t most_shift) {
  for (uint32_t c = begin; c < end; c++) {
    uint32_t set = rq->per_channel ? c : 0;
    int32_t factor = rq->factor[set], shift = rq->shifts[set];
    if (factor == 0 && shift <= 0)
      continue;
    if (factor < 0 || shift > most_shift)
      return false;
    uint64_t most = size_of(rq->bias[c]) + (uint64_t)sums * 2;
    // Behind the product, which is rounded, half a step is added.
    most = (most < 1u << 31 ? most : 1u << 31) * (uint32_t)factor >> 31;
    if (most + 1 + (1u << -shift >> 1) > INT32_MAX)
      return false;
  }
  return !rq->round_once;
}

static enum nn_end_kind tflite_end(const struct nn_requant_i32 *rq, uint32_t channels,
                                   uint32_t sums) {
  if (rq->low == rq->zero && rq->bits == 8 && nn_end_tflite(rq, 0, channels, sums, 0))
    return NN_END_TFLITE_RELU;
  return nn_end_tflite(rq, 0, channels, sums, -1) ? NN_END_TFLITE : NN_END_NONE;
}

static struct nn_end icn_end(const struct nn_requant_i32 *rq, uint32_t sets, uint32_t channels,
                             uint32_t sums) {
  if (icn_fits(rq, sets, channels))
    return (struct nn_end){NN_END_ICN, 0};
  uint8_t left = left_of(rq, sets, channels, sums);
  return (struct nn_end){left > 0 ? NN_END_ICN_LEFT : NN_END_NONE, left};
}

static bool scale_fits(const struct nn_requant_i32 *rq) {
  return rq->shift + rq->bits <= 31 && rq->m > 0 && (uint32_t)rq->m <= 1u << rq->shift;
}

static enum nn_end_kind kind_of(const struct nn_requant_i32 *rq, uint32_t channels, uint32_t sums) {
  switch (rq->scheme) {
  case NN_SCALE:
    return scale_fits(rq) ? NN_END_SCALE : NN_END_NONE;
  case NN_THRESHOLDS:
    return NN_END_THRESHOLDS;
  case NN_FOLDED:
    return NN_END_FOLDED;
  case NN_TFLITE:
    return tflite_end(rq, channels, sums);
  default:
    return NN_END_NONE;
  }
}

struct nn_end nn_end_of(const struct nn_requant_i32 *rq, uint32_t channels, uint32_t sums) {
  uint32_t sets = rq->per_channel ? channels : 1;
  if (rq->out_signed && rq->scheme != NN_TFLITE)
    return (struct nn_end){NN_END_NONE, 0};
  if (rq->scheme == NN_ICN)
    return icn_end(rq, sets, channels, sums);
  return (struct nn_end){(uint8_t)kind_of(rq, channels, sums), 0};
}

void nn_finish_pair(const struct nn_requant_i32 *rq, struct nn_end end, uint32_t f, uint32_t lambda,
                    uint32_t pair[2]) {
  uint32_t set = rq->per_channel ? f : 0;
  pair[0] = 0;
  pair[1] = lambda;
  switch (rq->scheme) {
  case NN_SCALE:
    pair[0] = (uint32_t)rq->factor[set];
    pair[1] = pair[0] * lambda + (uint32_t)rq->bias[f];
    break;
  case NN_ICN:
    pair[0] = (uint32_t)rq->factor[set] * 2;
    pair[1] = (lambda << end.left) + ((uint32_t)rq->bias[f] << (end.left - rq->shift));
    break;
  case NN_TFLITE:
    pair[0] = (uint32_t)rq->factor[set] * 2;
    pair[1] += (uint32_t)rq->bias[f];
    break;
  case NN_FOLDED:
    pair[0] = (uint32_t)rq->shifts[set];
    pair[1] += (uint32_t)rq->bias[f];
    break;
  default:
    break;
  }
}

void nn_finish_prepare(struct nn_strip_mixed *s, const struct nn_requant_i32 *rq, struct nn_end end,
                       uint32_t first, uint32_t channels) {
  uint32_t row = 0; // bytes
  const uint8_t *rows = NULL;
  s->shift = end.kind == NN_END_ICN_LEFT ? end.left : rq->shift;
  if (rq->scheme == NN_SCALE) {
    s->limit = ((1u << (rq->shift + rq->bits)) - 1) / (uint32_t)rq->m;
    s->factor = (uint32_t)rq->m;
  } else if (rq->scheme == NN_ICN) {
    row = 1;
    rows = (const uint8_t *)rq->shifts;
    s->limit = (uint32_t)(int32_t)rq->zero;
  } else if (rq->scheme == NN_TFLITE) {
    row = 1;
    s->shifts = nn_bits_all(rq->shifts[0], 8);
    rows = rq->per_channel ? (const uint8_t *)rq->shifts : (const uint8_t *)&s->shifts;
    s->limit = rq->bits == 8 ? nn_bits_all(rq->zero, 8) : (uint32_t)(int32_t)rq->zero;
    s->factor = (uint32_t)(rq->low - rq->zero) & 0xffff;
    s->factor |= (uint32_t)(rq->high - rq->zero) << 16;
  } else if (rq->scheme == NN_THRESHOLDS) {
    row = 4 * ((1u << rq->bits) - 1);
    rows = (const uint8_t *)rq->thresholds;
  }
  s->row_step = rq->per_channel ? row : 0;
  s->row = rows ? rows + first * s->row_step : NULL;
  s->row_last = rows ? rows + (channels - 1) * s->row_step : NULL;
}

// ---- on the host

#ifndef __riscv

static uint32_t clipped(int32_t y, uint32_t bits) {
  int32_t top = (1 << bits) - 1;
  return (uint32_t)(y < 0 ? 0 : y > top ? top : y);
}

static uint32_t scale(const struct nn_strip_mixed *s, uint32_t f, uint32_t sum,
                      const uint32_t *pair, uint32_t bits) {
  int32_t v = (int32_t)(sum * pair[0] + pair[1]);
  uint32_t kept = v < 0 ? 0 : (uint32_t)v < s->limit ? (uint32_t)v : s->limit;
  (void)f;
  (void)bits;
  return kept * s->factor >> s->shift;
}

static uint32_t icn_by(const struct nn_strip_mixed *s, uint32_t f, uint32_t x, uint32_t m,
                       uint32_t left, uint32_t bits) {
  int32_t k = (int32_t)left - ((const int8_t *)s->row)[f * s->row_step];
  int32_t high = (int32_t)((int64_t)(int32_t)x * m >> 32);
  return clipped((high + (int32_t)(s->limit << k)) >> k, bits);
}

static uint32_t icn(const struct nn_strip_mixed *s, uint32_t f, uint32_t sum, const uint32_t *pair,
                    uint32_t bits) {
  return icn_by(s, f, sum + pair[1], pair[0], 0, bits);
}

static uint32_t icn_left(const struct nn_strip_mixed *s, uint32_t f, uint32_t sum,
                         const uint32_t *pair, uint32_t bits) {
  return icn_by(s, f, (sum << s->shift) + pair[1], pair[0], s->shift, bits);
}

static uint32_t thresholds(const struct nn_strip_mixed *s, uint32_t f, uint32_t sum,
                           const uint32_t *pair, uint32_t bits) {
  const int32_t *row = (const int32_t *)((const uint8_t *)s->row + f * s->row_step);
  uint32_t passed = 0;
  for (uint32_t i = 0; i < (1u << bits) - 1; i++)
    passed += row[i] <= (int32_t)(sum + pair[1]);
  return passed;
}

static uint32_t folded(const struct nn_strip_mixed *s, uint32_t f, uint32_t sum,
                       const uint32_t *pair, uint32_t bits) {
  (void)s;
  (void)f;
  return clipped((int32_t)(sum + pair[1]) >> pair[0], bits);
}

static uint32_t tflite(const struct nn_strip_mixed *s, uint32_t f, uint32_t sum,
                       const uint32_t *pair, uint32_t bits) {
  int32_t low = (int16_t)s->factor, high = (int32_t)s->factor >> 16;
  int32_t y = nn_rescale_twice((int32_t)(sum + pair[1]), (int32_t)(pair[0] / 2),
                               ((const int8_t *)s->row)[f * s->row_step]);
  (void)bits;
  return (uint32_t)(y < low ? low : y > high ? high : y) + s->limit;
}

static uint32_t tflite_relu(const struct nn_strip_mixed *s, uint32_t f, uint32_t sum,
                            const uint32_t *pair, uint32_t bits) {
  return tflite(s, f, sum, pair, bits);
}

// Filters that do not exist have no rows: what stands there is without effect.
#define DEFINE(s, b, u)                                                                            \
  void NAME(s, b, u)(const struct nn_strip_mixed *strip, uint8_t *pixel, uint32_t f, uint32_t sum, \
                     const uint32_t *pair) {                                                       \
    bool exists =                                                                                  \
        (const uint8_t *)strip->row + f * strip->row_step <= (const uint8_t *)strip->row_last;     \
    nn_bits_put(pixel, f, b, exists ? s(strip, f, sum, pair, b) : 0);                              \
  }
ALL(DEFINE, scale)
ALL(DEFINE, icn)
ALL(DEFINE, icn_left)
ALL(DEFINE, thresholds)
ALL(DEFINE, folded)
ALL(DEFINE, tflite)
PIXELS(DEFINE, tflite_relu, 8)

#endif
