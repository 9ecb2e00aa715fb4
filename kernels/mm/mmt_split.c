// kernels/mm/mmt_split.c
//
// All of this runs before and between the blocks, from cold instruction caches: a line of code
// costs more than what it does. Hence one loop for everything, and no division.
#include "mmt_split.h"

#include <stddef.h>

RT_L1 uint32_t mmt_reciprocals[MMT_RECIPROCALS] = {
    0,          0,          0x80000000, 0x55555556, 0x40000000, 0x33333334,
    0x2aaaaaab, 0x24924925, 0x20000000, 0x1c71c71d, 0x1999999a, 0x1745d175,
    0x15555556, 0x13b13b14, 0x12492493, 0x11111112, 0x10000000};

// ceil(2^15 / d), for one cycle instead of five: exact below 4096.
static RT_L1 uint16_t per[] = {0,    0x8000, 0x4000, 10923, 0x2000, 6554, 5462, 4682, 0x1000,
                               3641, 3277,   2979,   2731,  2521,   2341, 2185, 0x800};
enum { COUNTED = 4096 - 16 };

// ceil(total / by), `by` at most 16, for totals up to COUNTED
static inline uint32_t count_of(uint32_t total, uint32_t by) {
  return (total + by - 1) * per[by] >> 15;
}

// and for all. Aside: a core divides even in the shadow of a branch.
static __attribute__((noinline)) uint32_t many_parts_of(uint32_t total, uint32_t by) {
  return (total - 1) / by + 1;
}
static inline uint32_t parts_of(uint32_t total, uint32_t by) {
  return __builtin_expect(total <= COUNTED, 1) ? count_of(total, by) : many_parts_of(total, by);
}

static inline struct mmt_groups groups_of(uint32_t total, uint32_t largest) {
  uint32_t count = parts_of(total, largest);
  uint32_t missing = count * largest - total; // to have all groups full; < largest
  uint32_t size = largest;
  while (missing >= count) {
    missing -= count;
    size--;
  }
  return (struct mmt_groups){size, count - missing, missing};
}

struct mmt_groups mmt_groups_of(uint32_t total, uint32_t largest) {
  return groups_of(total, largest);
}

// Cores on top of each other and side by side.
struct grid {
  uint32_t high, wide;
};

enum { BLOCK_HALVES = 2 * 50 }; // half slots of a block outside its loop

// As the grid gets wider, the price falls and then rises.
static struct grid cheapest(struct mmt_block block, uint32_t pointers, uint32_t n, uint32_t m,
                            uint32_t k) {
  uint32_t each = k * pointers + BLOCK_HALVES, least = UINT32_MAX;
  struct grid grid = {rt_core_count(), 1}, best = grid;
  for (;;) {
    uint32_t r = count_of(n, grid.high), c = count_of(m, grid.wide);
    uint32_t down = count_of(r, block.u), across = count_of(c, block.v);
    uint32_t halves = 2 * k * ((r + down) * c + across * r) + down * across * each;
    if (halves > least)
      return best;
    least = halves;
    best = grid;
    if (grid.high == 1)
      return best;
    grid.wide *= grid.high % 2 ? grid.high : 2; // 8 1, 4 2, 2 4, 1 8; 6 1, 3 2, 1 6
    grid.high = grid.high % 2 ? 1 : grid.high / 2;
  }
}

// Aside, as it is not the usual way.
static __attribute__((noinline)) struct grid grid_for(struct mmt_block block, uint32_t pointers,
                                                      uint32_t n, uint32_t m, uint32_t k) {
  if (block.split == MMT_GRID)
    return cheapest(block, pointers, n, m, k);
  uint32_t cores = block.split == MMT_ALONE ? 1 : rt_core_count();
  return block.split == MMT_COLS ? (struct grid){1, cores} : (struct grid){cores, 1};
}

// One side of a core's part: rows or columns.
struct side {
  struct mmt_groups groups;
  uint32_t line, c_line; // bytes from line to line: of the operand, of C
  uint32_t fn_step;      // in the table of tiles
  struct mmt_operand *operand;
};

static inline uint32_t count(const struct mmt_groups *groups) {
  return groups->wide + groups->rest;
}

// The highest grid in which every core has whole groups of rows, which it notes, if that leaves
// four groups of columns or more to each: no other is cheaper then, but by a few percent where
// these are small. For powers of two of cores. False if there is none.
static inline bool whole_groups(struct mmt_block block, uint32_t n, uint32_t m, struct grid *grid,
                                struct mmt_groups *rows) {
  uint32_t groups = count_of(n, block.u), cores = rt_core_count();
  uint32_t high = groups & -groups, wide = 1;
  if (high > cores)
    high = cores;
  for (uint32_t row = high; row < cores; row *= 2)
    wide *= 2;
  *grid = (struct grid){high, wide};
  *rows = (struct mmt_groups){block.u, count_of(groups, high), 0};
  return groups * block.u == n && 4 * wide * block.v <= m && (cores & (cores - 1)) == 0;
}

