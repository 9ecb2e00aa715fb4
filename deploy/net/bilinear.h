// deploy/net/bilinear.h: linear interpolation by whole factors, as a network's layers: pixels are
// repeated (NET_RESIZE), then averaged over windows that do not count what lies outside.
//
// Element j of a line whose elements are repeated f times and averaged over f from j on is the
// interpolation at j / f; its end repeats the last, as clamped coordinates do. Half pixels, at
// (j + 1/2) / f - 1/2, lie between repetitions where f is even: twice as many, every other one.
#ifndef BILINEAR_H
#define BILINEAR_H

#include <stdbool.h>
#include <stdint.h>

// Of one direction.
struct bilinear {
  uint8_t repeat;         // factor of the NET_RESIZE
  uint8_t kernel, stride; // of the pool
  uint8_t before, after;  // its padding
};

// False: beyond 8 bits. half_pixel: coordinates (j + 1/2) / f - 1/2, else j / f.
bool bilinear_of(int64_t factor, bool half_pixel, struct bilinear *line);

#endif
