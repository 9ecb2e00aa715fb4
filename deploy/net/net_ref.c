// deploy/net/net_ref.c
#include "net_ref.h"

// The high half of 2 * a * b, to nearest: halves up where the product is positive, and where it is
// negative towards zero after gemmlowp's nudge; the one product that does not fit saturates.
static int32_t doubling_high(int32_t a, int32_t b) {
  if (a == INT32_MIN && b == INT32_MIN)
    return INT32_MAX;
  int64_t ab = (int64_t)a * b, nudge = ab >= 0 ? 1 << 30 : 1 - (1 << 30);
  return (int32_t)((ab + nudge) / ((int64_t)1 << 31));
}

static int32_t divided_by_power(int32_t x, int exponent) {
  int32_t mask = (int32_t)((1u << exponent) - 1), rest = x & mask;
  int32_t threshold = (mask >> 1) + (x < 0);
  return (x >> exponent) + (rest > threshold);
}

int32_t net_multiply_q31(int32_t x, int32_t multiplier, int shift) {
  int left = shift > 0 ? shift : 0, right = shift > 0 ? 0 : -shift;
  return divided_by_power(doubling_high((int32_t)((uint32_t)x << left), multiplier), right);
}

static uint32_t passed(const int32_t *thresholds, uint32_t count, int32_t sum) {
  uint32_t low = 0, high = count;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    if (thresholds[middle] <= sum)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static int64_t divided(const struct net_requant *rq, int32_t sum, uint32_t pixels) {
  int64_t divisor = rq->divisor ? (uint32_t)rq->divisor : pixels, half = divisor / 2;
  if (rq->round)
    return sum > 0 ? (sum + half) / divisor : (sum - half) / divisor;
  return sum / divisor - (sum % divisor < 0);
}

// kappa * sum + lambda: exact if wide, else at 32 bits.
static int64_t normalized(const struct net_requant *rq, int32_t sum, int64_t lambda,
                          int32_t kappa) {
  if (rq->wide)
    return (int64_t)kappa * sum + lambda;
  return (int32_t)((uint32_t)kappa * (uint32_t)sum + (uint32_t)lambda);
}

// floor(x * m / 2^shift), whose product may need more than 64 bits if x is wide.
static int64_t scaled_by(int64_t x, int32_t m, uint32_t shift) {
  __extension__ typedef __int128 int128;
  int128 y = ((int128)x * m) >> shift;
  return y > INT64_MAX ? INT64_MAX : y < INT64_MIN ? INT64_MIN : (int64_t)y;
}

static int64_t shifted(int64_t x, int by) {
  return x >> (by > 63 ? 63 : by);
}

static int64_t before_clip(const struct net_requant *rq, int32_t sum, uint32_t c, uint32_t pixels,
                           uint32_t bits) {
  uint32_t set = rq->per_channel ? c : 0, steps = (1u << bits) - 1;
  int64_t lambda = rq->lambda ? rq->lambda[c] : 0;
  uint32_t point = rq->kind == NET_ICN ? rq->shift : 0;
  int32_t biased = (int32_t)(((uint32_t)sum << point) + (uint32_t)lambda);
  switch (rq->kind) {
  case NET_NORM:
    return normalized(rq, sum, lambda, rq->kappa[set]) >> rq->shift;
  case NET_SCALE:
    return scaled_by(normalized(rq, sum, lambda, rq->kappa[set]), rq->m, rq->shift);
  case NET_ICN:
    return shifted((int64_t)biased * rq->kappa[set], 31 + (int)point - rq->shifts[set]) + rq->zero;
  case NET_THRESHOLDS:
    return (int64_t)passed(rq->thresholds + (size_t)set * steps, steps, sum) + rq->zero;
  case NET_FOLDED:
    return biased >> rq->shifts[set];
  case NET_TFLITE:
    return (int64_t)net_multiply_q31(biased, rq->kappa[set], rq->shifts[set]) + rq->zero;
  case NET_DIVIDE:
    return divided(rq, sum, pixels);
  default:
    return sum;
  }
}

int32_t net_requantized(const struct net_requant *rq, int32_t sum, uint32_t c, uint32_t bits,
                        uint32_t pixels) {
  if (rq->kind == NET_SUMS)
    return (int32_t)((uint32_t)sum + (rq->lambda ? (uint32_t)rq->lambda[c] : 0));
  int64_t y = before_clip(rq, sum, c, pixels, bits);
  return (int32_t)(y < rq->low ? rq->low : y > rq->high ? rq->high : y);
}

int32_t net_scaled_value(const struct net_scaled *s, int32_t code) {
  int32_t x = code - s->zero;
  if (s->fixed)
    return (
        int32_t)((uint32_t)net_multiply_q31((int32_t)((uint32_t)x << s->shift), s->mul, s->left) +
                 (uint32_t)s->add);
  return (int32_t)(((int64_t)x * s->mul + s->add) >> s->shift);
}
