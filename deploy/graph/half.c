// deploy/graph/half.c: see half.h.
#include "deploy/graph/half.h"

#include <math.h>
#include <string.h>

double half_to_double(uint16_t bits) {
  int exponent = bits >> 10 & 31;
  double fraction = bits & 1023;
  double size = exponent == 31  ? (fraction != 0 ? (double)NAN : (double)INFINITY)
                : exponent == 0 ? ldexp(fraction, -24)
                                : ldexp(1024 + fraction, exponent - 25);
  return bits >> 15 ? -size : size;
}

uint16_t half_from_double(double value) {
  uint16_t sign = signbit(value) ? 0x8000 : 0;
  double size = fabs(value);
  if (isnan(value))
    return sign | 0x7e00;
  if (size < 0x1p-14) // subnormal: a multiple of 2^-24; 1024 of them are the smallest normal
    return sign | (uint16_t)nearbyint(ldexp(size, 24));
  if (size >= 65520.0)
    return sign | 0x7c00;
  int exponent;
  frexp(size, &exponent);                                    // size = f * 2^exponent, 0.5 <= f < 1
  int mantissa = (int)nearbyint(ldexp(size, 11 - exponent)); // 1024..2048; 2048 carries over
  return (uint16_t)(sign | (((exponent + 14) << 10) + (mantissa - 1024)));
}

double bfloat_to_double(uint16_t bits) {
  uint32_t wide = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &wide, sizeof value);
  return (double)value;
}

uint16_t bfloat_from_double(double value) {
  float single = (float)value;
  uint32_t bits;
  memcpy(&bits, &single, sizeof bits);
  if (isnan(single))
    return (uint16_t)(bits >> 16 | 0x40);
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
