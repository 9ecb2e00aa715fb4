// kernels/nn/nn_planes.h: channels of a depthwise layer's input into padded planes of bytes.
//
// Signed values are flipped: x + 2^(in_bits - 1), unsigned, which is x with its sign bit flipped.
// So there is one set of inner loops; what that adds to the sums, their filters take off
// (nn_dw_filter.h).
#ifndef NN_PLANES_H
#define NN_PLANES_H

#include "nn_depthwise.h"

// Planes of a band of the input's rows.
struct nn_planes_at {
  uint32_t row;         // bytes of a plane's row, a multiple of 4
  uint32_t plane;       // bytes from plane to plane
  uint32_t first, rows; // of the input
  uint32_t above;       // rows of padding above them
};

// What flips a byte: 0 if unsigned.
static inline uint32_t nn_planes_flip(const struct nn_depthwise *l) {
  return l->in_signed ? 1u << (l->in_bits - 1) : 0;
}

// Channels c..end - 1 (c a multiple of 4) into planes of their own, of which there are as many, to
// a multiple of 4. What is outside the input is not changed: the flipped pad_value beforehand, it
// stays it. Returns channel c's plane.
uint8_t *nn_planes_of(const struct nn_depthwise *layer, const struct nn_planes_at *at,
                      uint8_t *planes, uint32_t c, uint32_t end);

// Four channels of HWC pixels into four planes. In assembly on the target (nn_planes.S), in C on
// the host (nn_planes.c).
struct nn_planes {    // the assembly knows these offsets
  uint8_t *to;        // first plane's first pixel
  const uint8_t *src; // first pixel's four channels
  uint32_t rows;      // at least 1
  uint32_t groups;    // of four pixels in a row
  uint32_t pixel;     // bytes from pixel to pixel at the source
  uint32_t plane;     // bytes from plane to plane
  uint32_t to_next;   // bytes from behind what was stored of a row to the next
  uint32_t rest;      // pixels behind the last group, 0..3: stored as four
  uint32_t pad;       // what the others of the four are, as at the source
  uint32_t flip;      // a word that flips signed values, as at the source
  uint32_t fours;     // at least 1: so many times four channels, and planes
};

typedef void nn_planes_fn(const struct nn_planes *planes);
// Of 8 bits, unsigned and signed; of 4 and 2. Any alignment.
nn_planes_fn nn_planes_8u, nn_planes_8s, nn_planes_4, nn_planes_2;

// `words` words, an even number from 2 on, that are `value`.
void nn_planes_fill(uint32_t *to, uint32_t words, uint32_t value);

#endif
