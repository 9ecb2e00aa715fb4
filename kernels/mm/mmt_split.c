// kernels/mm/mmt_split.c
#include "mmt_split.h"

// ceil(2^32 / d): division by a multiplication, exact below 2^28. Division takes up to 35 cycles,
// constants in L2 take 20.
static RT_L1 uint32_t reciprocal[] = {0,          0,          0x80000000, 0x55555556, 0x40000000,
                                      0x33333334, 0x2aaaaaab, 0x24924925, 0x20000000, 0x1c71c71d,
                                      0x1999999a, 0x1745d175, 0x15555556, 0x13b13b14, 0x12492493,
                                      0x11111112, 0x10000000};

static uint32_t divide(uint32_t total, uint32_t by) {
  return by == 1 ? total : (uint32_t)((uint64_t)total * reciprocal[by] >> 32);
}

static uint32_t blocks_of(uint32_t total, uint32_t largest) {
  return divide(total + largest - 1, largest);
}

struct mmt_groups mmt_groups_of(uint32_t total, uint32_t largest) {
  uint32_t count = blocks_of(total, largest);
  uint32_t missing = count * largest - total; // to have all groups full; < largest
  uint32_t size = largest;
  while (missing >= count) {
    missing -= count;
    size--;
  }
  return (struct mmt_groups){size, count - missing, missing};
}

// Slots of a part of r x c elements (mmt_f32_tile.S): multiply-adds, loads and pointers per step of
// k; clearing, storing and the rest per block.
static uint32_t part_slots(const struct mmt_block *b, uint32_t r, uint32_t c, uint32_t k) {
  uint32_t across = blocks_of(c, b->v), down = blocks_of(r, b->u);
  uint32_t step = r * c + down * c + across * r + 2 * down * across;
  return k * step + 2 * r * c + 30 * down * across;
}

// Cores side by side in a row of the grid: a divisor of their number.
static uint32_t grid_width(const struct mmt_block *b, uint32_t n, uint32_t m, uint32_t k,
                           uint32_t *slots) {
  uint32_t cores = rt_core_count(), best = 1;
  *slots = UINT32_MAX;
  for (uint32_t wide = b->split == MMT_COLS ? cores : 1; wide <= cores; wide++) {
    uint32_t high = divide(cores, wide);
    if (high * wide != cores)
      continue;
    uint32_t s = part_slots(b, blocks_of(n, high), blocks_of(m, wide), k);
    if (s < *slots) {
      *slots = s;
      best = wide;
    }
    if (b->split == MMT_ROWS)
      break;
  }
  return best;
}

uint32_t mmt_slots(const struct mmt_block *block, uint32_t n, uint32_t m, uint32_t k) {
  uint32_t slots;
  grid_width(block, n, m, k, &slots);
  return slots;
}

static struct rt_range share(uint32_t total, uint32_t id, uint32_t of) {
  uint32_t each = divide(total, of), more = total - each * of;
  uint32_t begin = id * each + (id < more ? id : more);
  return (struct rt_range){begin, begin + each + (id < more)};
}

struct mmt_part mmt_part_of(const struct mmt_block *block, uint32_t n, uint32_t m, uint32_t k) {
  uint32_t slots, cores = rt_core_count(), wide = 1;
  if (block->split == MMT_COLS)
    wide = cores;
  else if (block->split == MMT_GRID && cores > 1)
    wide = grid_width(block, n, m, k, &slots);
  uint32_t high = divide(cores, wide), id = rt_core_id(), row = divide(id, wide);
  return (struct mmt_part){share(n, row, high), share(m, id - row * wide, wide)};
}

// The blocks of a strip: `groups` along one side, each of `u` x `v`.
struct strip {
  mmt_tile_fn *const (*tiles)[MMT_TILE_COLS];
  struct mmt_tile tile;
  uint32_t a_line, b_line, size;
};

static void across(struct strip *s, struct mmt_tile t, uint32_t u, const struct mmt_groups *cols) {
  t.a_next = 0;
  for (uint32_t pass = 0; pass < 2; pass++) {
    uint32_t v = cols->size - pass;
    t.blocks = pass ? cols->rest : cols->wide;
    if (t.blocks == 0)
      continue;
    t.b_next = v * s->b_line;
    t.c_next = v * s->size;
    s->tiles[u - 1][v - 1](&t);
    t.b = (const char *)t.b + (size_t)t.blocks * t.b_next;
    t.c = (char *)t.c + (size_t)t.blocks * t.c_next;
  }
}

static void down(struct strip *s, struct mmt_tile t, const struct mmt_groups *rows, uint32_t v) {
  t.b_next = 0;
  for (uint32_t pass = 0; pass < 2; pass++) {
    uint32_t u = rows->size - pass;
    t.blocks = pass ? rows->rest : rows->wide;
    if (t.blocks == 0)
      continue;
    t.a_next = u * s->a_line;
    t.c_next = u * t.c_step;
    s->tiles[u - 1][v - 1](&t);
    t.a = (const char *)t.a + (size_t)t.blocks * t.a_next;
    t.c = (char *)t.c + (size_t)t.blocks * t.c_next;
  }
}

void mmt_run(const struct mmt_block *block, const struct mmt_part *part, mmt_tiles tiles,
             const struct mmt_tile *whole, uint32_t a_line, uint32_t b_line, uint32_t size) {
  uint32_t n = part->rows.end - part->rows.begin, m = part->cols.end - part->cols.begin;
  if (n == 0 || m == 0)
    return;
  struct mmt_groups rows = mmt_groups_of(n, block->u), cols = mmt_groups_of(m, block->v);
  struct strip s = {tiles, *whole, a_line, b_line, size};
  struct mmt_tile *t = &s.tile;
  t->a = (const char *)t->a + (size_t)part->rows.begin * a_line;
  t->b = (const char *)t->b + (size_t)part->cols.begin * b_line;
  t->c = (char *)t->c + (size_t)part->rows.begin * t->c_step + (size_t)part->cols.begin * size;
  bool wide = cols.wide + cols.rest >= rows.wide + rows.rest;
  uint32_t strips = wide ? rows.wide + rows.rest : cols.wide + cols.rest;
  for (uint32_t i = 0; i < strips; i++) {
    uint32_t u = rows.size - (i >= rows.wide), v = cols.size - (i >= cols.wide);
    if (wide) {
      across(&s, *t, u, &cols);
      t->a = (const char *)t->a + (size_t)u * a_line;
      t->c = (char *)t->c + (size_t)u * t->c_step;
    } else {
      down(&s, *t, &rows, v);
      t->b = (const char *)t->b + (size_t)v * b_line;
      t->c = (char *)t->c + (size_t)v * size;
    }
  }
}
