// kernels/nn/nn_word.h: words of four channels at any address, and the 1..3 bytes left over.
#ifndef NN_WORD_H
#define NN_WORD_H

#include <stdint.h>

#ifdef __riscv
static inline uint32_t nn_word_load(const uint8_t *at) {
  return *(const uint32_t *)(const void *)at; // the core splits unaligned accesses
}
static inline void nn_word_store(uint8_t *at, uint32_t word) {
  *(uint32_t *)(void *)at = word;
}
#else
#include <string.h>
static inline uint32_t nn_word_load(const uint8_t *at) {
  uint32_t word;
  memcpy(&word, at, 4);
  return word;
}
static inline void nn_word_store(uint8_t *at, uint32_t word) {
  memcpy(at, &word, 4);
}
#endif

// `count` bytes (1..3) from, and to, the low end of a word.
static inline uint32_t nn_word_load_part(const uint8_t *at, uint32_t count) {
  uint32_t word = at[0];
  if (count > 1)
    word |= (uint32_t)at[1] << 8;
  if (count > 2)
    word |= (uint32_t)at[2] << 16;
  return word;
}
static inline void nn_word_store_part(uint8_t *at, uint32_t word, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    at[i] = (uint8_t)(word >> 8 * i);
}

#endif
