// kernels/nn/nn_argmax.h: the class of a network's scores: the index of the largest, the first one
// if several are equal. Softmax does not change the order, so a classifier's head needs none.
//
//   nn_argmax(&head); rt_barrier(); index = nn_argmax_index(&head);
//
// Scores are split over the cores, each of which leaves its best in the scratch.
#ifndef NN_ARGMAX_H
#define NN_ARGMAX_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/status.h"

struct nn_argmax {
  const void *scores; // int32 ones aligned to 4
  uint32_t count;     // at least 1
  void *scratch;      // nn_argmax_buffer_size() bytes, aligned to 4
  uint8_t bits;       // 32: int32; 8, 4, 2: packed (nn_bits.h)
  bool is_signed;     // packed scores
};

uint32_t nn_argmax_buffer_size(void); // bytes

enum kernel_status nn_argmax(const struct nn_argmax *head);

// After a barrier; by any core.
uint32_t nn_argmax_index(const struct nn_argmax *head);

#endif
