// kernels/nn/nn_concat.h: concatenation of tensors along the channels, HWC.
//
//   out[p] = part 0's channels of pixel p, then part 1's, ...
//
// Parts are copied as they are (8, 4 or 2 bits; all but the last a whole number of bytes per
// pixel), or, 8 bits only, brought to a common scale by the way:
//   clip((kappa * in + lambda) >> shift) to 0..255       (nn_requant.h)
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
  bool scaled;       // kappa, lambda and shift hold
  uint8_t shift;     // 0..31
  int32_t kappa, lambda;
};

struct nn_concat {
  const struct nn_concat_part *parts;
  uint32_t part_count; // at least 1
  uint8_t *out;        // [pixels][sum of the channels]
  uint32_t pixels;     // at least 1
  uint8_t bits;        // 8, 4, 2
};

uint32_t nn_concat_out_pixel(const struct nn_concat *layer); // bytes of an output pixel

enum kernel_status nn_concat(const struct nn_concat *layer);

#endif
