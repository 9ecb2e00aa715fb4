// kernels/nn/nn_pool_2x2.h: whole 2x2 windows, some pixels of a row. In assembly on the target
// (nn_pool_2x2.S), in C on the host (nn_pool_2x2.c).
#ifndef NN_POOL_2X2_H
#define NN_POOL_2X2_H

#include <stdbool.h>
#include <stdint.h>

struct nn_pool_2x2 { // the assembly knows these offsets
  uint8_t *out;
  const uint8_t *top, *bottom; // the left pixels of the first window's two rows
  uint32_t pixel;              // bytes to the right ones
  uint32_t words;              // of a pixel, at least 1
  uint32_t pixels;             // outputs, at least 1
  uint32_t next;     // bytes from behind a pixel's words to the next window's: at the input
  uint32_t out_next; // and at the output
};

typedef void nn_pool_2x2_fn(const struct nn_pool_2x2 *windows);

// bits 8, 4, 2. Any alignment.
nn_pool_2x2_fn *nn_pool_2x2(bool average, uint32_t bits, bool is_signed);

#endif
