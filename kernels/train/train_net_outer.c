// kernels/train/train_net_outer.c: see train_net_outer.h.
//
// Step s, of any layer: its rows are there, those of s + 1 come in, and the results of s - 1 leave:
// where these were, the weights of s + 1 arrive. Results take the place of the weights. Blocks are
// 6 x 4, or 5 x 5 where columns are shared out evenly so; a step has as many groups of rows as
// there is room for.
//
// Each core brings its own columns: in a layer's last step those of the next one, block by block
// behind what is computed by the last ones, and begins it when those of its first block are there.
#include "train_net_outer.h"

#include <stddef.h>

#include "kernels/mm/mmt_f32_tiles.h"
#include "kernels/mm/mmt_split.h"
#include "kernels/rt/dma.h"
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

// Groups of rows in a step, at most.
enum { MOST_GROUPS = 4 };

static uint32_t bytes_of(const struct train_net_outer *o, struct block block, uint32_t groups) {
  return 4 * (o->m * PLANE + 2 * groups * block.high * (PLANE + o->m));
}

bool train_net_outer_fits(uint32_t l1_bytes, uint32_t cores, const struct train_net_outer *o) {
  if (o->plane != PLANE)
    return false;
  const struct block block = block_of(o->m, cores);
  return o->m % block.wide == 0 && shares_well(o->m / block.wide, cores) &&
         mmt_groups_of(o->n, block.high).size == block.high && bytes_of(o, block, 1) <= l1_bytes;
}

// Where things are in L1, and this core's part of a step.
struct run {
  const struct train_net_outer *outer;
  struct block block;
  struct mmt_groups groups; // of rows
  uint32_t together;        // of them, in a step
  float *rows[2], *out[2];  // out: or weights, which become the results
  mmt_tile_fn *fn[2];       // on whole groups of rows, and on those of one less
  struct mmt_tile tile;
  float *columns;
  uint32_t column, blocks; // this core's columns begin there; blocks of them
  uint32_t some;           // of these, the first if there is one
  unsigned open;           // its transfers, or NONE
  bool first, last;        // of the cores
};
enum { NONE = 16 }; // more than identifiers

// The rows of a step: groups of one size, behind so many of its layer.
struct place {
  uint32_t layer, done, groups, row, lines; // lines: of a group
};

// Of rows.
static uint32_t rows_of(const struct place *at) {
  return at->groups * at->lines;
}

// A layer begins with one group, which comes soon. Every other layer goes backwards: it begins with
// groups of the size that the last one ended with, whose code is there.
static void step_at(const struct run *r, struct place *at) {
  const struct mmt_groups *g = &r->groups;
  bool backwards = at->layer % 2;
  uint32_t all = g->wide + g->rest, front = backwards ? g->rest : g->wide;
  uint32_t left = (at->done < front ? front : all) - at->done;
  uint32_t most = at->done ? r->together : 1;
  at->groups = left < most ? left : most;
  at->lines = g->size - ((at->done < front) == backwards);
  at->row = mmt_groups_begin(g, backwards ? all - at->done - at->groups : at->done);
}

static struct place behind(const struct run *r, struct place at) {
  at.done += at.groups;
  if (at.done == r->groups.wide + r->groups.rest) {
    at.layer++;
    at.done = 0;
  }
  step_at(r, &at);
  return at;
}

static void plan(struct run *r, const struct train_net_outer *o, const struct train_net *net) {
  const struct rt_range mine = rt_share(o->m / r->block.wide);
  float *next = net->l1 + o->m * PLANE;
  r->together = MOST_GROUPS;
  while (r->together > 1 && bytes_of(o, r->block, r->together) > net->l1_bytes)
    r->together--;
  for (uint32_t i = 0; i < 2; i++) {
    r->rows[i] = next;
    r->out[i] = r->rows[i] + r->together * r->block.high * PLANE;
    next = r->out[i] + r->together * r->block.high * o->m;
    r->fn[i] = mmt_tiles_s_ntp[r->block.high - 1 - i][r->block.wide - 1];
  }
  r->outer = o;
  r->open = NONE;
  r->first = rt_core_id() == 0;
  r->last = rt_core_id() + 1 == rt_core_count();
  r->column = mine.begin * r->block.wide;
  r->columns = net->l1 + r->column * PLANE;
  r->blocks = mine.end - mine.begin;
  r->some = r->blocks < 1 ? r->blocks : 1;
  struct mmt_tile *t = &r->tile;
  t->b.next = 0;
  t->c_step = 4 * o->m;
  t->k = PLANE;
  t->add = o->layer[0].weights != NULL;
  t->factor = o->factor;
}

static __attribute__((noinline)) void bring(struct run *r, float *to, const float *from,
                                            uint32_t bytes) {
  if (r->open == NONE)
    r->open = dma_open();
  dma_also_in(to, from, bytes);
}

// Ends what this core has begun.
static void finish(struct run *r) {
  if (r->open == NONE)
    return;
  dma_wait(r->open);
  r->open = NONE;
}

