// kernels/nn/nn_add_words.h: addition of two tensors, eight elements at a time. In assembly on the
// target (nn_add_words.S), in C on the host (nn_add_words.c).
#ifndef NN_ADD_WORDS_H
#define NN_ADD_WORDS_H

#include <stdbool.h>
#include <stdint.h>

struct nn_add_words { // the assembly knows these offsets
  const uint8_t *a, *b;
  uint8_t *out;
  uint32_t eights;  // groups of eight elements, at least 1
  uint32_t scale_a; // nn_add_words: a's in the lowest byte, b's in the third, the others 0
  uint32_t lambda;  // nn_add_halves: in both halves
  uint32_t shift;
  uint32_t scale_b, most; // nn_add_halves only
};

typedef void nn_add_words_fn(const struct nn_add_words *words);

// By the bits (8, 4, 2) and the signs. Any alignment.
nn_add_words_fn *nn_add_words(uint32_t a, uint32_t b, uint32_t out, bool in_signed,
                              bool out_signed);

// uint8 to uint8 where two sums stand in one register: scales and lambda not negative, scales at
// most 257 together, a shift of at most 8; most, in both halves, is 2^(shift + 8) - 1 - lambda, not
// negative.
nn_add_words_fn nn_add_halves;

#endif
