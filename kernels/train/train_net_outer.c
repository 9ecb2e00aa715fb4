// kernels/train/train_net_outer.c: see train_net_outer.h.
//
// Step g, of any layer: the rows of g are there, those of g + 1 come in, the results of g - 1
// leave. Blocks are 6 x 4, or 5 x 5 where columns are shared out evenly so.
//
// Each core brings its own columns: in a layer's last step those of the next one, block by block
// behind what is computed by the last ones, and begins it when those of its first block are there.
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
  uint32_t row = PLANE + (o->layer[0].weights ? 2 : 1) * o->m;
  return o->m % block.wide == 0 && shares_well(o->m / block.wide, cores) &&
         mmt_groups_of(o->n, block.high).size == block.high &&
         4 * (o->m * PLANE + 2 * block.high * row) <= l1_bytes;
}

// Where things are in L1, and this core's part of a step.
struct run {
  const struct train_net_outer *outer;
  struct block block;
  struct mmt_groups groups; // of rows
  float *rows[2], *out[2], *weights[2];
  mmt_tile_fn *fn[2]; // on whole groups of rows, and on those of one less
  struct mmt_tile tile;
  float *columns;
  uint32_t column, blocks; // this core's columns begin there; blocks of them
  uint32_t some;           // of these, the first if there is one
  unsigned open;           // its transfers of rows and of results
  unsigned others;         // of columns behind the first block
};

// A group of rows.
struct place {
  uint32_t layer, group, row, rows;
};

static uint32_t groups_of(const struct run *r) {
  return r->groups.wide + r->groups.rest;
}

static struct place behind(const struct run *r, struct place at) {
  at.row += at.rows;
  at.group++;
  if (at.group == groups_of(r)) {
    at.layer++;
    at.group = at.row = 0;
  }
  at.rows = r->groups.size - (at.group >= r->groups.wide);
  return at;
}

static void plan(struct run *r, const struct train_net_outer *o, float *l1) {
  const struct rt_range mine = rt_share(o->m / r->block.wide);
  bool steps = o->layer[0].weights;
  float *next = l1 + o->m * PLANE;
  for (uint32_t i = 0; i < 2; i++) {
    r->rows[i] = next;
    r->out[i] = r->rows[i] + r->block.high * PLANE;
    r->weights[i] = r->out[i] + r->block.high * o->m;
    next = steps ? r->weights[i] + r->block.high * o->m : r->weights[i];
    r->fn[i] = mmt_tiles_s_ntp[r->block.high - 1 - i][r->block.wide - 1];
  }
  r->outer = o;
  r->column = mine.begin * r->block.wide;
  r->columns = l1 + r->column * PLANE;
  r->blocks = mine.end - mine.begin;
  r->some = r->blocks < 1 ? r->blocks : 1;
  struct mmt_tile *t = &r->tile;
  t->a.next = 0;
  t->b.next = r->block.wide * PLANE_BYTES;
  t->c_step = 4 * o->m;
  t->c_next = 4 * r->block.wide;
  t->k = PLANE;
  t->add = steps ? 4 * r->block.high * o->m : 0; // behind the results
  t->factor = o->factor;
}

// By the first core, behind what it did so far; the weights by the last one.
static void bring_rows(struct run *r, uint32_t step, const struct place *at) {
  const struct train_net_outer *o = r->outer;
  const struct train_net_outer_layer *l = &o->layer[at->layer];
  if (rt_core_id() == 0)
    rt_dma_also_in(r->rows[step % 2], l->out_grad + at->row * PLANE, at->rows * PLANE_BYTES);
  if (l->weights && rt_core_id() + 1 == rt_core_count())
    rt_dma_also_in(r->weights[step % 2], l->weights + at->row * o->m, 4 * at->rows * o->m);
}

// By the last core.
static void store(struct run *r, uint32_t step, const struct place *at) {
  const struct train_net_outer *o = r->outer;
  const struct train_net_outer_layer *l = &o->layer[at->layer];
  if (rt_core_id() + 1 == rt_core_count())
    rt_dma_also_out((l->weights ? l->weights : l->weights_grad) + at->row * o->m, r->out[step % 2],
                    4 * at->rows * o->m);
}

// This core's columns of a layer, from block `first` to the one before `end`.
static void bring_columns(struct run *r, uint32_t layer, uint32_t first, uint32_t end) {
  uint32_t at = first * r->block.wide * PLANE, planes = (end - first) * r->block.wide;
  if (planes)
    rt_dma_also_in(r->columns + at, r->outer->layer[layer].in + r->column * PLANE + at,
                   planes * PLANE_BYTES);
}

// On those columns.
static __attribute__((noinline)) void multiply(struct run *r, uint32_t step, uint32_t rows,
                                               uint32_t first, uint32_t end) {
  struct mmt_tile *t = &r->tile;
  uint32_t column = first * r->block.wide;
  t->a.at = r->rows[step % 2];
  t->b.at = r->columns + column * PLANE;
  t->c = r->out[step % 2] + r->column + column;
  t->blocks = end - first;
  if (end > first)
    r->fn[r->block.high - rows](t);
}

// A block of three steps of k, of what lies at the second places: the code comes into the caches
// before the DMA moves much, beside which a line takes four times as long.
static inline void warm_up(struct run *r) {
  r->tile.k = 3;
  multiply(r, 1, r->block.high, 0, r->some);
  r->tile.k = PLANE;
}

static void finish_and_meet(struct run *r) {
  rt_dma_wait(r->open);
  rt_barrier();
  r->open = rt_dma_open();
}

// What the first step begins with. Columns are the most: behind all code that they might delay.
static void begin(struct run *r, const struct place *at) {
  warm_up(r);
  r->open = rt_dma_open();
  bring_rows(r, 0, at);
  bring_columns(r, 0, 0, r->some);
  r->others = rt_dma_open();
  bring_columns(r, 0, r->some, r->blocks);
}

// A layer's first step waits for columns between its blocks, its last one brings the next one's.
static void step_at_end(struct run *r, uint32_t step, const struct place *at) {
  bool last = at->group + 1 == groups_of(r) && at->layer + 1 < r->outer->count;
  multiply(r, step, at->rows, 0, r->some);
  if (last)
    bring_columns(r, at->layer + 1, 0, r->some);
  if (at->group == 0)
    rt_dma_wait(r->others);
  multiply(r, step, at->rows, r->some, r->blocks);
  if (!last)
    return;
  r->others = rt_dma_open();
  bring_columns(r, at->layer + 1, r->some, r->blocks);
}

void train_net_outer(const struct train_net *net, const struct train_net_outer *o) {
  struct run r; // field by field: the compiler would call memset()
  struct place before, now, next;
  uint32_t step = 0;
  r.block = block_of(o->m, rt_core_count());
  r.groups = mmt_groups_of(o->n, r.block.high);
  now.layer = now.group = now.row = 0;
  now.rows = r.groups.size;
  plan(&r, o, net->l1);
  rt_barrier();
  begin(&r, &now);
  before = now;
  for (; now.layer < o->count; step++) {
    next = behind(&r, now);
    finish_and_meet(&r);
    if (step > 0)
      store(&r, step - 1, &before);
    if (next.layer < o->count)
      bring_rows(&r, step + 1, &next);
    if (now.group == 0 || next.layer != now.layer)
      step_at_end(&r, step, &now);
    else
      multiply(&r, step, now.rows, 0, r.blocks);
    before = now;
    now = next;
  }
  finish_and_meet(&r);
  store(&r, step - 1, &before);
  rt_dma_wait(r.open);
}
