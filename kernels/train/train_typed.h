// kernels/train/train_typed.h: access to elements of any type; for the layers' own use.
//
// A function marked TRAIN_TYPED takes the type as its last argument; TRAIN_BY_TYPE calls it with a
// constant, so that the compiler makes one copy for each type, without a branch in its loops.
#ifndef TRAIN_TYPED_H
#define TRAIN_TYPED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define XPULP_SMALL_FLOATS
#include "xpulp.h"

#include "kernels/train/train_type.h"

#define TRAIN_TYPED static inline __attribute__((always_inline))

#define TRAIN_BY_TYPE(type, f, ...)                                                                \
  do {                                                                                             \
    if ((type) == TRAIN_F32)                                                                       \
      f(__VA_ARGS__, TRAIN_F32);                                                                   \
    else if ((type) == TRAIN_FP16)                                                                 \
      f(__VA_ARGS__, TRAIN_FP16);                                                                  \
    else                                                                                           \
      f(__VA_ARGS__, TRAIN_BF16);                                                                  \
  } while (0)

static inline uint32_t train_bytes(enum train_type t) {
  return t == TRAIN_F32 ? 4 : 2;
}

// Element i as a pointer.
TRAIN_TYPED void *train_at(const void *base, size_t i, enum train_type t) {
  return (void *)((uintptr_t)base + i * train_bytes(t));
}

TRAIN_TYPED float train_get(const void *base, size_t i, enum train_type t) {
  if (t == TRAIN_F32)
    return ((const float *)base)[i];
  float half = flh((const uint16_t *)base + i, 0);
  return t == TRAIN_FP16 ? fcvt_s_h(half) : fcvt_s_ah(half);
}

TRAIN_TYPED void train_put(void *base, size_t i, float value, enum train_type t) {
  if (t == TRAIN_F32)
    ((float *)base)[i] = value;
  else if (t == TRAIN_FP16)
    fsh(fcvt_h_s(value), (uint16_t *)base + i, 0);
  else
    fsh(fcvt_ah_s(value), (uint16_t *)base + i, 0);
}

// An element's bits.
typedef uint32_t __attribute__((may_alias)) train_word;
TRAIN_TYPED uint32_t train_get_bits(const void *base, size_t i, enum train_type t) {
  return t == TRAIN_F32 ? ((const train_word *)base)[i] : ((const uint16_t *)base)[i];
}
TRAIN_TYPED void train_put_bits(void *base, size_t i, uint32_t bits, enum train_type t) {
  if (t == TRAIN_F32)
    ((train_word *)base)[i] = bits;
  else
    ((uint16_t *)base)[i] = (uint16_t)bits;
}

// dst[i] = src[j], bit for bit.
TRAIN_TYPED void train_copy(void *dst, size_t i, const void *src, size_t j, enum train_type t) {
  train_put_bits(dst, i, train_get_bits(src, j, t), t);
}

// sum + x * y of 16-bit elements as flh() loads them, with one rounding.
TRAIN_TYPED float train_mac_of(float sum, float x, float y, enum train_type t) {
  return t == TRAIN_FP16 ? fmacex_s_h(sum, x, y) : fmacex_s_ah(sum, x, y);
}

// sum + a[i] * b[j] with one rounding.
TRAIN_TYPED float train_mac(float sum, const void *a, size_t i, const void *b, size_t j,
                            enum train_type t) {
  if (t == TRAIN_F32)
    return __builtin_fmaf(((const float *)a)[i], ((const float *)b)[j], sum);
  return train_mac_of(sum, flh((const uint16_t *)a + i, 0), flh((const uint16_t *)b + j, 0), t);
}

// ---- two 16-bit elements in a register; i is even

typedef float __attribute__((may_alias)) train_pair;

TRAIN_TYPED float train_get2(const void *base, size_t i) {
  return *(const train_pair *)(const void *)((const uint16_t *)base + i);
}

TRAIN_TYPED void train_put2(void *base, size_t i, float pair) {
  *(train_pair *)(void *)((uint16_t *)base + i) = pair;
}

// The same at any element: a pair that crosses a word takes a cycle more.
TRAIN_TYPED float train_get2_any(const uint16_t *at) {
#ifdef __riscv
  float pair;
  __asm__("flw %0, %1" : "=f"(pair) : "m"(*(const train_pair *)(const void *)at));
  return pair;
#else
  const union {
    uint16_t half[2];
    float pair;
  } both = {{at[0], at[1]}};
  return both.pair;
#endif
}

TRAIN_TYPED void train_put2_any(uint16_t *at, float pair) {
#ifdef __riscv
  __asm__("fsw %1, %0" : "=m"(*(train_pair *)(void *)at) : "f"(pair));
#else
  const union {
    float pair;
    uint16_t half[2];
  } both = {pair};
  at[0] = both.half[0];
  at[1] = both.half[1];
#endif
}

TRAIN_TYPED float train_add2(float x, float y, enum train_type t) {
  return t == TRAIN_FP16 ? vfadd_h(x, y) : vfadd_ah(x, y);
}

// Both lanes by a scalar: x * y, and sum + x * y, each rounded once.
TRAIN_TYPED float train_mul2_by(float x, float y, enum train_type t) {
  return t == TRAIN_FP16 ? vfmul_r_h(x, y) : vfmul_r_ah(x, y);
}
TRAIN_TYPED float train_mac2_by(float sum, float x, float y, enum train_type t) {
  return t == TRAIN_FP16 ? vfmac_r_h(sum, x, y) : vfmac_r_ah(sum, x, y);
}

// sum + x.low * y.low + x.high * y.high with one rounding.
TRAIN_TYPED float train_mac2(float sum, float x, float y, enum train_type t) {
  return t == TRAIN_FP16 ? vfdotpex_s_h(sum, x, y) : vfdotpex_s_ah(sum, x, y);
}

// Elements that can be taken in pairs from i on: an even index, all but the last of an odd number.
TRAIN_TYPED uint32_t train_pairs_end(uint32_t i, uint32_t end, enum train_type t) {
  return t == TRAIN_F32 || i % 2 ? i : end - (end - i) % 2;
}

// sum + a[i] * b[i] + a[i + 1] * b[i + 1] ... up to, not including, `end`.
TRAIN_TYPED float train_dot(float sum, const void *a, const void *b, uint32_t i, uint32_t end,
                            enum train_type t) {
  if (t != TRAIN_F32 && i % 2 && i < end)
    sum = train_mac(sum, a, i, b, i, t), i++;
  uint32_t pairs = train_pairs_end(i, end, t);
  for (; i < pairs; i += 2)
    sum = train_mac2(sum, train_get2(a, i), train_get2(b, i), t);
  for (; i < end; i++)
    sum = train_mac(sum, a, i, b, i, t);
  return sum;
}

#endif
