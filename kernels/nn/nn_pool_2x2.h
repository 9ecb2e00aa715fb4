// kernels/nn/nn_pool_2x2.h: a whole 2x2 window over `words` words of channels. In assembly on the
// target (nn_pool_2x2.S), in C on the host (nn_pool.c).
#ifndef NN_POOL_2X2_H
#define NN_POOL_2X2_H

#include <stdint.h>

// `top`, `bottom`: the left pixels of the window's two rows; `pixel`: bytes to the right ones.
// `words` is at least 1; any alignment.
typedef void nn_pool_2x2_fn(uint8_t *out, const uint8_t *top, const uint8_t *bottom, uint32_t pixel,
                            uint32_t words);
nn_pool_2x2_fn nn_max_2x2, nn_average_2x2;

#endif
