// kernels/ref/ref_requant.c
#include "ref_requant.h"

static uint32_t passed(const int32_t *thresholds, uint32_t count, int32_t sum) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < count; i++)
    n += thresholds[i] <= sum;
  return n;
}

// ---- TensorFlow Lite, by quotients and remainders of magnitudes: no shift of a negative number

// dividend / 2^bits to the nearest, halves away from zero.
static int64_t nearest_away(int64_t dividend, uint32_t bits) {
  uint64_t size = dividend < 0 ? -(uint64_t)dividend : (uint64_t)dividend, by = (uint64_t)1 << bits;
  uint64_t quotient = size / by + (2 * (size % by) >= by && bits > 0);
  return dividend < 0 ? -(int64_t)quotient : (int64_t)quotient;
}

// The same, halves up.
static int64_t nearest_up(int64_t dividend, uint32_t bits) {
  int64_t away = nearest_away(dividend, bits);
  uint64_t size = dividend < 0 ? -(uint64_t)dividend : (uint64_t)dividend, by = (uint64_t)1 << bits;
  return away + (dividend < 0 && bits > 0 && 2 * (size % by) == by);
}

int32_t ref_scaled_twice(int32_t x, int32_t factor, int32_t shift) {
  int64_t left = shift > 0 ? (int64_t)1 << shift : 1;
  int64_t high =
      nearest_up((int64_t)(int32_t)(uint32_t)((uint64_t)x * (uint64_t)left) * factor, 31);
  if (high > INT32_MAX) // of -2^31 squared
    high = INT32_MAX;
  return (int32_t)nearest_away(high, shift < 0 ? (uint32_t)-shift : 0);
}

int64_t ref_scaled_once(int32_t x, int32_t factor, int32_t shift) {
  return nearest_up((int64_t)x * factor, (uint32_t)(31 - shift));
}

static int64_t tflite(const struct nn_requant_i32 *rq, int32_t x, uint32_t set) {
  int32_t factor = rq->factor[set], shift = rq->shifts[set];
  int64_t y = rq->zero + (rq->round_once ? ref_scaled_once(x, factor, shift)
                                         : (int64_t)ref_scaled_twice(x, factor, shift));
  return y < rq->low ? rq->low : y > rq->high ? rq->high : y;
}

// ---- v * m >> shift of magnitudes with 96 bits, as near as 32 bits come

static int64_t wide_scaled(int64_t v, int32_t m, uint32_t shift) {
  uint64_t a = v < 0 ? -(uint64_t)v : (uint64_t)v, b = m < 0 ? -(uint64_t)m : (uint64_t)m;
  uint64_t low = (a & UINT32_MAX) * b, high = (a >> 32) * b + (low >> 32), whole, rest;
  low &= UINT32_MAX;
  if (shift >= 32) {
    whole = high >> (shift - 32);
    rest = low | (high & (((uint64_t)1 << (shift - 32)) - 1));
  } else {
    whole = high > UINT32_MAX ? UINT32_MAX : (high << 32 | low) >> shift;
    rest = low & (((uint64_t)1 << shift) - 1);
  }
  whole = whole > UINT32_MAX ? UINT32_MAX : whole;
  return (v < 0) == (m < 0) ? (int64_t)whole : -(int64_t)(whole + (rest > 0));
}

static int64_t icn(const struct nn_requant_i32 *rq, int32_t x, uint32_t set) {
  int by = 31 + rq->shift - rq->shifts[set];
  return ((int64_t)x * rq->factor[set] >> (by > 63 ? 63 : by)) + rq->zero;
}

// ---- all schemes

uint32_t ref_requant_i32(const struct nn_requant_i32 *rq, int32_t sum, uint32_t c) {
  uint32_t set = rq->per_channel ? c : 0, range = 1u << rq->bits;
  int64_t least = rq->out_signed ? -(int64_t)(range / 2) : 0, most = least + range - 1, y;
  uint32_t phi = (uint32_t)sum;
  if (rq->scheme == NN_THRESHOLDS)
    y = least + passed(rq->thresholds + set * (range - 1), range - 1, sum);
  else if (rq->scheme == NN_SCALE)
    y = (int64_t)(int32_t)((uint32_t)rq->factor[set] * phi + (uint32_t)rq->bias[c]) * rq->m >>
        rq->shift;
  else if (rq->scheme == NN_ICN)
    y = icn(rq, (int32_t)((phi << rq->shift) + (uint32_t)rq->bias[c]), set);
  else if (rq->scheme == NN_WIDE)
    y = (int64_t)((uint64_t)rq->factor[set] * (uint64_t)sum + (uint64_t)rq->wide_bias[c]) >>
        rq->shift;
  else if (rq->scheme == NN_WIDE_SCALE)
    y = wide_scaled(
        (int64_t)((uint64_t)rq->factor[set] * (uint64_t)sum + (uint64_t)rq->wide_bias[c]), rq->m,
        rq->shift);
  else if (rq->scheme == NN_TFLITE)
    y = tflite(rq, (int32_t)(phi + (uint32_t)rq->bias[c]), set);
  else
    y = (int32_t)(phi + (uint32_t)rq->bias[c]) >> rq->shifts[set];
  return (uint32_t)(y < least ? least : y > most ? most : y) & (range - 1);
}
