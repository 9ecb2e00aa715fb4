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

static inline uint32_t count_of(uint32_t total, uint32_t by) {
  return (total + by - 1) * per[by] >> 15;
}

// Of groups and cores: `by` is at most 16.
static uint32_t divide(uint32_t total, uint32_t by) {
  if (by >= MMT_RECIPROCALS)
    __builtin_unreachable();
  return mmt_quotient(total, by);
}

static inline struct mmt_groups groups_of(uint32_t total, uint32_t largest) {
  uint32_t count = divide(total + largest - 1, largest);
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

enum { BLOCK_HALVES = 2 * 50 }; // half slots of a block outside its loop

// Cores side by side in a row of the grid: a divisor of their number. As the grid gets wider, the
// price falls and then rises.
static uint32_t grid_width(struct mmt_block block, const struct mmt_work *w, uint32_t k) {
  // Half slots of a block's pointers: lines are moved on every second step.
  uint32_t pointers = (w->a_lines ? block.u : 2u) + (w->b_lines ? block.v : 2u);
  uint32_t each = k * pointers + BLOCK_HALVES;
  uint32_t least = UINT32_MAX, best = 1;
  for (uint32_t high = rt_core_count(), wide = 1;;) {
    uint32_t r = count_of(w->n, high), c = count_of(w->m, wide);
    uint32_t down = count_of(r, block.u), across = count_of(c, block.v);
    uint32_t halves = 2 * k * ((r + down) * c + across * r) + down * across * each;
    if (halves > least)
      return best;
    least = halves;
    best = wide;
    if (high == 1)
      return best;
    wide *= high % 2 ? high : 2; // 8 1, 4 2, 2 4, 1 8; 6 1, 3 2, 1 6
    high = high % 2 ? 1 : high / 2;
  }
}

// One side of a core's part: rows (0) or columns (1). Blocks run along the side with more groups,
// strip by strip.
struct side {
  struct mmt_groups groups;
  uint32_t line, c_line; // bytes from line to line: of the operand, of C
  uint32_t fn_step;      // in the table of tiles
  struct mmt_operand *operand;
};

// Full groups along all strips first, then the others: each tile is fetched once.
static void strips(mmt_tiles tiles, const struct side *along, const struct side *down,
                   struct mmt_tile *t) {
  const char *operand = down->operand->at;
  char *c = t->c;
  uint32_t size = along->groups.size;
  down->operand->next = 0;
  for (t->blocks = along->groups.wide;; t->blocks = along->groups.rest) {
    uint32_t lines = down->groups.size;
    mmt_tile_fn *fn = NULL; // kept, as L2 is 20 cycles away
    along->operand->next = size * along->line;
    t->c_next = size * along->c_line;
    for (uint32_t i = down->groups.wide + down->groups.rest; i > 0; i--) {
      if (i == down->groups.rest) {
        lines--;
        fn = NULL;
      }
      if (!fn)
        fn = (&tiles[0][0])[(lines - 1) * down->fn_step + (size - 1) * along->fn_step];
      fn(t);
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

void mmt_run(struct mmt_block block, const struct mmt_work *w, mmt_tiles tiles,
             struct mmt_tile *t) {
  uint32_t cores = rt_core_count(), row = 0, column = rt_core_id(), wide = cores;
  if (block.split == MMT_ALONE)
    wide = cores = 1, column = 0;
  else if (block.split == MMT_GRID)
    wide = grid_width(block, w, t->k);
  else if (block.split == MMT_ROWS)
    wide = 1;
  for (; column >= wide; column -= wide)
    row++;
  struct side side[2] = {{.line = w->a_line, .c_line = t->c_step, .operand = &t->a},
                         {.line = w->b_line, .c_line = w->bytes, .operand = &t->b}};
  side[0].fn_step = MMT_TILE_COLS;
  side[1].fn_step = 1;
  for (uint32_t i = 0; i < 2; i++) {
    struct side *s = &side[i];
    uint32_t total = i ? w->m : w->n, of = i ? wide : divide(cores, wide), id = i ? column : row;
    uint32_t each = divide(total, of), more = total - each * of;
    uint32_t begin = id * each + (id < more ? id : more);
    each += id < more;
    if (each == 0) // more cores than work
      return;
    s->groups = groups_of(each, i ? block.v : block.u);
    s->operand->at = (const char *)s->operand->at + begin * s->line;
    t->c = (char *)t->c + begin * s->c_line;
  }
  bool tall = side[0].groups.wide + side[0].groups.rest > side[1].groups.wide + side[1].groups.rest;
  strips(tiles, &side[!tall], &side[tall], t);
}

// In L1: read before every product.
RT_L1 struct mmt_block mmt_blocks[MMT_F32_COUNT] = {
#define MMT_F32(name, u, v, split, unroll) {u, v, MMT_##split, unroll},
#include "mmt_f32.def"
#undef MMT_F32
};
