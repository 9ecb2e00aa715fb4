// kernels/nn/nn_bits.h: packed tensors: elements of 8, 4 or 2 bits, the first in the lowest bits of
// the first byte. The channels of a pixel (or of a filter's tap) begin at a byte; bits left over
// in its last byte are 0 in outputs and without effect in inputs.
#ifndef NN_BITS_H
#define NN_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool nn_bits_valid(uint32_t bits) {
  return bits == 8 || bits == 4 || bits == 2;
}

// Bytes of `count` elements.
static inline uint32_t nn_bits_bytes(uint32_t count, uint32_t bits) {
  return (count * bits + 7) / 8;
}

// A word whose elements have nothing but their sign bits.
static inline uint32_t nn_bits_signs(uint32_t bits) {
  return (1u << (bits - 1)) * (bits == 8 ? 0x01010101u : bits == 4 ? 0x11111111u : 0x55555555u);
}

// Whether `value` is one of an element's.
static inline bool nn_bits_holds(int32_t value, uint32_t bits, bool is_signed) {
  int32_t least = is_signed ? -(1 << (bits - 1)) : 0;
  return value >= least && value < least + (1 << bits);
}

// A word whose elements are all the low bits of `value`.
static inline uint32_t nn_bits_all(int32_t value, uint32_t bits) {
  return ((uint32_t)value & ((1u << bits) - 1)) * (bits == 8   ? 0x01010101u
                                                   : bits == 4 ? 0x11111111u
                                                               : 0x55555555u);
}

// Element i, zero- or sign-extended.
static inline uint32_t nn_bits_unsigned(const void *data, uint32_t i, uint32_t bits) {
  uint32_t at = i * bits;
  return (uint32_t)((const uint8_t *)data)[at / 8] >> at % 8 & ((1u << bits) - 1);
}
static inline int32_t nn_bits_signed(const void *data, uint32_t i, uint32_t bits) {
  return (int32_t)(nn_bits_unsigned(data, i, bits) << (32 - bits)) >> (32 - bits);
}

// Writes element i, of `value` the low bits; its neighbours stay.
static inline void nn_bits_put(void *data, uint32_t i, uint32_t bits, uint32_t value) {
  uint32_t at = i * bits % 8, mask = (1u << bits) - 1;
  uint8_t *byte = (uint8_t *)data + i * bits / 8;
  *byte = (uint8_t)((*byte & ~(mask << at)) | (value & mask) << at);
}

#endif
