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

// For sums of any size; results over the whole range, and saturated. `usual`: of the kind that
// nn_finish.h takes.
static inline struct nn_requant_i32 grid_requant_of(enum nn_scheme scheme, bool usual, uint8_t bits,
                                                    uint32_t channels, uint32_t *seed) {
  struct nn_requant_i32 rq = {.scheme = scheme,
                              .bits = bits,
                              .per_channel = grid_draw(seed, 0, 1),
                              .shift = (uint8_t)grid_draw(seed, 0, 62),
                              .zero = (uint8_t)grid_draw(seed, 0, 255),
                              .m = (int32_t)rt_random(seed) >> grid_draw(seed, 0, 30)};
  uint32_t sets = rq.per_channel ? channels : 1;
  if (usual) {
    rq.shift = (uint8_t)grid_draw(seed, 0, 31u - bits);
    rq.m = (int32_t)grid_draw(seed, 1, 1u << rq.shift);
  }
  if (rq.scheme == NN_THRESHOLDS) {
    rq.thresholds = grid_thresholds(sets, (1u << bits) - 1, seed);
    return rq;
  }
  int32_t *factor = (int32_t *)grid_take(sets * 4, 0),
          *bias = (int32_t *)grid_take(channels * 4, 0);
  int8_t *shifts = (int8_t *)grid_take(sets, 0);
  for (uint32_t i = 0; i < sets; i++) {
    factor[i] = (int32_t)rt_random(seed) >> (rq.scheme == NN_ICN ? 0 : grid_draw(seed, 8, 24));
    shifts[i] = (int8_t)grid_draw(seed, 0, 31);
    if (rq.scheme == NN_ICN)
      shifts[i] =
          (int8_t)(usual ? -(int32_t)grid_draw(seed, 1, 23) : (int32_t)grid_draw(seed, 0, 62) - 31);
  }
  for (uint32_t i = 0; i < channels; i++)
    bias[i] = (int32_t)rt_random(seed) >> grid_draw(seed, 0, 24);
  rq.factor = factor;
  rq.shifts = shifts;
  rq.bias = bias;
  return rq;
}

static inline struct nn_requant_i32 grid_requant(uint8_t bits, uint32_t channels, uint32_t *seed) {
  enum nn_scheme scheme = (enum nn_scheme)grid_draw(seed, NN_SCALE, NN_FOLDED);
  return grid_requant_of(scheme, grid_draw(seed, 0, 2) > 0, bits, channels, seed);
}

#endif
