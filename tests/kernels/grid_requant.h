// tests/kernels/grid_requant.h: requantizations of all schemes, for the grids.
#ifndef TESTS_GRID_REQUANT_H
#define TESTS_GRID_REQUANT_H

#include "grid.h"
#include "kernels/nn/nn_requant_i32.h"

// Ascending, equal ones among them.
static inline int32_t *grid_thresholds(uint32_t rows, uint32_t count, uint32_t *seed) {
  int32_t *thresholds = (int32_t *)grid_take(rows * count * 4, 0);
  uint32_t range = 1u << grid_draw(seed, 0, 16);
  for (uint32_t i = 0; i < rows * count; i++) {
    int32_t step = (int32_t)grid_draw(seed, 0, range);
    thresholds[i] = i % count ? thresholds[i - 1] + step : -step * (int32_t)(count / 2);
  }
  return thresholds;
}

// Zero point and activation of NN_TFLITE: the whole range, or part of it.
static inline void grid_range(struct nn_requant_i32 *rq, uint32_t *seed) {
  uint32_t top = (1u << rq->bits) - 1, low = grid_draw(seed, 0, top);
  int32_t least = rq->out_signed ? -(1 << (rq->bits - 1)) : 0;
  uint32_t high = grid_draw(seed, low, top), part = grid_draw(seed, 0, 1);
  rq->zero = (int16_t)(least + (int32_t)grid_draw(seed, 0, top));
  rq->low = (int16_t)(least + (int32_t)(part ? low : 0));
  rq->high = (int16_t)(least + (int32_t)(part ? high : top));
}

// For sums of any size; results over the whole range, and saturated. `usual`: of the kind that
// nn_finish.h takes.
static inline struct nn_requant_i32 grid_requant_of(enum nn_scheme scheme, bool usual, uint8_t bits,
                                                    bool out_signed, uint32_t channels,
                                                    uint32_t *seed) {
  struct nn_requant_i32 rq = {.scheme = scheme,
                              .bits = bits,
                              .per_channel = grid_draw(seed, 0, 1),
                              .shift = (uint8_t)grid_draw(seed, 0, 62),
                              .zero = (int16_t)grid_draw(seed, 0, 255),
                              .out_signed = out_signed,
                              .round_once = grid_draw(seed, 0, 1),
                              .m = (int32_t)rt_random(seed) >> grid_draw(seed, 0, 30)};
  if (scheme == NN_THRESHOLDS && channels << bits > 2048) // would not fit L1
    rq.per_channel = false;
  uint32_t sets = rq.per_channel ? channels : 1;
  if (scheme == NN_TFLITE)
    grid_range(&rq, seed);
  else if (out_signed && grid_draw(seed, 0, 1))
    rq.zero = (int16_t)-rq.zero;
  if (usual) {
    rq.shift = (uint8_t)grid_draw(seed, 0, 31u - bits);
    rq.m = (int32_t)grid_draw(seed, 1, 1u << rq.shift);
  }
  if (rq.scheme == NN_ICN)
    rq.shift = usual ? 0 : (uint8_t)grid_draw(seed, 0, 2);
  if (rq.scheme == NN_THRESHOLDS) {
    rq.thresholds = grid_thresholds(sets, (1u << bits) - 1, seed);
    return rq;
  }
  int32_t *factor = (int32_t *)grid_take(sets * 4, 0),
          *bias = (int32_t *)grid_take(channels * 4, 0);
  int8_t *shifts = (int8_t *)grid_take(sets, 0);
  int64_t *wide_bias = (int64_t *)grid_take(channels * 8, 0);
  for (uint32_t i = 0; i < sets; i++) {
    bool q31 = rq.scheme == NN_ICN || rq.scheme == NN_TFLITE;
    factor[i] = (int32_t)rt_random(seed) >> (q31 ? 0 : grid_draw(seed, 8, 24));
    shifts[i] = (int8_t)grid_draw(seed, 0, 31);
    if (rq.scheme == NN_ICN) {
      shifts[i] =
          (int8_t)(usual ? -(int32_t)grid_draw(seed, 0, 22) : (int32_t)grid_draw(seed, 0, 62) - 31);
      factor[i] &= usual ? INT32_MAX : -1;
    }
    if (rq.scheme == NN_TFLITE)
      shifts[i] = (int8_t)((int32_t)grid_draw(seed, 0, 61) - 31);
    if (rq.scheme == NN_TFLITE && usual) {
      factor[i] = (int32_t)((rt_random(seed) >> 2) | 1u << 30);
      shifts[i] = (int8_t) - (int32_t)grid_draw(seed, 1, 31);
      if (grid_draw(seed, 0, 7) == 0) // as of a channel without weights
        factor[i] = shifts[i] = 0;
    }
  }
  uint32_t least = usual && rq.scheme == NN_ICN ? 3 : usual && rq.scheme == NN_TFLITE;
  for (uint32_t i = 0; i < channels; i++) {
    bias[i] = (int32_t)rt_random(seed) >> grid_draw(seed, least, 24);
    wide_bias[i] = (int64_t)bias[i] * (1 << grid_draw(seed, 0, 30)) + (int32_t)rt_random(seed);
  }
  rq.wide_bias = wide_bias;
  rq.factor = factor;
  rq.shifts = shifts;
  rq.bias = bias;
  return rq;
}

