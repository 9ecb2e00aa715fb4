// kernels/train/train_net_panels.c: see train_net_panels.h.
//
// Blocks of 6 x 4: a panel is read once for each six rows of the result, and its four columns are
// what a core shares with nobody. The last panel of a plane begins earlier, where the plane is no
// multiple of four: some pixels are computed twice, alike.
#include "train_net_panels.h"

#include <stddef.h>

#include "kernels/mm/mmt_split.h"
#include "kernels/rt/rt.h"
#include "kernels/train/train_gate.h"

enum { WIDE = 4, HIGH = 6 };

static uint32_t panels_of(const struct train_net_panels *p) {
  return (p->plane + WIDE - 1) / WIDE;
}

// Floats that all cores share, and each has: two panels in, two out.
static uint32_t shared_floats(const struct train_net_panels *p) {
  return (p->n * p->k + (p->bias ? p->n : 0) + 1) / 2 * 2;
}
static uint32_t core_floats(const struct train_net_panels *p) {
  return 2 * WIDE * (p->n + p->k);
}

bool train_net_panels_fit(uint32_t l1_bytes, uint32_t cores, const struct train_net_panels *p) {
  uint32_t rounds = (panels_of(p) + cores - 1) / cores;
  return p->plane >= WIDE && 8 * p->plane >= 7 * WIDE * cores * rounds && p->n >= 2 * HIGH &&
         4 * (shared_floats(p) + cores * core_floats(p)) <= l1_bytes;
}

// A core's two calls on a panel: groups of rows of one size, and of one less.
struct rows {
  mmt_tile_fn *fn[2];
  struct mmt_tile tile[2];
  uint32_t c[2]; // bytes from the result's first row to theirs
  uint32_t calls;
};

static void plan_rows(struct rows *r, const struct train_net_panels *p, const float *weights) {
  const struct mmt_groups groups = mmt_groups_of(p->n, HIGH);
  mmt_tile_fn *const *tiles = p->turned ? &mmt_tiles_s_tn[0][0] : &mmt_tiles_s_nn[0][0];
  uint32_t row = p->turned ? 4 : 4 * p->k; // bytes from row to row of the weights
  uint32_t lines = groups.size, blocks = groups.wide, c = 0;
  r->calls = groups.rest ? 2 : 1;
  for (uint32_t i = 0; i < r->calls; i++, lines--, blocks = groups.rest) {
    r->fn[i] = tiles[(lines - 1) * MMT_TILE_COLS + WIDE - 1];
    struct mmt_tile *t = &r->tile[i];
    t->a.at = weights;
    t->a.step = p->turned ? 4 * p->n : 4 * p->k;
    t->a.next = lines * row;
    t->b.step = 4 * WIDE;
    t->b.next = 0;
    r->c[i] = c;
    t->c_step = 4 * WIDE;
    t->c_next = lines * 4 * WIDE;
    t->k = p->k;
    t->blocks = blocks;
    t->add = 0;
    weights = (const float *)(const void *)((const char *)weights + blocks * lines * row);
    c += blocks * lines * 4 * WIDE;
  }
}

// Where things are in L1.
struct run {
  const struct train_net_panels *panels;
  struct rows rows;
  const float *weights, *bias;
  float *in[2], *out[2];
};

static uint32_t pixel_of(const struct train_net_panels *p, uint32_t panel) {
  uint32_t pixel = panel * WIDE;
  return pixel + WIDE <= p->plane ? pixel : p->plane - WIDE;
}

static void load(const struct run *r, uint32_t panel) {
  const struct train_net_panels *p = r->panels;
  rt_dma_also_in_2d(r->in[panel % 2], p->in + pixel_of(p, panel), p->k, 4 * WIDE, 4 * p->plane);
}

static void store(const struct run *r, uint32_t panel) {
  const struct train_net_panels *p = r->panels;
  rt_dma_also_out_2d(p->out + pixel_of(p, panel), r->out[panel % 2], p->n, 4 * WIDE, 4 * p->plane);
}

static void multiply(const struct run *r, uint32_t panel) {
  const struct train_net_panels *p = r->panels;
  float *out = r->out[panel % 2];
  for (uint32_t i = 0; i < r->rows.calls; i++) {
    struct mmt_tile t = r->rows.tile[i];
    t.b.at = r->in[panel % 2];
    t.c = (char *)out + r->rows.c[i];
    r->rows.fn[i](&t);
  }
  if (p->bias)
    train_gate_bias(out, r->bias, p->n, WIDE, 4 * WIDE);
  if (p->relu)
    train_gate_relu(out, 1, WIDE * p->n, 0);
}

// The core's panels; `open`: the transfer of the first.
static void stream(const struct run *r, struct rt_range mine, unsigned open) {
  for (uint32_t i = mine.begin; i < mine.end; i++) {
    rt_dma_wait(open);
    open = rt_dma_open();
    if (i > mine.begin)
      store(r, i - 1);
    if (i + 1 < mine.end)
      load(r, i + 1);
    multiply(r, i);
  }
  rt_dma_wait(open);
  open = rt_dma_open();
  store(r, mine.end - 1);
  rt_dma_wait(open);
}

void train_net_panels(const struct train_net *net, const struct train_net_panels *p) {
  struct rt_range mine = rt_share(panels_of(p));
  float *l1 = net->l1, *own = l1 + shared_floats(p) + rt_core_id() * core_floats(p);
  struct run r = {.panels = p, .weights = l1, .bias = l1 + p->n * p->k};
  unsigned open = rt_dma_open();
  if (rt_core_id() == 0) {
    rt_dma_also_in(l1, p->weights, p->n * p->k * 4);
    if (p->bias)
      rt_dma_also_in(l1 + p->n * p->k, p->bias, p->n * 4);
  }
  for (uint32_t i = 0; i < 2; i++) {
    r.in[i] = own + i * WIDE * p->k;
    r.out[i] = own + 2 * WIDE * p->k + i * WIDE * p->n;
  }
  if (mine.begin < mine.end)
    load(&r, mine.begin);
  plan_rows(&r.rows, p, r.weights);
  rt_dma_wait(open);
  rt_barrier(); // the weights are there
  if (mine.begin < mine.end)
    stream(&r, mine, rt_dma_open());
  rt_barrier();
}
