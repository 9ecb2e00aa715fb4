// kernels/nn/nn_add_words.h: addition of two tensors, eight elements at a time. In assembly on the
// target (nn_add_words.S), in C on the host (nn_add.c).
#ifndef NN_ADD_WORDS_H
#define NN_ADD_WORDS_H

#include <stdint.h>

struct nn_add_words { // the assembly knows these offsets
  const uint8_t *a, *b;
  uint8_t *out;
  uint32_t pairs;  // of words, at least 1
  uint32_t scales; // a's in the lowest byte, b's in the third, the others 0
  int32_t lambda;
  uint32_t shift;
};

// Any alignment.
void nn_add_words(const struct nn_add_words *words);

#endif
