// kernels/train/train_tiled_product.c: see train_tiled_product.h.
#include "train_tiled_product.h"

#include <stddef.h>

#include "kernels/mm/mmt_split.h"
#include "kernels/rt/rt.h"
#include "kernels/train/train_gate.h"
#include "kernels/train/train_product.h"
#include "kernels/train/train_tiles.h"

enum { A, B, C, GATE, BIAS };

static uint32_t tiles_of(uint32_t size, uint32_t tile) {
  return (size + tile - 1) / tile;
}

// One dimension of the product: its loop, and the sizes of its tiles.
struct side {
  uint8_t loop;
  uint32_t tile, last, count;
};

static struct side side_of(uint32_t size, uint32_t tile, uint8_t loop) {
  uint32_t count = tiles_of(size, tile);
  return (struct side){loop, tile, size - (count - 1) * tile, count};
}

// What all cores know of a run.
struct shape {
  struct side n, m, k;
  uint8_t gate, bias; // operands
};

// What each of them keeps: the calls for the shape of the tile at hand.
struct run {
  const struct train_tiled_product *product;
  const struct shape *shape;
  uint32_t planned[3]; // this shape
  char *at[3];         // at these places
  struct mmt_plan plan;
};

// ---------------------------------------------------------------- a tile

static inline uint32_t extent(const struct side *side, const struct train_tile_step *step) {
  return step->at[side->loop] + 1 == side->count ? side->last : side->tile;
}

static struct mmt_f32 described(const struct run *r, void *const *l1) {
  const struct mmt_f32 *w = &r->product->whole;
  uint32_t n = r->planned[0], m = r->planned[1], k = r->planned[2];
  return (struct mmt_f32){.a = l1[A],
                          .b = l1[B],
                          .c = l1[C],
                          .n = n,
                          .m = m,
                          .k = k,
                          .lda = w->layout == MMT_TN ? n : k,
                          .ldb = w->layout == MMT_NT ? k : m,
                          .ldc = m,
                          .layout = w->layout};
}

// Another shape than that of the step before: its calls.
static __attribute__((noinline)) void plan_tile(struct run *r, void *const *l1) {
  const struct mmt_f32 mm = described(r, l1);
  mmt_f32_plan(train_matmul(r->product->matmul), &mm, &r->plan);
  for (uint32_t i = 0; i <= C; i++)
    r->at[i] = l1[i];
}

// The calls are for the places of an earlier step: `moved` bytes from these.
static inline void multiply(struct run *r, void *const *l1, uint32_t add) {
  ptrdiff_t moved[3];
  for (uint32_t i = 0; i <= C; i++) {
    moved[i] = (char *)l1[i] - r->at[i];
    r->at[i] = l1[i];
  }
  for (struct mmt_job *job = r->plan.job, *end = job + r->plan.count; job < end; job++) {
    job->tile.a.at = (const char *)job->tile.a.at + moved[A];
    job->tile.b.at = (const char *)job->tile.b.at + moved[B];
    job->tile.c = (char *)job->tile.c + moved[C];
    job->tile.add = add;
    job->fn(&job->tile);
  }
}

// Complete results, a share of their rows.
static inline void finish(const struct run *r, void *const *l1) {
  uint32_t bias = r->shape->bias, gate = r->shape->gate, m = r->planned[1], step = 4 * m;
  struct rt_range mine = rt_share(r->planned[0]);
  uint32_t rows = mine.end - mine.begin, at = mine.begin * m;
  float *c = (float *)l1[C] + at;
  if (rows == 0)
    return;
  if (bias)
    train_gate_bias(c, (const float *)l1[bias] + mine.begin, rows, m, step);
  if (r->product->relu)
    train_gate_relu(c, rows, m, step);
  if (gate)
    train_gate_grad(c, (const float *)l1[gate] + at, rows, m, step);
}

// More calls than a plan holds: all is done anew.
static __attribute__((noinline)) void multiply_unplanned(struct run *r, void *const *l1, bool add) {
  struct mmt_f32 mm = described(r, l1);
  mm.add = add;
  mmt_f32_unchecked(train_matmul(r->product->matmul), &mm);
}

static void compute(void *layer, const struct train_tile_step *step, void *const *l1) {
  struct run *r = layer;
  const struct shape *s = r->shape;
  uint32_t shape[3] = {extent(&s->n, step), extent(&s->m, step), extent(&s->k, step)};
  bool ends = (r->product->relu || s->gate || s->bias) && step->at[2] + 1 == s->k.count;
  if (shape[0] != r->planned[0] || shape[1] != r->planned[1] || shape[2] != r->planned[2]) {
    for (uint32_t i = 0; i < 3; i++)
      r->planned[i] = shape[i];
    plan_tile(r, l1);
  }
  if (__builtin_expect(r->plan.count > MMT_PLAN_JOBS, 0))
    multiply_unplanned(r, l1, step->at[2] > 0);
  else
    multiply(r, l1, step->at[2] > 0);
  if (!ends)
    return;
  rt_barrier();
  finish(r, l1);
}

// ---------------------------------------------------------------- all tiles

