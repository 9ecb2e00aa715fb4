// deploy/graph/half.h: the two 16-bit floats of model files: IEEE 754's binary16, and bfloat16,
// the upper half of a binary32. Conversions round to nearest, ties to even.
#ifndef DEPLOY_HALF_H
#define DEPLOY_HALF_H

#include <stdint.h>

double half_to_double(uint16_t bits);
uint16_t half_from_double(double value); // beyond 65504: infinity
double bfloat_to_double(uint16_t bits);
uint16_t bfloat_from_double(double value);

#endif
