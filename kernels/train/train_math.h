// kernels/train/train_math.h: elementary functions of floats, for host and target alike: the same
// bits everywhere, because all of them are made of correctly rounded operations in a fixed order.
//
// Relative errors, measured over all of the range against double precision (tests/kernels):
// exp, log < 2.5e-7; tanh, sigmoid < 5e-7.
#ifndef TRAIN_MATH_H
#define TRAIN_MATH_H

#include <stdint.h>

union train_bits {
  float f;
  uint32_t u;
};

// Round to nearest by adding and taking away 1.5 * 2^23, then e^r on |r| <= ln(2) / 2 by its
// series.
static inline float train_exp(float x) {
  if (!(x == x) || x > 88.72283f)
    return x == x ? __builtin_inff() : x;
  if (x < -87.0f)
    return 0;
  float shifted = __builtin_fmaf(x, 1.44269504f, 12582912.0f);
  float n = shifted - 12582912.0f;
  float r = __builtin_fmaf(n, -0.693145752f, x); // ln(2) in two parts, the first of 16 bits
  r = __builtin_fmaf(n, -1.42860677e-6f, r);
  float p = 1.98412698e-4f;
  p = __builtin_fmaf(p, r, 1.38888889e-3f);
  p = __builtin_fmaf(p, r, 8.33333333e-3f);
  p = __builtin_fmaf(p, r, 4.16666667e-2f);
  p = __builtin_fmaf(p, r, 1.66666667e-1f);
  p = __builtin_fmaf(p, r, 0.5f);
  p = __builtin_fmaf(p, r, 1.0f);
  p = __builtin_fmaf(p, r, 1.0f);
  int32_t e = (int32_t)((union train_bits){.f = shifted}.u - 0x4b400000u);
  if (e == 128) // 2^128 is none
    return p * 2.0f * (union train_bits){.u = 254u << 23}.f;
  return p * (union train_bits){.u = (uint32_t)(e + 127) << 23}.f;
}

// x >= 2^-126; 0 gives -inf, negative numbers give NaN. The series of 2 * artanh(s).
static inline float train_log(float x) {
  if (!(x > 0))
    return x == 0 ? -__builtin_inff() : (union train_bits){.u = 0x7fc00000}.f;
  union train_bits bits = {x};
  if (bits.u >= 0x7f800000)
    return x;
  int32_t e = (int32_t)(bits.u - 0x3f3504f3u) >> 23; // mantissa in [sqrt(1/2), sqrt(2))
  bits.u -= (uint32_t)e << 23;
  float f = bits.f - 1.0f, s = f / (2.0f + f), q = s * s;
  float p = 0.222222222f;
  p = __builtin_fmaf(p, q, 0.285714286f);
  p = __builtin_fmaf(p, q, 0.4f);
  p = __builtin_fmaf(p, q, 0.666666667f);
  p = __builtin_fmaf(p * q, s, 2.0f * s);
  float n = (float)e;
  return __builtin_fmaf(n, 0.693145752f, __builtin_fmaf(n, 1.42860677e-6f, p));
}

static inline float train_tanh(float x) {
  float magnitude = x < 0 ? -x : x;
  if (magnitude < 0.35f) { // series, so that small results keep their relative precision
    float q = x * x;
    float p = -8.86323553e-3f;
    p = __builtin_fmaf(p, q, 2.18694885e-2f);
    p = __builtin_fmaf(p, q, -5.39682540e-2f);
    p = __builtin_fmaf(p, q, 1.33333333e-1f);
    p = __builtin_fmaf(p, q, -3.33333333e-1f);
    return __builtin_fmaf(p * q, x, x);
  }
  if (magnitude > 10)
    return x < 0 ? -1.0f : 1.0f;
  float e = train_exp(2 * magnitude);
  float t = 1.0f - 2.0f / (e + 1.0f);
  return x < 0 ? -t : x == x ? t : x;
}

static inline float train_sigmoid(float x) {
  return 1.0f / (1.0f + train_exp(-x));
}

#endif
