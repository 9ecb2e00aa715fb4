// kernels/mm/mmt_split.c
//
// All of this runs before and between the blocks, from cold instruction caches: a line of code
// costs more than what it does. Hence one loop for everything, and no division.
#include "mmt_split.h"

// ceil(2^32 / d): division by a multiplication, exact below 2^28. Division takes up to 35 cycles,
// constants in L2 take 20.
static RT_L1 uint32_t reciprocal[] = {0,          0,          0x80000000, 0x55555556, 0x40000000,
                                      0x33333334, 0x2aaaaaab, 0x24924925, 0x20000000, 0x1c71c71d,
                                      0x1999999a, 0x1745d175, 0x15555556, 0x13b13b14, 0x12492493,
                                      0x11111112, 0x10000000};

// ceil(2^15 / d), for one cycle instead of five: exact below 4096.
static RT_L1 uint16_t per[] = {0,    0x8000, 0x4000, 10923, 0x2000, 6554, 5462, 4682, 0x1000,
                               3641, 3277,   2979,   2731,  2521,   2341, 2185, 0x800};

static inline uint32_t count_of(uint32_t total, uint32_t by) {
  return (total + by - 1) * per[by] >> 15;
}

static uint32_t divide(uint32_t total, uint32_t by) {
  return by == 1 ? total : (uint32_t)((uint64_t)total * reciprocal[by] >> 32);
}

struct mmt_groups mmt_groups_of(uint32_t total, uint32_t largest) {
  uint32_t count = divide(total + largest - 1, largest);
  uint32_t missing = count * largest - total; // to have all groups full; < largest
  uint32_t size = largest;
  while (missing >= count) {
    missing -= count;
    size--;
  }
  return (struct mmt_groups){size, count - missing, missing};
}

enum { BLOCK_HALVES = 2 * 50 }; // half slots of a block outside its loop

uint32_t mmt_wide(struct mmt_block block, const struct mmt_size *size) {
  uint32_t cores = rt_core_count(), u = block.u, v = block.v;
  if (block.split != MMT_GRID)
    return block.split == MMT_ROWS ? 1 : cores;
  // Half slots of a block's pointers: lines are moved on every second step.
  uint32_t pointers = (size->a_lines ? u : 2) + (size->b_lines ? v : 2);
  uint32_t least = UINT32_MAX, best = 1;
  for (uint32_t high = cores, wide = 1;;) {
    uint32_t r = count_of(size->n, high), c = count_of(size->m, wide);
    uint32_t down = count_of(r, u), across = count_of(c, v), blocks = down * across;
    uint32_t step = 2 * (r * c + down * c + across * r) + blocks * pointers;
    uint32_t halves = size->k * step + blocks * BLOCK_HALVES;
    if (halves < least) {
      least = halves;
      best = wide;
    }
    if (high == 1)
      return best;
    uint32_t by = high % 2 ? high : 2; // 8 1, 4 2, 2 4, 1 8; 6 1, 3 2, 1 6
    wide *= by;
    high = high % 2 ? 1 : high / 2;
  }
}

static struct rt_range share(uint32_t total, uint32_t id, uint32_t of) {
  uint32_t each = divide(total, of), more = total - each * of;
  uint32_t begin = id * each + (id < more ? id : more);
  return (struct rt_range){begin, begin + each + (id < more)};
}

struct mmt_part mmt_part_of(uint32_t wide, uint32_t n, uint32_t m) {
  uint32_t row = 0, column = rt_core_id();
  for (; column >= wide; column -= wide)
    row++;
  return (struct mmt_part){share(n, row, divide(rt_core_count(), wide)), share(m, column, wide)};
}

// The blocks run along the side with more groups, strip by strip.
struct side {
  struct mmt_groups groups;
  uint32_t line, c_line; // bytes from line to line: of the operand, of C
  const void **operand;  // in the tile
  uint32_t *next;
};

// `fn`: the tile function of one line, those of more lines `fn_step` further each. Leaves the tile
// at the strip's end.
static void strip(mmt_tile_fn *const *fn, uint32_t fn_step, const struct side *along,
                  struct mmt_tile *t) {
  uint32_t size = along->groups.size;
  for (t->blocks = along->groups.wide; t->blocks > 0; t->blocks = along->groups.rest, size--) {
    *along->next = size * along->line;
    t->c_next = size * along->c_line;
    fn[(size - 1) * fn_step](t);
    *along->operand = (const char *)*along->operand + t->blocks * *along->next;
    t->c = (char *)t->c + t->blocks * t->c_next;
    if (size < along->groups.size)
      return;
  }
}

static void strips(mmt_tile_fn *const *fn, const uint32_t fn_step[2], const struct side side[2],
                   struct mmt_tile *t) {
  const void *operand = *side[0].operand;
  void *c = t->c;
  *side[1].next = 0;
  uint32_t lines = side[1].groups.size;
  for (uint32_t i = side[1].groups.wide + side[1].groups.rest; i > 0; i--) {
    if (i == side[1].groups.rest)
      lines--;
    strip(fn + (lines - 1) * fn_step[1], fn_step[0], &side[0], t);
    *side[0].operand = operand;
    *side[1].operand = (const char *)*side[1].operand + lines * side[1].line;
    c = (char *)c + lines * side[1].c_line;
    t->c = c;
  }
}

void mmt_run(struct mmt_block block, const struct mmt_part *part, mmt_tiles tiles,
             struct mmt_tile *t, uint32_t a_line, uint32_t b_line, uint32_t bytes) {
  uint32_t n = part->rows.end - part->rows.begin, m = part->cols.end - part->cols.begin;
  if (n == 0 || m == 0)
    return;
  t->a = (const char *)t->a + part->rows.begin * a_line;
  t->b = (const char *)t->b + part->cols.begin * b_line;
  t->c = (char *)t->c + part->rows.begin * t->c_step + part->cols.begin * bytes;
  const struct side rows = {mmt_groups_of(n, block.u), a_line, t->c_step, &t->a, &t->a_next};
  const struct side cols = {mmt_groups_of(m, block.v), b_line, bytes, &t->b, &t->b_next};
  if (cols.groups.wide + cols.groups.rest >= rows.groups.wide + rows.groups.rest)
    strips(&tiles[0][0], (const uint32_t[]){1, MMT_TILE_COLS}, (const struct side[]){cols, rows},
           t);
  else
    strips(&tiles[0][0], (const uint32_t[]){MMT_TILE_COLS, 1}, (const struct side[]){rows, cols},
           t);
}
