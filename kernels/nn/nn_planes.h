// kernels/nn/nn_planes.h: four channels of HWC bytes into four planes. In assembly on the target
// (nn_planes.S), in C on the host (nn_depthwise.c).
#ifndef NN_PLANES_H
#define NN_PLANES_H

#include <stdint.h>

// `groups` (at least 1) times four pixels, `pixel` bytes apart; planes `plane` bytes apart. Any
// alignment.
void nn_planes(uint8_t *planes, const uint8_t *src, uint32_t groups, uint32_t pixel,
               uint32_t plane);

#endif
