// kernels/nn/nn_concat.h: concatenation of tensors along the channels, HWC.
//
//   out[p] = part 0's channels of pixel p, then part 1's, ...
//
// Parts are copied as they are, or brought to a common scale by the way, from any precision:
//   clip((kappa * in + lambda) >> shift)       to the range of `bits`; wrapping at 32 bits
// All but the last fill a whole number of bytes of an output pixel. A kappa in -128..127 is fastest
// (nn_add.h).
//
// No alignment needed; whole words per part (channels a multiple of 4 at 8 bits, tensors aligned
// to 4) are fastest. Pixels are split over the cores; the caller puts a barrier behind the call.
#ifndef NN_CONCAT_H
#define NN_CONCAT_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/status.h"

struct nn_concat_part {
  const uint8_t *in; // [pixels][channels]
  uint16_t channels; // at least 1
  bool scaled;       // the rest holds
  uint8_t bits;      // of `in`: 8, 4, 2
  uint8_t shift;     // 0..31
  int32_t kappa, lambda;
};

struct nn_concat {
  const struct nn_concat_part *parts;
  uint32_t part_count; // at least 1
  uint8_t *out;        // [pixels][sum of the channels]
  uint32_t pixels;     // at least 1
  uint8_t bits;        // of the output, and of parts that are not scaled: 8, 4, 2
  bool is_signed;      // all of them
};

uint32_t nn_concat_out_pixel(const struct nn_concat *layer); // bytes of an output pixel

enum kernel_status nn_concat(const struct nn_concat *layer);

#endif
