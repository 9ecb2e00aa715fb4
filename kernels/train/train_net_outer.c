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
  uint32_t row = PLANE + (o->weights ? 2 : 1) * o->m;
  return o->m % block.wide == 0 && shares_well(o->m / block.wide, cores) &&
         mmt_groups_of(o->n, block.high).size == block.high &&
         4 * (o->m * PLANE + 2 * block.high * row) <= l1_bytes;
}

// Where things are in L1, and this core's part of a step.
struct run {
  const struct train_net_outer *outer;
  struct block block;
  float *rows[2], *out[2], *weights[2];
  mmt_tile_fn *fn[2]; // on whole groups of rows, and on those of one less
  struct mmt_tile tile;
  float *columns;
  uint32_t column, blocks; // this core's columns begin there; blocks of them
  unsigned open;           // its transfers of rows and of results
};

static void plan(struct run *r, const struct train_net_outer *o, float *l1) {
  const struct rt_range mine = rt_share(o->m / r->block.wide);
  float *next = l1 + o->m * PLANE;
  for (uint32_t i = 0; i < 2; i++) {
    r->rows[i] = next;
    r->out[i] = r->rows[i] + r->block.high * PLANE;
    r->weights[i] = r->out[i] + r->block.high * o->m;
    next = o->weights ? r->weights[i] + r->block.high * o->m : r->weights[i];
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
  t->add = o->weights ? 4 * r->block.high * o->m : 0; // behind the results
  t->factor = o->factor;
}

// By the first core, behind what it did so far; the weights by the last one.
static void bring_rows(struct run *r, uint32_t step, uint32_t row, uint32_t rows) {
  const struct train_net_outer *o = r->outer;
  if (rt_core_id() == 0)
    rt_dma_also_in(r->rows[step % 2], o->out_grad + row * PLANE, rows * PLANE_BYTES);
  if (o->weights && rt_core_id() + 1 == rt_core_count())
    rt_dma_also_in(r->weights[step % 2], o->weights + row * o->m, 4 * rows * o->m);
}

// By the last core.
static void store(struct run *r, uint32_t step, uint32_t row, uint32_t rows) {
  const struct train_net_outer *o = r->outer;
  if (rt_core_id() + 1 == rt_core_count())
    rt_dma_also_out((o->weights ? o->weights : o->weights_grad) + row * o->m, r->out[step % 2],
                    4 * rows * o->m);
}

// This core's columns, `blocks` of them.
static __attribute__((noinline)) void multiply(struct run *r, uint32_t step, uint32_t rows,
                                               uint32_t blocks) {
  struct mmt_tile *t = &r->tile;
  t->a.at = r->rows[step % 2];
  t->b.at = r->columns;
  t->c = r->out[step % 2] + r->column;
  t->blocks = blocks;
  if (blocks)
    r->fn[r->block.high - rows](t);
}

// A block of three steps of k, of what lies at the second places: the code comes into the caches
// before the DMA moves much, beside which a line takes four times as long.
static inline void warm_up(struct run *r) {
  r->tile.k = 3;
  multiply(r, 1, r->block.high, r->blocks < 1 ? r->blocks : 1);
  r->tile.k = PLANE;
}

static void finish_and_meet(struct run *r) {
  rt_dma_wait(r->open);
  rt_barrier();
  r->open = rt_dma_open();
}

// What the first step begins with. Columns are the most: behind all code that they might delay.
static void begin(struct run *r, uint32_t rows) {
  uint32_t planes = r->blocks * r->block.wide;
  warm_up(r);
  r->open = rt_dma_open();
  bring_rows(r, 0, 0, rows);
  rt_dma_wait(r->open);
  r->open = rt_dma_open();
  if (planes)
    rt_dma_also_in(r->columns, r->outer->in + r->column * PLANE, planes * PLANE_BYTES);
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
    finish_and_meet(&r);
    if (step > 0)
      store(&r, step - 1, row - before, before);
    if (step + 1 < steps)
      bring_rows(&r, step + 1, row + rows, next);
    multiply(&r, step, rows, r.blocks);
    row += rows;
    before = rows;
    rows = next;
  }
  finish_and_meet(&r);
  store(&r, steps - 1, row - before, before);
  rt_dma_wait(r.open);
  rt_barrier();
}
