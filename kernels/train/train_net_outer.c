// kernels/train/train_net_outer.c: see train_net_outer.h.
//
// Step g: the rows of g are there, those of g + 1 come in, the results of g - 1 leave. Blocks are
// 6 x 4, or 5 x 5 where columns are shared out evenly so.
//
// A core has two transfers under way, each under an identifier of its own (rt.h): what comes in two
// dimensions must be the last under its own.
#include "train_net_outer.h"

#include <stddef.h>

#include "kernels/mm/mmt_f32_tiles.h"
#include "kernels/mm/mmt_split.h"
#include "kernels/rt/rt.h"

enum { RUN = MMT_TILE_PITCH, RUN_BYTES = 4 * RUN };

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
  const struct block block = block_of(o->m, cores);
  if (o->m % block.wide != 0 || !shares_well(o->m / block.wide, cores) || o->plane % RUN != 0 ||
      mmt_groups_of(o->n, block.high).size != block.high)
    return false;
  return 4 * (o->m * o->plane + 2 * block.high * (o->plane + o->m)) <= l1_bytes;
}

// Where things are in L1, and this core's part of a step.
struct run {
  unsigned open[2]; // its transfers, the older first
  const struct train_net_outer *outer;
  struct block block;
  float *rows[2], *out[2];
  mmt_tile_fn *fn[2]; // on whole groups of rows, and on those of one less
  struct mmt_tile tile;
  const float *columns;
  uint32_t column;
};

static void start(struct run *r) {
  rt_dma_wait(r->open[0]);
  r->open[0] = r->open[1];
  r->open[1] = rt_dma_open();
}

// All that this core started.
static void finish(struct run *r) {
  start(r);
  start(r);
}

// Planes by runs, [run][plane][RUN]: each core brings some of the runs.
static void bring(struct run *r, float *to, const float *from, uint32_t planes) {
  uint32_t plane = r->outer->plane;
  for (uint32_t run = rt_core_id(); run * RUN < plane; run += rt_core_count()) {
    start(r);
    rt_dma_also_in_2d(to + run * planes * RUN, from + run * RUN, planes, RUN_BYTES, 4 * plane);
  }
}

static void plan(struct run *r, const struct train_net_outer *o, float *l1) {
  const struct rt_range mine = rt_share(o->m / r->block.wide);
  float *next = l1 + o->m * o->plane;
  for (uint32_t i = 0; i < 2; i++, next += r->block.high * (o->plane + o->m)) {
    r->rows[i] = next;
    r->out[i] = next + r->block.high * o->plane;
  }
  r->outer = o;
  r->open[0] = rt_dma_open();
  r->open[1] = rt_dma_open();
  for (uint32_t i = 0; i < 2; i++) // here, as a word from L2 takes 20 cycles
    r->fn[i] = mmt_tiles_s_ntp[r->block.high - 1 - i][r->block.wide - 1];
  r->column = mine.begin * r->block.wide;
  r->columns = l1 + r->column * RUN;
  struct mmt_tile *t = &r->tile;
  t->a.next = 0;
  t->b.next = r->block.wide * RUN_BYTES;
  t->c_step = 4 * o->m;
  t->c_next = 4 * r->block.wide;
  t->k = RUN;
  t->runs = mmt_quotient(o->plane, RUN);
  t->b_jump = (o->m - 1) * RUN_BYTES;
  t->blocks = mine.end - mine.begin;
  t->add = 0;
}

static inline void multiply(struct run *r, uint32_t step, uint32_t rows) {
  struct mmt_tile *t = &r->tile;
  t->a.at = r->rows[step % 2];
  t->a_jump = (rows - 1) * RUN_BYTES;
  t->b.at = r->columns;
  t->c = r->out[step % 2] + r->column;
  if (t->blocks)
    r->fn[r->block.high - rows](t);
}

// By the last core, as the first ones bring more runs.
static void store(struct run *r, uint32_t row, uint32_t rows, const float *out) {
  uint32_t m = r->outer->m;
  if (rt_core_id() + 1 != rt_core_count())
    return;
  start(r);
  rt_dma_also_out(r->outer->weights_grad + row * m, out, 4 * rows * m);
}

static void finish_and_meet(struct run *r) {
  finish(r);
  rt_barrier();
}

void train_net_outer(const struct train_net *net, const struct train_net_outer *o) {
  struct run r; // field by field: the compiler would call memset()
  r.block = block_of(o->m, rt_core_count());
  const struct mmt_groups groups = mmt_groups_of(o->n, r.block.high);
  const uint32_t steps = groups.wide + groups.rest;
  uint32_t row = 0, rows = groups.size, before = 0;
  plan(&r, o, net->l1);
  bring(&r, r.rows[0], o->out_grad, rows);
  bring(&r, net->l1, o->in, o->m);
  for (uint32_t step = 0; step < steps; step++) {
    uint32_t next = groups.size - (step + 1 >= groups.wide);
    finish_and_meet(&r);
    if (step > 0)
      store(&r, row - before, before, r.out[(step - 1) % 2]);
    if (step + 1 < steps)
      bring(&r, r.rows[(step + 1) % 2], o->out_grad + (row + rows) * o->plane, next);
    multiply(&r, step, rows);
    row += rows;
    before = rows;
    rows = next;
  }
  finish_and_meet(&r);
  store(&r, row - before, before, r.out[(steps - 1) % 2]);
  rt_dma_wait(r.open[0]);
  rt_dma_wait(r.open[1]);
  rt_barrier();
}
