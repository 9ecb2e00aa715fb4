// kernels/nn/nn_spread.h: copies into one of four interleaved columns: word w goes to dst[4 * w].
// In assembly on the target (nn_spread.S), in C on the host (nn_im2col.c).
#ifndef NN_SPREAD_H
#define NN_SPREAD_H

#include <stdint.h>

// `rows` rows of `words` words (both at least 1), `stride` bytes apart at the source, and `gap`
// words behind one another at the destination. The source may be unaligned. Two slots a word.
void nn_spread_rows(uint32_t *dst, const uint8_t *src, uint32_t words, uint32_t rows,
                    uint32_t stride, uint32_t gap);

// One value; any number of words. One slot a word.
void nn_spread_fill(uint32_t *dst, uint32_t words, uint32_t value);

// The same, `rows` times (at least 1) `words` words (at least 1), and `gap` words behind one
// another.
void nn_spread_fills(uint32_t *dst, uint32_t words, uint32_t rows, uint32_t gap, uint32_t value);

// Three rows of nine bytes, without gaps: seven words, the last byte 0.
void nn_spread_27(uint32_t *dst, const uint8_t *row0, const uint8_t *row1, const uint8_t *row2);

#endif
