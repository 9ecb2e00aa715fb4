// kernels/ref/ref_requant.c
#include "ref_requant.h"

static uint32_t passed(const int32_t *thresholds, uint32_t count, int32_t sum) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < count; i++)
    n += thresholds[i] <= sum;
  return n;
}

uint32_t ref_requant_i32(const struct nn_requant_i32 *rq, int32_t sum, uint32_t c) {
  uint32_t set = rq->per_channel ? c : 0;
  int64_t top = (1 << rq->bits) - 1, y;
  if (rq->scheme == NN_THRESHOLDS)
    return passed(rq->thresholds + set * (uint32_t)top, (uint32_t)top, sum);
  uint32_t bias = (uint32_t)rq->bias[c], phi = (uint32_t)sum;
  if (rq->scheme == NN_SCALE)
    y = (int64_t)(int32_t)((uint32_t)rq->factor[set] * phi + bias) * rq->m >> rq->shift;
  else if (rq->scheme == NN_ICN)
    y = ((int64_t)(int32_t)(phi + bias) * rq->factor[set] >> (31 - rq->shifts[set])) + rq->zero;
  else
    y = (int32_t)(phi + bias) >> rq->shifts[set];
  return (uint32_t)(y < 0 ? 0 : y > top ? top : y);
}
