// kernels/nn/nn_act.h: activation functions on tensors of 8 bits, element by element.
//
//   clip:   out[i] = min(max(in[i], low), high)
//             ReLU: low = the code of 0; ReLU6: high = the code of 6 as well
//   leaky:  out[i] = max(in[i], in[i] >> shift), int8: slope 2^-shift left of 0, rounded down
//   table:  out[i] = table[in[i]]: any function of a byte; nn_act_leaky_table() makes one
//
// Layers with a requantization of their own need no ReLU behind them: its clip is one
// (nn_requant.h). `in` and `out` may be the same; no alignment needed, 4 is fastest: clip 4 slots
// for four elements, leaky 4, table 17. Elements are split over the cores in words; the caller puts
// a barrier behind the call.
#ifndef NN_ACT_H
#define NN_ACT_H

#include <stdint.h>

#include "kernels/status.h"

struct nn_act {
  const void *in;
  void *out;
  uint32_t count; // elements, at least 1
};

// BAD_SHAPE also if low > high.
enum kernel_status nn_clip_u8(const struct nn_act *act, uint8_t low, uint8_t high);
enum kernel_status nn_clip_i8(const struct nn_act *act, int8_t low, int8_t high);

// shift 0..7
enum kernel_status nn_leaky_i8(const struct nn_act *act, uint8_t shift);

// The index is the byte as an unsigned number: int8 tensors have their negative values at 128..255.
enum kernel_status nn_table(const struct nn_act *act, const uint8_t table[256]);

// Leaky ReLU of int8 as a table: x >= 0: x; x < 0: floor(x * slope / 2^shift), slope in 0..2^shift,
// shift 0..15.
void nn_act_leaky_table(uint8_t table[256], uint16_t slope, uint8_t shift);

#endif
