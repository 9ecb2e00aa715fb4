// kernels/nn/nn_lookup.h: operators from element to element by tables: any functions of codes of 8,
// 4 or 2 bits, added, multiplied, or joined along the channels, and requantized by any scheme.
//
//   NN_JOINT_SUM      v[p][c] = sum over inputs k of table_k[in_k[p][c]]
//   NN_JOINT_PRODUCT  v[p][c] = product of the same
//   NN_JOINT_CONCAT   v[p]    = table_0[in_0[p][0]], ..., then input 1's channels, ...
//   out[p][c] = requantized(v[p][c]) (nn_requant_i32.h); without `requant` the low bits of v, or v
//               itself with out_bits = 32
//
// Additions, products and concatenations of tensors with scales and zero points of their own, all
// activation functions, changes of precision: what the table holds. 32-bit wrapping sums and
// products. Codes are looked up as unsigned numbers: signed ones have their negative values behind.
// With up_h and up_w each pixel of the inputs is repeated (nearest neighbour): p is (y / up_h, x /
// up_w); a tile may begin within a repetition. With apart_h = up_h or apart_w = up_w it is not
// repeated there: the code `between` stands behind it.
//
// Layout: HWC, packed (nn_bits.h); no alignment but of tables and of 32-bit outputs (4). Groups of
// 16 channels of a pixel are split over the cores; the caller puts a barrier behind the call.
#ifndef NN_LOOKUP_H
#define NN_LOOKUP_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/status.h"
#include "nn_requant_i32.h"

enum nn_joint { NN_JOINT_SUM, NN_JOINT_PRODUCT, NN_JOINT_CONCAT };

struct nn_lookup_input {
  const uint8_t *in;
  const int32_t *table; // [2^bits]
  uint16_t channels;
  uint8_t bits; // 8, 4, 2
  bool pixel;   // 1 x 1: the same for all pixels
};

struct nn_lookup {
  const struct nn_lookup_input *inputs;
  uint32_t input_count; // at least 1
  enum nn_joint joint;
  uint8_t *out;
  uint16_t out_h, out_w, channels;      // of the output
  uint8_t up_h, up_w;                   // at least 1
  uint8_t apart_h, apart_w;             // 1, or as up_h and up_w
  uint8_t between;                      // as an unsigned number
  uint8_t phase;                        // rows of the first repetition that are not there, < up_h
  uint8_t out_bits;                     // 8, 4, 2, 32
  const struct nn_requant_i32 *requant; // of out_bits; or NULL
};

enum kernel_status nn_lookup(const struct nn_lookup *layer);

#endif
