// kernels/nn/nn_requant_i32.h: from 32-bit sums to activations of 8, 4 or 2 bits, by any of the
// schemes of the literature. nn_mixed.h applies them by the way (member `requant`,
// fastest where nn_finish.h has an end for them); nn_requant_i32() to sums that stand in memory.
// phi is a sum, c its channel, clip is to 0..2^bits
// - 1; a shift right rounds down.
//
//   NN_SCALE       clip(((factor[c] * phi + bias[c]) * m) >> shift)
//                  DORY: factor is kappa, bias lambda; Burrello et al., IEEE TC 70 (2021)
//   NN_ICN         clip(zero + (((phi + bias[c]) * factor[c]) >> (31 - shifts[c])))
//                  integer channel normalization: factor is M0 in Q31, shifts N0, bias Bq, zero
//                  Zy; Rusci et al., "Memory-driven mixed low precision quantization", MLSys 2020
//   NN_THRESHOLDS  number of thresholds[c][] that are <= phi (ascending)
//                  Rusci et al. 2020; for a negative scale negate the filter's weights
//   NN_FOLDED      clip((phi + bias[c]) >> shifts[c])
//                  batch normalization folded into weights and bias, a shift for the rest; PULP-NN:
//                  Garofalo et al. 2020
//
// The inner sum or difference, and factor * phi + bias of NN_SCALE, wrap at 32 bits; the product by
// m or M0 has 64. `per_channel` says whether factor, shifts and thresholds have an element (a row)
// per channel or one for all; bias always has one per channel.
#ifndef NN_REQUANT_I32_H
#define NN_REQUANT_I32_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/status.h"

enum nn_scheme { NN_SCALE, NN_ICN, NN_THRESHOLDS, NN_FOLDED };

struct nn_requant_i32 {
  enum nn_scheme scheme;
  uint8_t bits; // of the outputs: 8, 4, 2
  bool per_channel;
  uint8_t shift;             // NN_SCALE: 0..62
  uint8_t zero;              // NN_ICN
  int32_t m;                 // NN_SCALE
  const int32_t *factor;     // NN_SCALE, NN_ICN
  const int8_t *shifts;      // NN_ICN: -31..31; NN_FOLDED: 0..31
  const int32_t *bias;       // all but NN_THRESHOLDS: [channels]
  const int32_t *thresholds; // [channels or 1][2^bits - 1]
};

// Bytes that a layer's parameters take, `bits` and the flags apart.
uint32_t nn_requant_i32_bytes(const struct nn_requant_i32 *rq, uint32_t channels);

// BAD_SHAPE or BAD_POINTER if members are out of range or missing. Does not look at arrays.
enum kernel_status nn_requant_i32_check(const struct nn_requant_i32 *rq);

// sums[pixels][channels] (aligned to 4) to packed pixels (nn_bits.h). Groups of four channels are
// split over the cores; the caller puts a barrier behind the call.
enum kernel_status nn_requant_i32(const struct nn_requant_i32 *rq, const int32_t *sums,
                                  uint8_t *out, uint32_t pixels, uint32_t channels);

// One core, one pixel: channels begin..end - 1 (begin a multiple of 4), whose sums these are; `out`
// is the whole pixel.
void nn_requant_i32_pixel(const struct nn_requant_i32 *rq, const int32_t *sums, uint8_t *out,
                          uint32_t begin, uint32_t end);

#endif
