// kernels/nn/nn_requant_i32.h: from 32-bit sums to activations of 8, 4 or 2 bits, by any of the
// schemes of the literature. nn_mixed.h and nn_depthwise.h apply them by the way (member `requant`,
// fastest where nn_finish.h has an end for them); nn_requant_i32() to sums that stand in memory.
// phi is a sum, c its channel; clip is to 0..2^bits - 1, or with out_signed to -2^(bits - 1)..
// 2^(bits - 1) - 1; a shift right rounds down.
//
//   NN_SCALE       clip(((factor[c] * phi + bias[c]) * m) >> shift)
//                  DORY: factor is kappa, bias lambda; Burrello et al., IEEE TC 70 (2021)
//   NN_ICN         clip(zero + ((((phi << shift) + bias[c]) * factor[c]) >>
//                               (31 + shift - shifts[c])))
//                  integer channel normalization: factor is M0 in Q31, shifts N0, bias Bq, zero
//                  Zy, shift how many of Bq's bits are behind the point (2: Q30.2); Rusci et al.,
//                  "Memory-driven mixed low precision quantization", MLSys 2020
//   NN_THRESHOLDS  number of thresholds[c][] that are <= phi (ascending); less 2^(bits - 1) with
//                  out_signed
//                  Rusci et al. 2020; for a negative scale negate the filter's weights
//   NN_FOLDED      clip((phi + bias[c]) >> shifts[c])
//                  batch normalization folded into weights and bias, a shift for the rest; PULP-NN:
//                  Garofalo et al. 2020
//   NN_WIDE        clip((factor[c] * phi + wide_bias[c]) >> shift), in 64 bits
//                  as nn_requant.h where 32 bits could overflow (BNRelu_bits 64 of DORY)
//   NN_WIDE_SCALE  clip(((factor[c] * phi + wide_bias[c]) * m) >> shift), in 96 bits
//                  NN_SCALE where 32 bits could overflow; the inner sum is within 63
//   NN_TFLITE      min(max(zero + scaled(phi + bias[c]), low), high)
//                  scaled(x) = x * factor[c] * 2^(shifts[c] - 31), factor in Q31 and shifts to the
//                  left, rounded as TensorFlow Lite rounds: twice, to the nearest, halves up behind
//                  the product and away from zero behind the shift (SaturatingRoundingDoubling-
//                  HighMul, RoundingDivideByPOT); or once, halves up, with `round_once`
//                  (TFLITE_SINGLE_ROUNDING). Jacob et al., CVPR 2018, section 2.2; TensorFlow Lite
//                  8-bit quantization specification
//
// The inner sum or difference, phi << shift of NN_ICN, factor * phi + bias of NN_SCALE, and x *
// 2^shifts of NN_TFLITE wrap at 32 bits; the products by m, M0 and the factors of NN_WIDE and
// NN_TFLITE have 64. `per_channel` says whether factor, shifts and thresholds have an element (a
// row) per channel or one for all; bias and wide_bias always have one per channel.
//
// A zero point z of the inputs is taken off by the bias, which is less z times the filter's
// weights, and stands in the padding (pad_value of nn_mixed.h and nn_depthwise.h).
#ifndef NN_REQUANT_I32_H
#define NN_REQUANT_I32_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/status.h"

enum nn_scheme { NN_SCALE, NN_ICN, NN_THRESHOLDS, NN_FOLDED, NN_WIDE, NN_TFLITE, NN_WIDE_SCALE };

// How nn_mixed.h ends its blocks by a scheme: nn_finish.h says which it can.
enum nn_end_kind {
  NN_END_ASK, // it looks at the arrays, in each call
  NN_END_NONE,
  NN_END_SCALE,
  NN_END_ICN,
  NN_END_ICN_LEFT,
  NN_END_THRESHOLDS,
  NN_END_FOLDED,
  NN_END_TFLITE,
  NN_END_TFLITE_RELU
};
struct nn_end {
  uint8_t kind; // enum nn_end_kind
  uint8_t left; // NN_END_ICN_LEFT: bits that sums and biases are shifted by, 1..28
};

struct nn_requant_i32 {
  enum nn_scheme scheme;
  uint8_t bits; // of the outputs: 8, 4, 2
  bool per_channel;
  uint8_t shift;             // NN_SCALE, NN_WIDE, NN_WIDE_SCALE: 0..62; NN_ICN: 0..2
  int16_t zero;              // NN_ICN, NN_TFLITE: -255..255
  int32_t m;                 // NN_SCALE, NN_WIDE_SCALE
  const int32_t *factor;     // all but NN_THRESHOLDS and NN_FOLDED
  const int8_t *shifts;      // NN_ICN: -31..31; NN_FOLDED: 0..31; NN_TFLITE: -31..30, and three
                             // bytes behind them may be read
  const int32_t *bias;       // [channels]; all but NN_THRESHOLDS and the wide ones
  const int32_t *thresholds; // [channels or 1][2^bits - 1]
  const int64_t *wide_bias;  // NN_WIDE, NN_WIDE_SCALE: [channels]
  bool out_signed;
  bool round_once;   // NN_TFLITE
  int16_t low, high; // NN_TFLITE: an activation's range, low <= high, within that of the outputs
  struct nn_end end; // what nn_end_of() says of all the layer's channels, or 0
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

// One value of channel c, the low bits of what it returns.
uint32_t nn_requant_i32_value(const struct nn_requant_i32 *rq, int32_t sum, uint32_t c);

#endif
