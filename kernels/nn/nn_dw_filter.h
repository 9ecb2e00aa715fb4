// kernels/nn/nn_dw_filter.h: weights of a depthwise filter as bytes of a word.
#ifndef NN_DW_FILTER_H
#define NN_DW_FILTER_H

#include <stdint.h>

#include "nn_bits.h"
#include "nn_word.h"

// `count` (1..4) weights from `at` on, as bytes. Bytes that end a word inside the filter are loaded
// as that word, so that nothing outside is read.
static inline uint32_t nn_dw_weights(const uint8_t *w, uint32_t at, uint32_t count, uint32_t bits) {
  if (bits == 8 && at + count >= 4)
    return nn_word_load(w + at + count - 4) >> (32 - 8 * count);
  uint32_t word = 0;
#pragma GCC unroll 1
  for (uint32_t j = 0; j < count; j++)
    word |= ((uint32_t)nn_bits_signed(w, at + j, bits) & 0xff) << 8 * j;
  return word;
}

#endif
