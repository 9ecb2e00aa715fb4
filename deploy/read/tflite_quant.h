// deploy/read/tflite_quant.h: TensorFlow Lite's way from scales to integers.
#ifndef TFLITE_QUANT_H
#define TFLITE_QUANT_H

#include "tflite.h"

// A factor as the interpreters apply it (net_multiply_q31): multiplier / 2^31 * 2^shift.
struct tflite_factor {
  int32_t multiplier; // 2^30..2^31 - 1, or 0
  int8_t shift;       // -31..30
};

// To nearest; 0 below 2^-32, the largest above 2^30.
struct tflite_factor tflite_factor_of(double real);

// The codes that an activation leaves of the type's, for an output of this scale and zero.
struct tflite_range {
  int32_t low, high;
};
struct tflite_range tflite_range_of(uint8_t type, int activation, float scale, int32_t zero);

// An element-wise operator on 8-bit codes: input and output with their scales and zeros.
struct tflite_map {
  int code; // enum tflite_code
  uint8_t type;
  float in_scale, out_scale, alpha;
  int32_t in_zero, out_zero;
};

// The output's code of an input's, as the interpreters compute it: RELU, RELU6, RELU_N1_TO_1,
// LEAKY_RELU, QUANTIZE and HARD_SWISH in integers, LOGISTIC and TANH in float32 rounded to nearest,
// CONCATENATION's rescaling in float32.
int32_t tflite_mapped(const struct tflite_map *map, int32_t code);

#endif
