// kernels/nn/nn_linear_block.h: eight sums, or some of them, over `words` words. In assembly on the
// target (nn_linear_block.S), in C on the host (nn_linear.c).
#ifndef NN_LINEAR_BLOCK_H
#define NN_LINEAR_BLOCK_H

#include <stdint.h>

#include "kernels/status.h"

// `block`: for each word of `in` the words of eight outputs. `words` is at least 1.
void nn_linear_block(int32_t sums[8], const uint8_t *in, const void *block, uint32_t words);

// The same requantized (nn_requant.h): behind the words stand the outputs' {kappa, lambda}. Any
// alignment of `out`.
void nn_linear_block_u8(uint8_t out[8], const uint8_t *in, const void *block, uint32_t words,
                        uint32_t shift);

// Outputs first..end - 1 of blocks that are `bytes` apart, at least one, one to four at once: to
// uint8_t by `shift`, the words being all of a block; or if that is NN_LINEAR_SUMS to int32_t.
// Returns KERNEL_OK, for a call at the end.
enum { NN_LINEAR_SUMS = -1 };
enum kernel_status nn_linear_few(void *out, const uint8_t *in, const void *blocks, uint32_t words,
                                 uint32_t first, uint32_t end, uint32_t bytes, int32_t shift);

#endif
