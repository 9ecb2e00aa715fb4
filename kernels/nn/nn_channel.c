// kernels/nn/nn_channel.c: which end a scheme has, and what the assembly computes, in C.
#include "nn_channel.h"

#include <stddef.h>

#include "nn_finish.h"
#include "nn_rescale.h"

static bool tflite_fits(const struct nn_requant_i32 *rq, uint32_t c, uint32_t sums) {
  uint32_t set = rq->per_channel ? c : 0;
  if (rq->round_once)
    return rq->factor[set] >= 0 && rq->shifts[set] >= -20 && rq->shifts[set] < 0;
  return nn_end_tflite(rq, c, c + 1, sums, -1);
}

// Factors of 1 and more as they are normalized: what the clip to 24 bits takes is clipped anyway.
static bool icn_fits(const struct nn_requant_i32 *rq, uint32_t set) {
  return rq->scheme == NN_ICN && rq->shift == 0 && rq->factor[set] >= 0 &&
         (rq->shifts[set] <= 0 || (rq->shifts[set] <= 7 && rq->factor[set] >= 1 << 30));
}

// Any scheme, value by value.
static void by_values(const struct nn_requant_i32 *rq, const struct nn_channel *ch, uint32_t c) {
  uint8_t *out = ch->out;
  for (uint32_t i = 0; i < ch->count; i++, out += ch->step)
    *out = (uint8_t)nn_requant_i32_value(
        rq, (int32_t)((uint32_t)ch->sums[i] + (uint32_t)ch->lambda), c);
}

void nn_channel_by(const struct nn_requant_i32 *rq, struct nn_channel *ch, uint32_t c,
                   uint32_t sums) {
  uint32_t set = rq->per_channel ? c : 0;
  bool icn = icn_fits(rq, set);
  if (!icn && !(rq->scheme == NN_TFLITE && tflite_fits(rq, c, sums))) {
    by_values(rq, ch, c);
    return;
  }
  ch->kappa = (int32_t)((uint32_t)rq->factor[set] * 2);
  ch->lambda = (int32_t)((uint32_t)ch->lambda + (uint32_t)rq->bias[c]);
  ch->shift = (uint32_t)(rq->shifts[set] > 0 ? rq->shifts[set] : -rq->shifts[set]);
  ch->zero = rq->zero;
  int32_t low = rq->out_signed ? -(1 << (rq->bits - 1)) : 0, high = low + (1 << rq->bits) - 1;
  ch->low = (icn ? low : rq->low) - rq->zero;
  ch->high = (icn ? high : rq->high) - rq->zero;
  if (icn)
    (rq->shifts[set] > 0 ? nn_channel_icn_left : nn_channel_icn)(ch);
  else
    (rq->round_once ? nn_channel_tflite_once : nn_channel_tflite)(ch);
}

#ifdef __riscv

_Static_assert(offsetof(struct nn_channel, zero) == 36, "nn_channel.S knows the offsets");

#else

static int32_t within(int32_t value, int32_t low, int32_t high) {
  return value < low ? low : value > high ? high : value;
}

static void scaled(const struct nn_channel *s, int32_t low) {
  for (uint32_t i = 0; i < s->count; i++) {
    uint32_t v = (uint32_t)s->sums[i] * (uint32_t)s->kappa + (uint32_t)s->lambda;
    s->out[(size_t)i * s->step] = (uint8_t)within((int32_t)v >> s->shift, low, s->high);
  }
}
void nn_channel_u(const struct nn_channel *s) {
  scaled(s, 0);
}
void nn_channel_s(const struct nn_channel *s) {
  scaled(s, -s->high - 1);
}
void nn_channel_sums(const struct nn_channel *s) {
  for (uint32_t i = 0; i < s->count; i++)
    *(uint32_t *)(void *)(s->out + (size_t)i * s->step) =
        (uint32_t)s->sums[i] + (uint32_t)s->lambda;
}

static void tflite(const struct nn_channel *s, bool once) {
  for (uint32_t i = 0; i < s->count; i++) {
    int32_t x = (int32_t)((uint32_t)s->sums[i] + (uint32_t)s->lambda);
    int32_t factor = (int32_t)((uint32_t)s->kappa / 2), shift = -(int32_t)s->shift;
    int32_t y = once ? nn_rescale_once(x, factor, shift) : nn_rescale_twice(x, factor, shift);
    s->out[(size_t)i * s->step] = (uint8_t)(within(y, s->low, s->high) + s->zero);
  }
}
void nn_channel_icn(const struct nn_channel *s) {
  for (uint32_t i = 0; i < s->count; i++) {
    int64_t x = (int32_t)((uint32_t)s->sums[i] + (uint32_t)s->lambda), m = (uint32_t)s->kappa;
    int32_t y = (int32_t)(x * m >> 32) >> s->shift;
    s->out[(size_t)i * s->step] = (uint8_t)(within(y, s->low, s->high) + s->zero);
  }
}
void nn_channel_icn_left(const struct nn_channel *s) {
  for (uint32_t i = 0; i < s->count; i++) {
    int32_t x =
        within((int32_t)((uint32_t)s->sums[i] + (uint32_t)s->lambda), -(1 << 23), (1 << 23) - 1);
    int32_t y = (int32_t)(((int64_t)x * (1 << s->shift) * (uint32_t)s->kappa) >> 32);
    s->out[(size_t)i * s->step] = (uint8_t)(within(y, s->low, s->high) + s->zero);
  }
}
void nn_channel_tflite(const struct nn_channel *s) {
  tflite(s, false);
}
void nn_channel_tflite_once(const struct nn_channel *s) {
  tflite(s, true);
}

#endif
