// kernels/nn/nn_planes.h: channels of a depthwise layer's input into zero-padded planes of bytes.
#ifndef NN_PLANES_H
#define NN_PLANES_H

#include "nn_depthwise.h"

struct nn_planes_at {
  uint32_t row;   // bytes of a plane's row, a multiple of 4
  uint32_t plane; // bytes from plane to plane
};

// Planes of channels c..c + count - 1 (count 1..4; c a multiple of 4). What is outside the input is
// not changed: pad_value beforehand, it stays it from one group of channels to the next.
void nn_planes_of(const struct nn_depthwise *layer, const struct nn_planes_at *at, uint8_t *planes,
                  uint32_t c, uint32_t count);

// Four channels of HWC bytes into four planes. In assembly on the target (nn_planes.S), in C on the
// host (nn_planes.c).
struct nn_planes {    // the assembly knows these offsets
  uint8_t *to;        // first plane's first pixel
  const uint8_t *src; // first pixel's four channels
  uint32_t rows;      // at least 1
  uint32_t groups;    // of four pixels in a row, at least 1
  uint32_t pixel;     // bytes from pixel to pixel at the source
  uint32_t plane;     // bytes from plane to plane
  uint32_t to_next;   // bytes from behind a row to the next: at the planes
  uint32_t src_next;  // and at the source
};

// Any alignment.
void nn_planes(const struct nn_planes *planes);

#endif
