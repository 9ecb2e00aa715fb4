// kernels/nn/nn_planes.h: four channels of HWC bytes into four planes. In assembly on the target
// (nn_planes.S), in C on the host (nn_depthwise.c).
#ifndef NN_PLANES_H
#define NN_PLANES_H

#include <stdint.h>

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
