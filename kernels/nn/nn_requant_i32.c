// kernels/nn/nn_requant_i32.c
#include "nn_requant_i32.h"

#include <stddef.h>

#include "kernels/rt/rt.h"
#include "nn_bits.h"
#include "nn_rescale.h"

uint32_t nn_requant_i32_bytes(const struct nn_requant_i32 *rq, uint32_t channels) {
  uint32_t sets = rq->per_channel ? channels : 1, bias = 4 * channels;
  switch (rq->scheme) {
  case NN_SCALE:
    return 4 * sets + bias + 4 + 1; // and m, shift
  case NN_ICN:
    return 5 * sets + bias + 1; // and zero
  case NN_THRESHOLDS:
    return 4 * sets * ((1u << rq->bits) - 1);
  case NN_WIDE:
    return 4 * sets + 2 * bias + 1; // and shift
  case NN_WIDE_SCALE:
    return 4 * sets + 2 * bias + 4 + 1; // and m, shift
  case NN_TFLITE:
    return 5 * sets + bias + 3; // and zero, low, high
  default:
    return sets + bias;
  }
}

// The range of outputs.
static inline int32_t least_of(const struct nn_requant_i32 *rq) {
  return rq->out_signed ? -(1 << (rq->bits - 1)) : 0;
}
static inline int32_t most_of(const struct nn_requant_i32 *rq) {
  return least_of(rq) + (1 << rq->bits) - 1;
}

static bool is_wide(const struct nn_requant_i32 *rq) {
  return rq->scheme == NN_WIDE || rq->scheme == NN_WIDE_SCALE;
}

static bool in_range(const struct nn_requant_i32 *rq) {
  if (rq->scheme == NN_SCALE || is_wide(rq))
    return rq->shift <= 62;
  bool zero = rq->zero >= -255 && rq->zero <= 255;
  if (rq->scheme == NN_TFLITE)
    return rq->low >= least_of(rq) && rq->low <= rq->high && rq->high <= most_of(rq) && zero;
  return rq->scheme != NN_ICN || (zero && rq->shift <= 2);
}

enum kernel_status nn_requant_i32_check(const struct nn_requant_i32 *rq) {
  if (rq->scheme > NN_WIDE_SCALE || !nn_bits_valid(rq->bits) || !in_range(rq))
    return KERNEL_BAD_SHAPE;
  bool table = rq->scheme == NN_THRESHOLDS, wide = is_wide(rq);
  bool factor = !table && rq->scheme != NN_FOLDED;
  bool shifts = !table && !wide && rq->scheme != NN_SCALE;
  if ((factor && !rq->factor) || (shifts && !rq->shifts) || (table && !rq->thresholds) ||
      (wide && !rq->wide_bias) || (!table && !wide && !rq->bias))
    return KERNEL_BAD_POINTER;
  return KERNEL_OK;
}

// ---- one output, before the clip; `at` is the channel, or 0 if all have one set

static inline int32_t multiply_shift(int32_t v, int32_t m, uint32_t shift) {
  return nn_shifted((int64_t)v * m, shift);
}

static inline int32_t add(int32_t a, int32_t b) {
  return (int32_t)((uint32_t)a + (uint32_t)b);
}

typedef int32_t scheme_fn(const struct nn_requant_i32 *rq, int32_t phi, uint32_t c, uint32_t at);

static int32_t scale(const struct nn_requant_i32 *rq, int32_t phi, uint32_t c, uint32_t at) {
  int32_t v = (int32_t)((uint32_t)rq->factor[at] * (uint32_t)phi + (uint32_t)rq->bias[c]);
  return multiply_shift(v, rq->m, rq->shift);
}

static int32_t icn(const struct nn_requant_i32 *rq, int32_t phi, uint32_t c, uint32_t at) {
  int32_t x = add((int32_t)((uint32_t)phi << rq->shift), rq->bias[c]);
  uint32_t by = (uint32_t)(31 + rq->shift - rq->shifts[at]);
  int32_t v = multiply_shift(x, rq->factor[at], by > 63 ? 63 : by);
  return v > INT32_MAX - 255 || v < INT32_MIN + 255 ? v : v + rq->zero;
}

// By halves.
static int32_t thresholds(const struct nn_requant_i32 *rq, int32_t phi, uint32_t c, uint32_t at) {
  uint32_t half = 1u << (rq->bits - 1), below = 0;
  const int32_t *row = rq->thresholds + (size_t)at * (2 * half - 1);
  (void)c;
  for (; half > 0; half /= 2)
    below += phi >= row[below + half - 1] ? half : 0;
  return (int32_t)below + least_of(rq);
}

static int32_t folded(const struct nn_requant_i32 *rq, int32_t phi, uint32_t c, uint32_t at) {
  return add(phi, rq->bias[c]) >> rq->shifts[at];
}

