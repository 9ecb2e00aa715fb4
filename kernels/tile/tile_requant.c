// kernels/tile/tile_requant.c
#include <stddef.h>

#include "tile_kernel.h"

struct tile_parameters tile_parameters(const struct tile_layer *l) {
  const struct tile_requant *rq = &l->requant;
  uint32_t sets = rq->per_channel ? l->tile_c : 1;
  bool table = rq->scheme == NN_THRESHOLDS, wide = rq->scheme == NN_WIDE;
  bool wide_bias = wide || rq->scheme == NN_WIDE_SCALE;
  bool factor = !table && rq->scheme != NN_FOLDED;
  bool shifts = rq->scheme == NN_ICN || rq->scheme == NN_FOLDED || rq->scheme == NN_TFLITE;
  struct tile_parameters at;
  at.wide_bias = 0;
  at.factor = at.wide_bias + (wide_bias ? 8u * l->tile_c : 0);
  at.bias = at.factor + (factor ? 4 * sets : 0);
  at.thresholds = at.bias + (table || wide_bias ? 0 : 4u * l->tile_c);
  at.shifts = at.thresholds + (table ? 4 * sets * ((1u << l->out_bits) - 1) : 0);
  at.end = (at.shifts + (shifts ? sets : 0) + 3) & ~3u;
  return at;
}

uint32_t tile_requant_bytes(const struct tile_layer *l) {
  return l->requant.used ? tile_parameters(l).end : 0;
}

struct nn_requant_i32 tile_requant_of(const struct tile_layer *l, const uint8_t *filters) {
  const struct tile_requant *rq = &l->requant;
  struct tile_parameters at = tile_parameters(l);
  const uint8_t *from = filters + l->filter_bytes;
  return (struct nn_requant_i32){.scheme = rq->scheme,
                                 .bits = l->out_bits,
                                 .per_channel = rq->per_channel,
                                 .shift = rq->shift,
                                 .zero = rq->zero,
                                 .m = rq->m,
                                 .factor = (const int32_t *)(const void *)(from + at.factor),
                                 .shifts = (const int8_t *)(from + at.shifts),
                                 .bias = (const int32_t *)(const void *)(from + at.bias),
                                 .thresholds =
                                     (const int32_t *)(const void *)(from + at.thresholds),
                                 .wide_bias = (const int64_t *)(const void *)(from + at.wide_bias),
                                 .out_signed = l->out_signed,
                                 .low = rq->low,
                                 .high = rq->high,
                                 .end = rq->end};
}
