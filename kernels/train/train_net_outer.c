// kernels/train/train_net_outer.c: see train_net_outer.h.
//
// Step g: the rows of g are there, those of g + 1 come in, the results of g - 1 leave. Blocks are
// 6 x 4, or 5 x 5 where columns are shared out evenly so.
//
// Each core brings its own columns, and begins when those of its first block are there.
#include "train_net_outer.h"

#include <stddef.h>

#include "kernels/mm/mmt_f32_tiles.h"
#include "kernels/mm/mmt_split.h"
#include "kernels/rt/rt.h"

enum { PLANE = MMT_TILE_PITCH, PLANE_BYTES = 4 * PLANE };

struct block {
  uint32_t high, wide;
};

static bool shares_well(uint32_t groups, uint32_t cores) {
  return 8 * groups >= 7 * cores * ((groups + cores - 1) / cores);
}

static struct block block_of(uint32_t m, uint32_t cores) {
  bool fours = m % 4 == 0 && shares_well(m / 4, cores);
  return !fours && m % 5 == 0 ? (struct block){5, 5} : (struct block){6, 4};
}

bool train_net_outer_fits(uint32_t l1_bytes, uint32_t cores, const struct train_net_outer *o) {
  if (o->plane != PLANE)
    return false;
  const struct block block = block_of(o->m, cores);
  return o->m % block.wide == 0 && shares_well(o->m / block.wide, cores) &&
         mmt_groups_of(o->n, block.high).size == block.high &&
         4 * (o->m * PLANE + 2 * block.high * (PLANE + o->m)) <= l1_bytes;
}

// Where things are in L1, and this core's part of a step.
struct run {
  const struct train_net_outer *outer;
  struct block block;
  float *rows[2], *out[2];
  mmt_tile_fn *fn[2]; // on whole groups of rows, and on those of one less
  struct mmt_tile tile;
  float *columns;
  uint32_t column, blocks; // this core's columns begin there; blocks of them
  unsigned open;           // its transfers of rows and of results
};

static void plan(struct run *r, const struct train_net_outer *o, float *l1) {
  const struct rt_range mine = rt_share(o->m / r->block.wide);
  float *next = l1 + o->m * PLANE;
  for (uint32_t i = 0; i < 2; i++, next += r->block.high * (PLANE + o->m)) {
    r->rows[i] = next;
    r->out[i] = next + r->block.high * PLANE;
    r->fn[i] = mmt_tiles_s_ntp[r->block.high - 1 - i][r->block.wide - 1];
  }
  r->outer = o;
  r->column = mine.begin * r->block.wide;
  r->columns = l1 + r->column * PLANE;
  r->blocks = mine.end - mine.begin;
  struct mmt_tile *t = &r->tile;
  t->a.next = 0;
  t->b.next = r->block.wide * PLANE_BYTES;
  t->c_step = 4 * o->m;
  t->c_next = 4 * r->block.wide;
  t->k = PLANE;
  t->add = 0;
}

// Some of this core's blocks of columns.
static unsigned bring_columns(const struct run *r, uint32_t begin, uint32_t end) {
  uint32_t planes = begin * r->block.wide, count = (end - begin) * r->block.wide;
  unsigned open = rt_dma_open();
  if (count)
    rt_dma_also_in(r->columns + planes * PLANE, r->outer->in + (r->column + planes) * PLANE,
                   count * PLANE_BYTES);
  return open;
}

// By the first core, behind what it did so far.
static void bring_rows(struct run *r, uint32_t step, uint32_t row, uint32_t rows) {
  if (rt_core_id() != 0)
    return;
  rt_dma_also_in(r->rows[step % 2], r->outer->out_grad + row * PLANE, rows * PLANE_BYTES);
}

// By the last core.
static void store(struct run *r, uint32_t step, uint32_t row, uint32_t rows) {
  uint32_t m = r->outer->m;
  if (rt_core_id() + 1 != rt_core_count())
    return;
  rt_dma_also_out(r->outer->weights_grad + row * m, r->out[step % 2], 4 * rows * m);
}

// Blocks begin..end-1 of this core's columns.
static inline void multiply(struct run *r, uint32_t step, uint32_t rows, uint32_t begin,
                            uint32_t end) {
  struct mmt_tile *t = &r->tile;
  uint32_t column = begin * r->block.wide;
  t->a.at = r->rows[step % 2];
  t->b.at = r->columns + column * PLANE;
  t->c = r->out[step % 2] + r->column + column;
  t->blocks = end - begin;
  if (begin < end)
    r->fn[r->block.high - rows](t);
}

// Three steps of k on what lies at the second places, for the code to be in the caches when the
// first operands are: to fetch it takes as long as these.
static inline void warm_up(struct run *r) {
  struct mmt_tile *t = &r->tile;
  t->a.at = t->b.at = r->rows[1];
  t->c = r->out[1] + r->column;
  t->k = 3;
  t->blocks = 1;
  if (r->blocks)
    r->fn[0](t);
  t->k = PLANE;
}

static void finish_and_meet(struct run *r) {
  rt_dma_wait(r->open);
  rt_barrier();
  r->open = rt_dma_open();
}

// What the first step begins with: its rows and this core's first block of columns. The others come
// while that is multiplied: a core's port to the DMA is blocked until its last command begins, so
// that they would be waited for, too.
static void begin(struct run *r, uint32_t rows) {
  uint32_t first = r->blocks < 1 ? r->blocks : 1;
  unsigned open = bring_columns(r, 0, first);
  bring_rows(r, 0, 0, rows);
  warm_up(r);
  rt_dma_wait(open);
  rt_barrier();
  r->open = bring_columns(r, first, r->blocks);
  multiply(r, 0, rows, 0, first);
  rt_dma_wait(r->open);
  r->open = rt_dma_open();
}

void train_net_outer(const struct train_net *net, const struct train_net_outer *o) {
  struct run r; // field by field: the compiler would call memset()
  r.block = block_of(o->m, rt_core_count());
  const struct mmt_groups groups = mmt_groups_of(o->n, r.block.high);
  const uint32_t steps = groups.wide + groups.rest;
  uint32_t row = 0, rows = groups.size, before = 0;
  plan(&r, o, net->l1);
  begin(&r, rows);
  for (uint32_t step = 0; step < steps; step++) {
    uint32_t next = groups.size - (step + 1 >= groups.wide);
    if (step > 0) {
      finish_and_meet(&r);
      store(&r, step - 1, row - before, before);
    }
    if (step + 1 < steps)
      bring_rows(&r, step + 1, row + rows, next);
    multiply(&r, step, rows, step == 0, r.blocks);
    row += rows;
    before = rows;
    rows = next;
  }
  finish_and_meet(&r);
  store(&r, steps - 1, row - before, before);
  rt_dma_wait(r.open);
  rt_barrier();
}
