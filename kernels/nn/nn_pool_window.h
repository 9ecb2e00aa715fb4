// kernels/nn/nn_pool_window.h: any window over pairs of words of channels. In assembly on the
// target (nn_pool_window.S), in C on the host (nn_pool.c).
#ifndef NN_POOL_WINDOW_H
#define NN_POOL_WINDOW_H

#include <stdint.h>

struct nn_pool_window { // the assembly knows these offsets
  const uint8_t *first; // pixel's first word
  uint32_t rows;        // at least 1
  uint32_t columns;     // at least 1
  uint32_t pixel;       // bytes from pixel to pixel
  uint32_t next;        // bytes from behind a row to the next
};

typedef void nn_pool_window_fn(uint8_t *out, const struct nn_pool_window *window, uint32_t pairs);

// `pairs` (at least 1) times two words of channels. Any alignment.
nn_pool_window_fn nn_max_window;

#endif
