// kernels/train/train_half_row.h: a row of a patch of elements of 16 bits in L1.
#ifndef TRAIN_HALF_ROW_H
#define TRAIN_HALF_ROW_H

#include <stdint.h>

// `before` zeros, `count` elements from `from` on, `stride` bytes apart, and `behind` zeros;
// returns what is behind them.
uint16_t *train_half_row(uint16_t *to, const uint16_t *from, uint32_t count, uint32_t stride,
                         uint32_t before, uint32_t behind);

#endif
