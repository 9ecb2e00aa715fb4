// kernels/nn/nn_add.h: residual addition of two tensors, each with its scale; 8, 4 or 2 bits each
// of the two and of the result.
//
//   out[i] = clip((a[i] * scale_a + b[i] * scale_b + lambda) >> shift)
//            to 0..2^out_bits - 1, or -2^(out_bits - 1)..2^(out_bits - 1) - 1 if out_signed
//
// 32-bit wrapping sums, an arithmetic shift of 0..31. Layout: [pixels][channels], packed
// (nn_bits.h); no alignment needed, aligned to 4 is fastest. Scales in -128..127 take the faster
// paths: 4.75 slots an element of 8 bits, 4 if nothing is negative and sums fit 16 bits
// (nn_add_words.h), 5 to 7 for packed ones; other scales about 20.
//
// Elements are split over the cores in groups of 16 (pixels, if one does not fill whole bytes); the
// caller puts a barrier behind the call.
//
// Source of the packed forms: Bruschi et al., "Enabling mixed-precision quantized neural networks
// in extreme-edge devices", CF 2020.
#ifndef NN_ADD_H
#define NN_ADD_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/status.h"

struct nn_add {
  const uint8_t *a, *b;
  uint8_t *out;
  uint32_t pixels, channels; // at least 1
  int32_t scale_a, scale_b, lambda;
  uint8_t shift;
  uint8_t a_bits, b_bits, out_bits; // 8, 4, 2
  bool in_signed, out_signed;       // a and b; out
};

// TensorFlow Lite's arithmetic: nn_add_tflite.h.
enum kernel_status nn_add(const struct nn_add *layer);

// One core: `count` elements that begin at these bytes, with the layer's scales and precisions.
void nn_add_span(const struct nn_add *layer, const uint8_t *a, const uint8_t *b, uint8_t *out,
                 uint32_t count);

#endif