// By the first core.
static void bring_rows(struct run *r, uint32_t step, const struct place *at) {
  if (r->first)
    bring(r, r->rows[step % 2], r->outer->layer[at->layer].out_grad + at->row * PLANE,
          rows_of(at) * PLANE_BYTES);
}

// By the last core.
static void bring_weights(struct run *r, uint32_t step, const struct place *at) {
  const struct train_net_outer *o = r->outer;
  const float *weights = o->layer[at->layer].weights;
  if (weights && r->last)
    bring(r, r->out[step % 2], weights + at->row * o->m, 4 * rows_of(at) * o->m);
}

// By the last core, before anything else in a step.
static void store(struct run *r, uint32_t step, const struct place *at) {
  const struct train_net_outer *o = r->outer;
  const struct train_net_outer_layer *l = &o->layer[at->layer];
  if (!r->last)
    return;
  r->open = dma_open();
  dma_also_out((l->weights ? l->weights : l->weights_grad) + at->row * o->m, r->out[step % 2],
               4 * rows_of(at) * o->m);
}

// This core's columns of a layer, from block `first` to the one before `end`.
static void bring_columns(struct run *r, uint32_t layer, uint32_t first, uint32_t end) {
  uint32_t at = first * r->block.wide * PLANE, planes = (end - first) * r->block.wide;
  if (planes)
    bring(r, r->columns + at, r->outer->layer[layer].in + r->column * PLANE + at,
          planes * PLANE_BYTES);
}

// `groups` groups of a step, from the `first` one on, on a block of columns.
static __attribute__((noinline)) void multiply(struct run *r, uint32_t step, uint32_t lines,
                                               uint32_t first, uint32_t groups, uint32_t block) {
  struct mmt_tile *t = &r->tile;
  uint32_t column = block * r->block.wide, row = first * lines;
  t->a.at = r->rows[step % 2] + row * PLANE;
  t->a.next = lines * PLANE_BYTES;
  t->b.at = r->columns + column * PLANE;
  t->c = r->out[step % 2] + row * r->outer->m + r->column + column;
  t->c_next = lines * t->c_step;
  t->blocks = groups;
  r->fn[r->block.high - lines](t);
}

// A block of three steps of k, of what lies at the second places: the code comes into the caches
// before the DMA moves much, beside which a line takes four times as long.
static inline void warm_up(struct run *r) {
  r->tile.k = 3;
  if (r->some)
    multiply(r, 1, r->block.high, 0, 1, 0);
  r->tile.k = PLANE;
}

// What the first step begins with. Columns are the most: behind all code that they might delay.
static void begin(struct run *r, const struct place *at) {
  warm_up(r);
  bring_rows(r, 0, at);
  bring_weights(r, 0, at);
  bring_columns(r, at->layer, 0, r->some);
}

// Behind the first call of a step: what left has left, and a layer's columns are all there. Those
// of the next one's first block come as soon as those of this one are not needed.
//
// A core that starts a transfer waits until its one before has begun, and when all bring columns,
// that takes long: the first and the last core start theirs before, and a barrier is between.
static void go_on(struct run *r, uint32_t step, const struct place *next, bool ends) {
  finish(r);
  if (next->layer == r->outer->count)
    return;
  bring_weights(r, step + 1, next);
  if (!ends)
    return;
  rt_barrier();
  if (r->blocks > 1)
    bring_columns(r, next->layer, 0, r->some);
}

// The calls of a step: a block of columns each, or one group of rows and the others where there is
// one block.
static void compute(struct run *r, uint32_t step, const struct place *now,
                    const struct place *next) {
  bool ends = next->layer != now->layer, by_blocks = r->blocks > 1;
  uint32_t groups = now->groups, first = by_blocks ? groups : 1;
  if (r->some)
    multiply(r, step, now->lines, 0, first, 0);
  go_on(r, step, next, ends);
  for (uint32_t block = 1; block < r->blocks; block++)
    multiply(r, step, now->lines, 0, groups, block);
  if (r->some && first < groups)
    multiply(r, step, now->lines, 1, groups - 1, 0);
  if (ends && next->layer < r->outer->count && !by_blocks)
    bring_columns(r, next->layer, 0, r->some);
}

void train_net_outer(const struct train_net *net, const struct train_net_outer *o) {
  struct run r; // field by field: the compiler would call memset()
  struct place before, now, next;
  uint32_t step = 0;
  r.block = block_of(o->m, rt_core_count());
  r.groups = mmt_groups_of(o->n, r.block.high);
  plan(&r, o, net);
  now.layer = now.done = 0;
  step_at(&r, &now);
  rt_barrier();
  begin(&r, &now);
  before = now;
  for (; now.layer < o->count; step++) {
    next = behind(&r, now);
    finish(&r);
    rt_barrier();
    if (step > 0)
      store(&r, step - 1, &before);
    if (next.layer < o->count)
      bring_rows(&r, step + 1, &next);
    if (now.done == 0) {
      rt_barrier();
      bring_columns(&r, now.layer, r.some, r.blocks);
    }
    compute(&r, step, &now, &next);
    before = now;
    now = next;
  }
  finish(&r);
  rt_barrier();
  store(&r, step - 1, &before);
  finish(&r);
}
