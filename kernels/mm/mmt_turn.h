// kernels/mm/mmt_turn.h: operands of a matrix product turned so that the values of one k are
// contiguous (`steps` of mmt_f32_tile.S). The cores share the work; the caller puts a barrier
// behind it.
//
// Pointers aligned to 4 bytes; source and destination must not overlap.
#ifndef MMT_TURN_H
#define MMT_TURN_H

#include <stdint.h>

// One line, by the calling core alone: words `step` bytes apart at the destination. Two slots a
// word.
void mmt_turn_line(uint32_t *to, const uint32_t *from, uint32_t step, uint32_t words);

// dst[c][r] = src[r][c], 4 bytes each: floats, or pairs of 16-bit elements. `ld`: words from row to
// row of the source. With 16 rows, or a multiple, a core's stores keep to its own banks.
void mmt_turn_words(void *dst, const void *src, uint32_t ld, uint32_t rows, uint32_t columns);

// dst[p][c] = src[2 * p][c] and, in the upper half, src[2 * p + 1][c], 2 bytes each. `rows` and
// `ld` (elements from row to row) even. Three slots a pair.
void mmt_turn_pairs(uint32_t *dst, const uint16_t *src, uint32_t ld, uint32_t rows,
                    uint32_t columns);

// The same of four columns that lie one row behind the other, by the calling core alone: `pairs`
// of rows.
void mmt_turn_fours(uint32_t *dst, const uint16_t *src, uint32_t pairs);

#endif