// An operand of lines along `rows`, `ld` floats apart, columns along `columns`.
static struct train_tile_operand operand(const float *base, uint32_t ld, const struct side *rows,
                                         const struct side *columns) {
  struct train_tile_operand o = {.ext = (char *)(uintptr_t)base,
                                 .rows = rows->tile,
                                 .last_rows = rows->last,
                                 .row_bytes = columns->tile * 4,
                                 .last_row_bytes = columns->last * 4,
                                 .stride = ld * 4,
                                 .row_loop = rows->loop,
                                 .byte_loop = columns->loop};
  if (rows->loop != TRAIN_TILE_NO_LOOP)
    o.step[rows->loop] = rows->tile * ld * 4;
  o.step[columns->loop] = columns->tile * 4;
  return o;
}

// Floats between the places of operands: their lines do not begin at one bank.
enum { GAP = 1 };

// Puts an operand behind *used floats; twice, unless one place holds it all.
static void take(struct train_tile_operand *o, bool once, float *l1, uint32_t *used) {
  uint32_t floats = o->rows * (o->row_bytes / 4) + GAP;
  o->place[0] = o->place[1] = l1 + *used;
  *used += floats;
  if (once)
    return;
  o->place[1] = l1 + *used;
  *used += floats;
}

// Shared, as each core's stack is short.
static RT_L1_BSS struct shape shape;
static RT_L1_BSS struct train_tiles tiles;

static void add_operand(const struct train_tile_operand *o, bool once, float *l1, uint32_t *used) {
  struct train_tile_operand *to = &tiles.operand[tiles.operands++];
  *to = *o;
  take(to, once, l1, used);
}

// Aside: what it needs of the stack is not for as long as the product takes.
static __attribute__((noinline)) void plan(const struct train_tiled_product *p) {
  static const struct side one = {TRAIN_TILE_NO_LOOP, 1, 1, 1};
  const struct mmt_f32 *w = &p->whole;
  shape.n = side_of(w->n, p->tile_n, p->rows_inner ? 1 : 0);
  shape.m = side_of(w->m, p->tile_m, p->rows_inner ? 0 : 1);
  shape.k = side_of(w->k, p->tile_k, 2);
  const struct side *n = &shape.n, *m = &shape.m, *k = &shape.k;
  bool tn = w->layout == MMT_TN, nt = w->layout == MMT_NT;
  bool one_n = n->count == 1, one_m = m->count == 1, one_k = k->count == 1;
  uint32_t used = 0;
  tiles.operands = 0;
  struct train_tile_operand o = operand(w->a, w->lda, tn ? k : n, tn ? n : k);
  add_operand(&o, one_n && one_k, p->l1, &used);
  o = operand(w->b, w->ldb, nt ? m : k, nt ? k : m);
  add_operand(&o, one_m && one_k, p->l1, &used);
  o = operand(w->c, w->ldc, n, m);
  o.out = true;
  add_operand(&o, one_n && one_m, p->l1, &used);
  shape.gate = shape.bias = 0;
  if (p->gate) {
    shape.gate = (uint8_t)tiles.operands;
    o = operand(p->gate, w->ldc, n, m);
    add_operand(&o, one_n && one_m, p->l1, &used);
  }
  if (p->bias) {
    shape.bias = (uint8_t)tiles.operands;
    o = operand(p->bias, 1, &one, n);
    add_operand(&o, one_n, p->l1, &used);
  }
  tiles.count[n->loop] = n->count;
  tiles.count[m->loop] = m->count;
  tiles.count[k->loop] = k->count;
  tiles.compute = compute;
}

// Of an operand of so many floats a tile, as plan() places it.
static uint32_t floats_of(uint32_t tile, bool once) {
  return (tile + GAP) << !once;
}

uint32_t train_tiled_product_buffer_size(const struct train_tiled_product *p) {
  const struct mmt_f32 *w = &p->whole;
  bool one_n = p->tile_n == w->n, one_m = p->tile_m == w->m, one_k = p->tile_k == w->k;
  uint32_t results = floats_of(p->tile_n * p->tile_m, one_n && one_m);
  uint32_t floats = floats_of(p->tile_n * p->tile_k, one_n && one_k) +
                    floats_of(p->tile_m * p->tile_k, one_m && one_k) + results;
  floats += p->gate ? results : 0;
  floats += p->bias ? floats_of(p->tile_n, one_n) : 0;
  return floats * 4;
}

static enum kernel_status check(const struct train_tiled_product *p) {
  KERNEL_CHECK(mmt_f32_check(&p->whole));
  bool tile_ok =
      p->tile_n - 1 < p->whole.n && p->tile_m - 1 < p->whole.m && p->tile_k - 1 < p->whole.k;
  if (!tile_ok || p->whole.add || (p->relu && p->gate) || train_bad_matmul(p->matmul))
    return KERNEL_REFUSE(KERNEL_BAD_SHAPE);
  if (!p->l1 || (uintptr_t)p->l1 % 4)
    return KERNEL_REFUSE(KERNEL_BAD_POINTER);
  return KERNEL_OK;
}

enum kernel_status train_tiled_product(const struct train_tiled_product *product) {
  KERNEL_CHECK(check(product));
  struct run run;
  run.product = product;
  run.shape = &shape;
  run.planned[0] = 0;
  if (rt_core_id() == 0)
    plan(product);
  rt_barrier();
  train_tiles_run(&tiles, &run);
  return KERNEL_OK;
}
