// deploy/lower/fit.c: see fit.h.
#include "deploy/lower/fit.h"

#include <math.h>
#include <stdlib.h>

#include "deploy/memory.h"

enum { TRIED = 512, SHIFT_MOST = 62 };

void fit_begin(struct fit *fit, uint32_t channels, int32_t low, int32_t high, bool is_signed) {
  *fit = (struct fit){.count = channels, .low = low, .high = high, .bits = 8};
  fit->is_signed = is_signed;
  fit->channels = memory_new(channels, sizeof *fit->channels);
}

void fit_end(struct fit *fit) {
  free(fit->channels);
  fit->channels = NULL;
}

void fit_function(struct fit *fit, uint32_t c, int64_t least, int64_t most, double factor,
                  int64_t (*code)(const void *data, int64_t sum), const void *data) {
  struct fit_channel *channel = &fit->channels[c];
  channel->factor = factor;
  for (int32_t k = fit->low + 1; k <= fit->high; k++) {
    int64_t below = least - 1, from = most + 1; // the code of `below` is lower, that of `from` not
    while (from - below > 1) {
      int64_t middle = below + (from - below) / 2;
      if (code(data, middle) >= k)
        from = middle;
      else
        below = middle;
    }
    bool never = from > most, always = below < least;
    channel->first[k - fit->low - 1] = never ? INT64_MAX : from;
    channel->last[k - fit->low - 1] = always ? INT64_MIN : below;
  }
}

// ---------------------------------------------------------------------------- a product

static bool within(int64_t x) {
  const int64_t limit = (int64_t)1 << 61;
  return x >= -limit && x <= limit;
}

// The lambdas that do for this kappa: *low..*high.
static bool interval(const struct fit *fit, uint32_t c, int64_t kappa, int shift, int64_t *low,
                     int64_t *high) {
  const struct fit_channel *channel = &fit->channels[c];
  const int64_t limit = (int64_t)1 << 61;
  *low = -limit, *high = limit;
  for (int32_t k = fit->low + 1; k <= fit->high; k++) {
    int64_t first = channel->first[k - fit->low - 1], last = channel->last[k - fit->low - 1];
    int64_t step = (int64_t)((uint64_t)(int64_t)k << shift);
    if (first != INT64_MAX && step - kappa * first > *low)
      *low = step - kappa * first;
    if (last != INT64_MIN && step - kappa * last - 1 < *high)
      *high = step - kappa * last - 1;
  }
  return *low <= *high;
}

// kappa and lambda of one channel, nearest to the function's factor.
static bool fit_channel(const struct fit *fit, uint32_t c, int shift, int32_t *kappa,
                        int64_t *lambda) {
  double ideal = ldexp(fit->channels[c].factor, shift);
  if (!(ideal >= 0 && ideal <= INT32_MAX))
    return false;
  int64_t centre = llround(ideal), low, high;
  for (int64_t i = 0; i < TRIED; i++) {
    int64_t k = centre + (i % 2 ? -(i / 2) - 1 : i / 2);
    if (k < 0 || k > INT32_MAX || !interval(fit, c, k, shift, &low, &high))
      continue;
    *kappa = (int32_t)k;
    *lambda = low + (high - low) / 2;
    return within(*lambda);
  }
  return false;
}

static double largest_factor(const struct fit *fit) {
  double most = 0;
  for (uint32_t c = 0; c < fit->count; c++)
    most = fmax(most, fit->channels[c].factor);
  return most;
}

// The largest shift for which codes and products stay within 62 bits.
static int shift_of(const struct fit *fit) {
  int exponent;
  frexp(largest_factor(fit), &exponent); // factor < 2^exponent
  int shift = 31 - exponent;
  return shift > SHIFT_MOST - 9 ? SHIFT_MOST - 9 : shift < 0 ? 0 : shift;
}

static bool fit_products(const struct fit *fit, struct net_requant *rq) {
  int shift = shift_of(fit);
  rq->kind = NET_NORM, rq->wide = true, rq->shift = (uint8_t)shift;
  rq->kappa = memory_new(fit->count, sizeof *rq->kappa);
  rq->lambda = memory_new(fit->count, sizeof *rq->lambda);
  bool good = true;
  for (uint32_t c = 0; good && c < fit->count; c++)
    good = fit_channel(fit, c, shift, &rq->kappa[c], &rq->lambda[c]);
  if (good)
    return true;
  free(rq->kappa);
  free(rq->lambda);
  rq->kappa = NULL, rq->lambda = NULL, rq->wide = false, rq->shift = 0;
  return false;
}

// ---------------------------------------------------------------------------- thresholds

static int32_t threshold(const struct fit *fit, uint32_t c, int32_t code) {
  if (code <= fit->low)
    return INT32_MIN;
  int64_t first = code > fit->high ? INT64_MAX : fit->channels[c].first[code - fit->low - 1];
  return first > INT32_MAX ? INT32_MAX : first < INT32_MIN ? INT32_MIN : (int32_t)first;
}

static void fit_thresholds(const struct fit *fit, struct net_requant *rq) {
  uint32_t steps = (1u << fit->bits) - 1;
  rq->kind = NET_THRESHOLDS;
  rq->zero = fit->is_signed ? -(1 << (fit->bits - 1)) : 0;
  rq->thresholds = memory_new((size_t)fit->count * steps, sizeof *rq->thresholds);
  for (uint32_t c = 0; c < fit->count; c++)
    for (uint32_t i = 0; i < steps; i++)
      rq->thresholds[(size_t)c * steps + i] = threshold(fit, c, rq->zero + (int32_t)i + 1);
}

void fit_requant(const struct fit *fit, struct net_requant *rq) {
  rq->low = fit->low, rq->high = fit->high;
  if (!fit_products(fit, rq))
    fit_thresholds(fit, rq);
}
