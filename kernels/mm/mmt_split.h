// kernels/mm/mmt_split.h: how a matrix product is cut into the cores' parts, and a part into
// blocks.
#ifndef MMT_SPLIT_H
#define MMT_SPLIT_H

#include "kernels/mm/mmt_f32_tile.h"
#include "kernels/rt/rt.h"

enum mmt_split { MMT_ROWS, MMT_COLS, MMT_GRID };

struct mmt_block { // a word: read from L2, 20 cycles an access
  uint8_t u, v;    // largest block
  uint8_t split;   // enum mmt_split
} __attribute__((aligned(4)));

// The whole product: what matters to the choice.
struct mmt_size {
  uint32_t n, m, k;
  bool a_lines, b_lines; // mmt_f32_tile.S
};

// Cores side by side in a row of the grid of parts: a divisor of their number. A grid is the one
// with the fewest issue slots for the busiest core, about: sizes beyond 4095 are priced wrongly.
uint32_t mmt_wide(struct mmt_block block, const struct mmt_size *size);

struct mmt_part {
  struct rt_range rows, cols;
};

// This core's part of an N x M matrix; empty if there are more cores than work.
struct mmt_part mmt_part_of(uint32_t wide, uint32_t n, uint32_t m);

// `wide` groups of `size` and then `rest` groups of `size - 1`.
struct mmt_groups {
  uint32_t size, wide, rest;
};

// As few groups of at most `largest` (1..8) as possible, as equal as possible: nine columns in
// blocks of four become 3 + 3 + 3, not 4 + 4 + 1.
struct mmt_groups mmt_groups_of(uint32_t total, uint32_t largest);

// Computes a part: `tile` describes the whole matrices (a, b, c, steps, k, add) and is used up;
// a_line, b_line: bytes from row to row of A, from column to column of B; bytes: of an element of
// C.
void mmt_run(struct mmt_block block, const struct mmt_part *part, mmt_tiles tiles,
             struct mmt_tile *tile, uint32_t a_line, uint32_t b_line, uint32_t bytes);

#endif
