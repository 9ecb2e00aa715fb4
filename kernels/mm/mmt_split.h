// kernels/mm/mmt_split.h: how a matrix is cut into the cores' parts, and a part into blocks.
#ifndef MMT_SPLIT_H
#define MMT_SPLIT_H

#include "kernels/mm/mmt_f32_tile.h"
#include "kernels/rt/rt.h"

enum mmt_split { MMT_ROWS, MMT_COLS, MMT_GRID };

struct mmt_block {
  uint8_t u, v; // largest block
  uint8_t split;
};

struct mmt_part {
  struct rt_range rows, cols;
};

// `wide` groups of `size` and then `rest` groups of `size - 1`.
struct mmt_groups {
  uint32_t size, wide, rest;
};

// As few groups of at most `largest` (1..8) as possible, as equal as possible: nine columns in
// blocks of four become 3 + 3 + 3, not 4 + 4 + 1.
struct mmt_groups mmt_groups_of(uint32_t total, uint32_t largest);

// This core's part of an N x M matrix; empty if there are more cores than work.
struct mmt_part mmt_part_of(const struct mmt_block *block, uint32_t n, uint32_t m, uint32_t k);

// Issue slots of the busiest core, about.
uint32_t mmt_slots(const struct mmt_block *block, uint32_t n, uint32_t m, uint32_t k);

// Computes a part: `tile` describes the whole matrices (a, b, c, steps, k, add); a_line, b_line:
// bytes from row to row of A, from column to column of B; size: bytes of an element of C.
void mmt_run(const struct mmt_block *block, const struct mmt_part *part, mmt_tiles tiles,
             const struct mmt_tile *whole, uint32_t a_line, uint32_t b_line, uint32_t size);

#endif