// NN_ICN by factors of 1 and more, or with bits of the biases behind the point: what nn_finish.h
// takes to the left, by `most` at most; at least 2.
static inline struct nn_requant_i32 grid_icn_left(uint8_t bits, uint32_t channels, uint32_t most,
                                                  uint32_t *seed) {
  struct nn_requant_i32 rq = grid_requant_of(NN_ICN, false, bits, false, channels, seed);
  int32_t *factor = (int32_t *)(uintptr_t)rq.factor, *bias = (int32_t *)(uintptr_t)rq.bias;
  int8_t *shifts = (int8_t *)(uintptr_t)rq.shifts;
  uint32_t sets = rq.per_channel ? channels : 1, least = rq.shift ? rq.shift : 1u;
  uint32_t left = grid_draw(seed, least, most < 28 ? most : 28);
  for (uint32_t i = 0; i < sets; i++) {
    factor[i] = (int32_t)(rt_random(seed) >> 1);
    shifts[i] = (int8_t)((int32_t)left - (int32_t)(i ? grid_draw(seed, 0, 22) : 0));
  }
  for (uint32_t i = 0; i < channels; i++)
    bias[i] = (int32_t)rt_random(seed) >> grid_draw(seed, 2 + left - rq.shift, 31);
  return rq;
}

// NN_TFLITE as of a layer with a ReLU: from the zero point on; shifts also 0.
static inline struct nn_requant_i32 grid_relu(uint8_t bits, bool out_signed, uint32_t channels,
                                              uint32_t *seed) {
  struct nn_requant_i32 rq = grid_requant_of(NN_TFLITE, true, bits, out_signed, channels, seed);
  rq.zero = rq.low;
  rq.round_once = false;
  if (grid_draw(seed, 0, 1))
    ((int8_t *)(uintptr_t)rq.shifts)[0] = 0;
  return rq;
}

static inline struct nn_requant_i32 grid_requant(uint8_t bits, bool out_signed, uint32_t channels,
                                                 uint32_t *seed) {
  if (grid_draw(seed, 0, 7) == 0)
    return grid_relu(bits, out_signed, channels, seed);
  enum nn_scheme scheme = (enum nn_scheme)grid_draw(seed, NN_SCALE, NN_WIDE_SCALE);
  return grid_requant_of(scheme, grid_draw(seed, 0, 2) > 0, bits, out_signed, channels, seed);
}

#endif
