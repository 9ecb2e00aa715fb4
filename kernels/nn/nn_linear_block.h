// kernels/nn/nn_linear_block.h: eight sums over `words` words. In assembly on the target
// (nn_linear_block.S), in C on the host (nn_linear.c).
#ifndef NN_LINEAR_BLOCK_H
#define NN_LINEAR_BLOCK_H

#include <stdint.h>

// `block`: for each word of `in` the words of eight outputs. `words` is at least 1.
void nn_linear_block(int32_t sums[8], const uint8_t *in, const void *block, uint32_t words);

// The same requantized (nn_requant.h): behind the words stand the outputs' {kappa, lambda}. Any
// alignment of `out`.
void nn_linear_block_u8(uint8_t out[8], const uint8_t *in, const void *block, uint32_t words,
                        uint32_t shift);

#endif
