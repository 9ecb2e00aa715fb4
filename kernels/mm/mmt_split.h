// kernels/mm/mmt_split.h: how a matrix product is cut into the cores' parts, and a part into
// blocks.
#ifndef MMT_SPLIT_H
#define MMT_SPLIT_H

#include "kernels/mm/mmt_f32.h"
#include "kernels/mm/mmt_f32_tile.h"
#include "kernels/rt/rt.h"

enum mmt_split { MMT_ROWS, MMT_COLS, MMT_GRID, MMT_ALONE };

struct mmt_block { // a word
  uint8_t u, v;    // largest block
  uint8_t split;   // enum mmt_split; MMT_ALONE: all for the calling core
  uint8_t unroll;  // of k: 0, 1, 2; chooses the table of tiles
} __attribute__((aligned(4)));

extern struct mmt_block mmt_blocks[MMT_F32_COUNT]; // by id, constant

// `wide` groups of `size` and then `rest` groups of `size - 1`.
struct mmt_groups {
  uint32_t size, wide, rest;
};

// As few groups of at most `largest` (1..8) as possible, as equal as possible: nine columns in
// blocks of four become 3 + 3 + 3, not 4 + 4 + 1.
struct mmt_groups mmt_groups_of(uint32_t total, uint32_t largest);

// Where group `group` begins; up to where groups from `begin` on, before `end`, have the same size.
static inline uint32_t mmt_groups_begin(const struct mmt_groups *g, uint32_t group) {
  return group * g->size - (group > g->wide ? group - g->wide : 0);
}
static inline uint32_t mmt_groups_alike(const struct mmt_groups *g, uint32_t begin, uint32_t end,
                                        uint32_t *size) {
  bool wide = begin < g->wide;
  *size = g->size - !wide;
  return wide && end > g->wide ? g->wide : end;
}

// ceil(2^32 / d) for d up to 16, but 0 for 0 and 1. In L1: constants in L2 take 20 cycles.
enum { MMT_RECIPROCALS = 17 };
extern uint32_t mmt_reciprocals[MMT_RECIPROCALS];

// total / by for totals below 2^28: by a multiplication up to 16, where a division takes 33 cycles.
static inline uint32_t mmt_quotient(uint32_t total, uint32_t by) {
  if (by >= MMT_RECIPROCALS)
    return total / by;
  return by == 1 ? total : (uint32_t)((uint64_t)total * mmt_reciprocals[by] >> 32);
}

// Computes this core's part of an n x m result. MMT_GRID takes the highest grid of parts with whole
// groups of rows and four groups of columns or more; if there is none, the one with the fewest
// issue slots for the busiest core, about: sizes beyond 4080 are priced wrongly. `pointers`: half
// slots that a block's pointers take in a step of k, 2 an operand in `steps` and 1 a line of the
// others (mmt_f32_tile.S). `tile` describes the whole matrices (a, b, c, c_step, k, add; `next`:
// bytes from row to row of A, from column to column of B, from element to element of C) and is used
// up.
void mmt_run(struct mmt_block block, uint32_t pointers, uint32_t n, uint32_t m, mmt_tiles tiles,
             struct mmt_tile *tile);

// The calls that mmt_run() would make on this core, to be made again and again on other operands of
// the same shape. `count` beyond MMT_PLAN_JOBS: too many to be noted.
enum { MMT_PLAN_JOBS = 4 };
struct mmt_job {
  mmt_tile_fn *fn;
  struct mmt_tile tile;
};
struct mmt_plan {
  uint32_t count;
  struct mmt_job job[MMT_PLAN_JOBS];
};
void mmt_plan(struct mmt_block block, uint32_t pointers, uint32_t n, uint32_t m, mmt_tiles tiles,
              struct mmt_tile *tile, struct mmt_plan *plan);

#endif
