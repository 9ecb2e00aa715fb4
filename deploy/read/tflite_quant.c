// deploy/read/tflite_quant.c: after the definitions in tensorflow/lite/kernels (kernel_util.cc,
// internal/quantization_util.cc, internal/reference/*.h), Jacob et al., CVPR 2018.
#include "tflite_quant.h"

#include <math.h>

#include "deploy/net/net_ref.h"

struct tflite_factor tflite_factor_of(double real) {
  int exponent = 0;
  double fraction = real > 0 && isfinite(real) ? frexp(real, &exponent) : 0;
  int64_t multiplier = llround(fraction * 2147483648.0);
  if (multiplier == (int64_t)1 << 31)
    multiplier /= 2, exponent++;
  if (exponent < -31 || !(real > 0))
    return (struct tflite_factor){0, 0};
  if (exponent > 30)
    return (struct tflite_factor){INT32_MAX, 30};
  return (struct tflite_factor){(int32_t)multiplier, (int8_t)exponent};
}

static int32_t clipped(double x, int32_t low, int32_t high) {
  return !(x >= low) ? low : x > high ? high : (int32_t)x;
}

static struct tflite_range codes_of(uint8_t type) {
  return type == TFLITE_UINT8 ? (struct tflite_range){0, 255} : (struct tflite_range){-128, 127};
}

struct tflite_range tflite_range_of(uint8_t type, int activation, float scale, int32_t zero) {
  struct tflite_range all = codes_of(type), range = all;
  float low = activation == TFLITE_FUSED_RELU_N1_TO_1 ? -1 : 0;
  float high = activation == TFLITE_FUSED_RELU6 ? 6 : 1;
  if (activation != TFLITE_NO_ACTIVATION)
    range.low = clipped((double)zero + roundf(low / scale), all.low, all.high);
  if (activation == TFLITE_FUSED_RELU6 || activation == TFLITE_FUSED_RELU_N1_TO_1)
    range.high = clipped((double)zero + roundf(high / scale), all.low, all.high);
  return range;
}

static int32_t times(int32_t x, double real) {
  struct tflite_factor f = tflite_factor_of(real);
  return net_multiply_q31(x, f.multiplier, f.shift);
}

// ---------------------------------------------------------------------------- hard swish

static int32_t saturated(int64_t x) {
  return (int32_t)(x < INT16_MIN ? INT16_MIN : x > INT16_MAX ? INT16_MAX : x);
}

// Twice the product's high half at 16 bits, to nearest.
static int32_t high16(int32_t a, int32_t b) {
  int32_t ab = a * b, nudge = ab >= 0 ? 1 << 14 : 1 - (1 << 14);
  return saturated((ab + nudge) / (1 << 15));
}

static int32_t divided16(int32_t x, int exponent) {
  int32_t mask = (1 << exponent) - 1, rest = x & mask, threshold = (mask >> 1) + (x < 0);
  return (x >> exponent) + (rest > threshold);
}

// A factor at 16 bits.
static int32_t factor16(struct tflite_factor f) {
  return saturated(((int64_t)f.multiplier + (1 << 15)) >> 16);
}

// x * relu6(x + 3) / 6 at 16 bits: the input times 128, the second factor in units of 3 / 2^15.
static int32_t hard_swish(const struct tflite_map *map, int32_t x) {
  float fine = map->in_scale / 128;
  struct tflite_factor out = tflite_factor_of((double)(fine / map->out_scale));
  struct tflite_factor relu = tflite_factor_of((double)(fine / (3.0f / 32768)));
  int32_t input = x * 128, product = high16(input, factor16(out)), gate = input;
  if (relu.shift > 0)
    gate = saturated((int64_t)gate * ((int64_t)1 << (relu.shift - 1)));
  gate = high16(gate, factor16(relu));
  if (relu.shift > 0)
    gate = saturated((int64_t)gate * 2);
  if (relu.shift < 0)
    gate = divided16(gate, -relu.shift);
  gate = (gate + (1 << 15)) >> 1;
  product = saturated(gate * product / (1 << 15));
  return out.shift > 0 ? product * (1 << out.shift % 16) : divided16(product, -out.shift);
}

// ---------------------------------------------------------------------------- all

static int32_t quantized(float real, const struct tflite_map *map) {
  struct tflite_range all = codes_of(map->type);
  return clipped((double)roundf(real * (1 / map->out_scale)) + map->out_zero, all.low, all.high);
}

static int32_t rectified(const struct tflite_map *map, int32_t x) {
  int activation = map->code == TFLITE_RELU    ? TFLITE_FUSED_RELU
                   : map->code == TFLITE_RELU6 ? TFLITE_FUSED_RELU6
                                               : TFLITE_FUSED_RELU_N1_TO_1;
  struct tflite_range range = tflite_range_of(map->type, activation, map->out_scale, map->out_zero);
  return clipped((double)times(x, (double)(map->in_scale / map->out_scale)) + map->out_zero,
                 range.low, range.high);
}

// In one step: x * scale + bias, both in float32.
static int32_t rescaled(const struct tflite_map *map, int32_t code) {
  struct tflite_range all = codes_of(map->type);
  float scale = map->in_scale * (1 / map->out_scale), bias = (float)-map->in_zero * scale;
  return clipped((double)roundf((float)code * scale + bias) + map->out_zero, all.low, all.high);
}

int32_t tflite_mapped(const struct tflite_map *map, int32_t code) {
  struct tflite_range all = codes_of(map->type);
  int32_t x = code - map->in_zero;
  float real = map->in_scale * (float)x;
  float slope = (x < 0 ? map->in_scale * map->alpha : map->in_scale) / map->out_scale;
  double ratio = (double)map->in_scale / (double)map->out_scale;
  switch (map->code) {
  case TFLITE_LOGISTIC:
    return quantized(1.0f / (1.0f + expf(-real)), map);
  case TFLITE_TANH:
    return quantized(tanhf(real), map);
  case TFLITE_CONCATENATION:
    return rescaled(map, code);
  case TFLITE_QUANTIZE:
    return clipped((double)times(x, ratio) + map->out_zero, all.low, all.high);
  case TFLITE_LEAKY_RELU:
    return clipped((double)times(x, (double)slope) + map->out_zero, all.low, all.high);
  case TFLITE_HARD_SWISH:
    return clipped((double)hard_swish(map, x) + map->out_zero, all.low, all.high);
  default:
    return rectified(map, x);
  }
}
