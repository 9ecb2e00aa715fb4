// kernels/nn/nn_act.h: activation functions on tensors of 8, 4 or 2 bits, element by element.
//
//   clip:   out[i] = min(max(in[i], low), high)
//             ReLU: low = the code of 0; ReLU6: high = the code of 6 as well
//   leaky:  out[i] = max(in[i], in[i] >> shift), signed: slope 2^-shift left of 0, rounded down
//   table:  any function, byte by byte: out = table[in]; a byte holds 1, 2 or 4 elements.
//             nn_act_leaky_table() makes one of 8 bits, nn_act_packed_table() of a function of 4 or
//             2 bits one of bytes
//
// Layers with a requantization of their own need no ReLU behind them: its clip is one
// (nn_requant.h). `in` and `out` may be the same; no alignment needed, 4 is fastest: slots for a
// word of elements of 8, 4, 2 bits: clip 4, 11, 23, leaky 4, 11, 23, table 17, the loop apart.
// Elements are split over the cores in words; the caller puts a barrier behind the call.
//
// In packed tensors the bits left over at the end of a pixel (nn_bits.h) are elements like others,
// in `count` too; what becomes of them is without effect in the layers that follow.
#ifndef NN_ACT_H
#define NN_ACT_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/status.h"

struct nn_act {
  const void *in;
  void *out;
  uint32_t count; // elements, at least 1
  uint8_t bits;   // 8, 4, 2
  bool is_signed;
};

// BAD_SHAPE also if low > high, or one is out of range.
enum kernel_status nn_clip(const struct nn_act *act, int32_t low, int32_t high);

// Signed tensors; shift 0..7, and less than their bits.
enum kernel_status nn_leaky(const struct nn_act *act, uint8_t shift);

// The index is the byte as an unsigned number: int8 tensors have their negative values at 128..255.
enum kernel_status nn_table(const struct nn_act *act, const uint8_t table[256]);

// Leaky ReLU of int8 as a table: x >= 0: x; x < 0: floor(x * slope / 2^shift), slope in 0..2^shift,
// shift 0..15.
void nn_act_leaky_table(uint8_t table[256], uint16_t slope, uint8_t shift);

// For packed elements of `bits` (4, 2): function[x] of each of a byte's, x as an unsigned number.
void nn_act_packed_table(uint8_t table[256], const uint8_t *function, uint8_t bits);

#endif