// Share `id` of a side of `total` lines, `each` a core; returns its lines, 0 if nothing is left.
static inline uint32_t share(struct side *s, struct mmt_tile *t, uint32_t total, uint32_t each,
                             uint32_t id) {
  uint32_t begin = id * each;
  if (begin >= total)
    return 0;
  s->line = s->operand->next;
  s->operand->at = (const char *)s->operand->at + begin * s->line;
  t->c = (char *)t->c + begin * s->c_line;
  total -= begin;
  return total < each ? total : each;
}

// A call of a tile, or what it would be: noted if there is still room.
static inline __attribute__((always_inline)) void call(mmt_tile_fn *fn, const struct mmt_tile *t,
                                                       struct mmt_plan *plan) {
  if (!plan)
    fn(t);
  else if (plan->count++ < MMT_PLAN_JOBS)
    plan->job[plan->count - 1] = (struct mmt_job){fn, *t};
}

// Strip by strip, the blocks along the side with more groups. Full groups along all strips first,
// then the others: each tile is fetched once.
static inline __attribute__((always_inline)) void strips(mmt_tiles tiles, const struct side *along,
                                                         const struct side *down,
                                                         struct mmt_tile *t,
                                                         struct mmt_plan *plan) {
  const char *operand = down->operand->at;
  char *c = t->c;
  uint32_t size = along->groups.size;
  down->operand->next = 0;
  for (t->blocks = along->groups.wide;; t->blocks = along->groups.rest) {
    uint32_t lines = down->groups.size;
    mmt_tile_fn *fn = NULL; // kept, as L2 is 20 cycles away
    along->operand->next = size * along->line;
    t->c_next = size * along->c_line;
    for (uint32_t i = count(&down->groups);;) {
      if (i == down->groups.rest) {
        lines--;
        fn = NULL;
      }
      if (!fn)
        fn = (&tiles[0][0])[(lines - 1) * down->fn_step + (size - 1) * along->fn_step];
      call(fn, t, plan);
      if (--i == 0)
        break;
      down->operand->at = (const char *)down->operand->at + lines * down->line;
      t->c = (char *)t->c + lines * down->c_line;
    }
    if (size < along->groups.size || along->groups.rest == 0)
      return;
    size--;
    along->operand->at = (const char *)along->operand->at + t->blocks * along->operand->next;
    down->operand->at = operand;
    t->c = c += t->blocks * t->c_next;
  }
}

// In line in both, so that a product runs what it needs alone.
static inline __attribute__((always_inline)) void run(struct mmt_block block, uint32_t pointers,
                                                      uint32_t n, uint32_t m, mmt_tiles tiles,
                                                      struct mmt_tile *t, struct mmt_plan *plan) {
  uint32_t row = 0, column = block.split == MMT_ALONE ? 0 : rt_core_id(), lines;
  struct side rows, columns;
  struct grid grid;
  bool whole = block.split == MMT_GRID && whole_groups(block, n, m, &grid, &rows.groups);
  if (!whole)
    grid = grid_for(block, pointers, n, m, t->k);
  for (; column >= grid.wide; column -= grid.wide)
    row++;
  rows.operand = &t->a;
  rows.c_line = t->c_step;
  rows.fn_step = MMT_TILE_COLS;
  lines = share(&rows, t, n, whole ? rows.groups.wide * block.u : parts_of(n, grid.high), row);
  if (lines == 0) // more cores than work
    return;
  if (!whole)
    rows.groups = groups_of(lines, block.u);
  columns.operand = &t->b;
  columns.c_line = t->c_next;
  columns.fn_step = 1;
  lines = share(&columns, t, m, parts_of(m, grid.wide), column);
  if (lines == 0)
    return;
  columns.groups = groups_of(lines, block.v);
  if (count(&rows.groups) > count(&columns.groups))
    strips(tiles, &rows, &columns, t, plan);
  else
    strips(tiles, &columns, &rows, t, plan);
}

void mmt_run(struct mmt_block block, uint32_t pointers, uint32_t n, uint32_t m, mmt_tiles tiles,
             struct mmt_tile *t) {
  run(block, pointers, n, m, tiles, t, NULL);
}

void mmt_plan(struct mmt_block block, uint32_t pointers, uint32_t n, uint32_t m, mmt_tiles tiles,
              struct mmt_tile *t, struct mmt_plan *plan) {
  plan->count = 0;
  run(block, pointers, n, m, tiles, t, plan);
}

// In L1: read before every product.
RT_L1 struct mmt_block mmt_blocks[MMT_F32_COUNT] = {
#define MMT_F32(name, u, v, split, unroll) {u, v, MMT_##split, unroll},
#include "mmt_f32.def"
#undef MMT_F32
};