// A sum of two 64-bit values that wraps there.
static int32_t wide(const struct nn_requant_i32 *rq, int32_t phi, uint32_t c, uint32_t at) {
  int64_t product = (int64_t)rq->factor[at] * phi;
  return nn_shifted((int64_t)((uint64_t)product + (uint64_t)rq->wide_bias[c]), rq->shift);
}

static int32_t wide_scale(const struct nn_requant_i32 *rq, int32_t phi, uint32_t c, uint32_t at) {
  int64_t product = (int64_t)rq->factor[at] * phi;
  int64_t v = (int64_t)((uint64_t)product + (uint64_t)rq->wide_bias[c]);
  // v * m = high * 2^32 + low, high with 63 bits
  uint64_t low = (uint64_t)(uint32_t)v * (uint32_t)rq->m;
  int64_t high = (v >> 32) * rq->m + (int64_t)(low >> 32);
  if (rq->m < 0)
    high -= (int64_t)(uint32_t)v; // its low half was taken for m + 2^32
  if (rq->shift >= 32)
    return nn_shifted(high, rq->shift - 32u);
  int64_t least = INT32_MIN, most = INT32_MAX, y;
  if (high < least || high > most)
    return high < 0 ? INT32_MIN : INT32_MAX;
  y = (int64_t)((uint64_t)high << 32 | (uint32_t)low) >> rq->shift;
  return y < least ? INT32_MIN : y > most ? INT32_MAX : (int32_t)y;
}

static int32_t tflite(const struct nn_requant_i32 *rq, int32_t phi, uint32_t c, uint32_t at) {
  int32_t x = add(phi, rq->bias[c]), zero = rq->zero;
  int32_t y = rq->round_once ? nn_rescale_once(x, rq->factor[at], rq->shifts[at])
                             : nn_rescale_twice(x, rq->factor[at], rq->shifts[at]);
  int32_t low = rq->low - zero, high = rq->high - zero;
  return zero + (y < low ? low : y > high ? high : y);
}

static scheme_fn *scheme_of(const struct nn_requant_i32 *rq) {
  static scheme_fn *const all[] = {
      [NN_SCALE] = scale,   [NN_ICN] = icn,   [NN_THRESHOLDS] = thresholds,
      [NN_FOLDED] = folded, [NN_WIDE] = wide, [NN_WIDE_SCALE] = wide_scale,
      [NN_TFLITE] = tflite};
  return all[rq->scheme];
}

// ---- pixels

static inline uint32_t clipped(const struct nn_requant_i32 *rq, int32_t y) {
  int32_t least = least_of(rq), most = most_of(rq);
  return (uint32_t)(y < least ? least : y > most ? most : y) & ((1u << rq->bits) - 1);
}

uint32_t nn_requant_i32_value(const struct nn_requant_i32 *rq, int32_t sum, uint32_t c) {
  return clipped(rq, scheme_of(rq)(rq, sum, c, rq->per_channel ? c : 0));
}

void nn_requant_i32_pixel(const struct nn_requant_i32 *given, const int32_t *sums, uint8_t *out,
                          uint32_t begin, uint32_t end) {
  const struct nn_requant_i32 local = *given, *rq = &local;
  scheme_fn *scheme = scheme_of(rq);
  uint32_t byte = 0, used = 0;
  out += begin * rq->bits / 8;
  for (uint32_t c = begin; c < end; c++) {
    byte |= clipped(rq, scheme(rq, *sums++, c, rq->per_channel ? c : 0)) << used;
    used += rq->bits;
    if (used == 8 || c + 1 == end) {
      *out++ = (uint8_t)byte;
      byte = used = 0;
    }
  }
}

enum kernel_status nn_requant_i32(const struct nn_requant_i32 *rq, const int32_t *sums,
                                  uint8_t *out, uint32_t pixels, uint32_t channels) {
  KERNEL_CHECK(nn_requant_i32_check(rq));
  KERNEL_CHECK(pixels && channels ? KERNEL_OK : KERNEL_BAD_SHAPE);
  KERNEL_CHECK(sums && (uintptr_t)sums % 4 == 0 && out ? KERNEL_OK : KERNEL_BAD_POINTER);
  uint32_t groups = (channels + 3) / 4, bytes = nn_bits_bytes(channels, rq->bits);
  struct rt_range mine = rt_split(pixels * groups, 1);
  for (uint32_t at = mine.begin; at < mine.end;) {
    uint32_t p = at / groups, last = (p + 1) * groups; // this pixel's, as far as they are ours
    last = last < mine.end ? last : mine.end;
    uint32_t begin = (at - p * groups) * 4, end = (last - p * groups) * 4;
    nn_requant_i32_pixel(rq, sums + (size_t)p * channels + begin, out + (size_t)p * bytes, begin,
                         end < channels ? end : channels);
    at = last;
  }
  return KERNEL_OK;
}
