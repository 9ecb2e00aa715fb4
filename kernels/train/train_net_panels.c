// kernels/train/train_net_panels.c: see train_net_panels.h.
//
// Blocks of 6 x 4: a panel is read once for each six rows of the result, and its four columns are
// what a core shares with nobody. The last panel of a plane begins earlier, where the plane is no
// multiple of four: some pixels are computed twice, alike.
#include "train_net_panels.h"

#include <stddef.h>

#include "kernels/mm/mmt_f32_tiles.h"
#include "kernels/mm/mmt_split.h"
#include "kernels/mm/mmt_turn.h"
#include "kernels/rt/dma.h"
#include "kernels/rt/rt.h"
#include "kernels/train/train_gate.h"

enum { WIDE = 4, HIGH = 6 };

static uint32_t panels_of(const struct train_net_panels *p) {
  return (p->plane + WIDE - 1) / WIDE;
}

// Floats that all cores share. Behind them, two panels in of each core, and two out: there the
// weights arrive, to be packed.
static uint32_t shared_floats(const struct train_net_panels *p) {
  return (p->n * p->k + (p->bias ? p->n : 0) + 1) / 2 * 2;
}
static uint32_t panel_floats(const struct train_net_panels *p, uint32_t cores) {
  uint32_t in = 2 * WIDE * cores * p->k, out = 2 * WIDE * cores * p->n, raw = p->n * p->k;
  return in + (p->turned || raw < out ? out : raw);
}

bool train_net_panels_fit(uint32_t l1_bytes, uint32_t cores, const struct train_net_panels *p) {
  uint32_t rounds = (panels_of(p) + cores - 1) / cores;
  return p->plane >= WIDE && 8 * p->plane >= 7 * WIDE * cores * rounds && p->n >= 2 * HIGH &&
         4 * (shared_floats(p) + panel_floats(p, cores)) <= l1_bytes;
}

// A core's two calls on a panel: groups of rows of one size, and of one less, or else halves. Half
// of the cores begin with the second: the code of both comes into the shared cache at once.
struct rows {
  mmt_tile_fn *fn[2];
  struct mmt_tile tile[2];
  uint32_t row[3]; // their first rows, and all
  uint32_t first;
};

static void plan_rows(struct rows *r, const struct train_net_panels *p,
                      const struct mmt_groups *groups, const float *weights) {
  mmt_tile_fn *const *tiles = !p->turned              ? &mmt_tiles_s_tnp[0][0]
                              : p->n == MMT_TILE_STEP ? &mmt_tiles_s_tns[0][0]
                                                      : &mmt_tiles_s_tn[0][0];
  uint32_t lines = groups->size, less = groups->rest != 0;
  uint32_t blocks = less ? groups->wide : groups->wide / 2;
  r->row[0] = 0;
  r->first = rt_core_id() % 2;
  for (uint32_t i = 0; i < 2; i++) {
    r->fn[i] = tiles[(lines - 1) * MMT_TILE_COLS + WIDE - 1];
    struct mmt_tile *t = &r->tile[i];
    t->a.at = weights;
    t->a.step = 4 * (p->turned ? p->n : lines);
    t->a.next = 4 * lines * (p->turned ? 1 : p->k);
    t->b.step = 4 * WIDE;
    t->b.next = 0;
    r->row[i + 1] = r->row[i] + blocks * lines;
    t->c_step = 4 * WIDE;
    t->c_next = lines * 4 * WIDE;
    t->k = p->k;
    t->blocks = blocks;
    t->add = 0;
    t->relu = p->relu && !p->bias;
    weights = (const float *)(const void *)((const char *)weights + blocks * t->a.next);
    blocks = groups->wide + groups->rest - blocks;
    lines -= less;
  }
}

// Weights as blocks read them, [group of rows][k][row]: some of the rows.
static void pack(const struct train_net_panels *p, const struct mmt_groups *groups,
                 struct rt_range mine, const float *from, float *to) {
  uint32_t group = 0, begin = 0, lines = groups->size; // of the row at hand
  for (uint32_t row = mine.begin; row < mine.end; row++) {
    for (; row - begin >= lines; lines = groups->size - (group >= groups->wide)) {
      begin += lines;
      group++;
    }
    mmt_turn_line((uint32_t *)(void *)(to + begin * p->k + row - begin),
                  (const uint32_t *)(const void *)(from + row * p->k), 4 * lines, p->k);
  }
}

// Where things are in L1.
struct run {
  const struct train_net_panels *panels;
  struct rows rows;
  const float *bias;
  float *in[2], *out[2];
};

static uint32_t pixel_of(const struct train_net_panels *p, uint32_t panel) {
  uint32_t pixel = panel * WIDE;
  return pixel + WIDE <= p->plane ? pixel : p->plane - WIDE;
}

static inline void load(const struct run *r, uint32_t panel) {
  const struct train_net_panels *p = r->panels;
  dma_also_2d(dma_command_word(4 * WIDE * p->k, true), r->in[panel % 2],
              (float *)(uintptr_t)p->in + pixel_of(p, panel), 4 * WIDE, 4 * p->plane);
}

// Rows of a panel.
static inline void store(const struct run *r, uint32_t panel, uint32_t begin, uint32_t end) {
  const struct train_net_panels *p = r->panels;
  dma_also_2d(dma_command_word(4 * WIDE * (end - begin), false), r->out[panel % 2] + begin * WIDE,
              p->out + begin * p->plane + pixel_of(p, panel), 4 * WIDE, 4 * p->plane);
}

// A call on a panel.
static void multiply(struct run *r, uint32_t panel, uint32_t call) {
  const struct train_net_panels *p = r->panels;
  uint32_t row = r->rows.row[call], rows = r->rows.row[call + 1] - row;
  struct mmt_tile *t = &r->rows.tile[call];
  float *out = r->out[panel % 2] + row * WIDE;
  t->b.at = r->in[panel % 2];
  t->c = out;
  r->rows.fn[call](t);
  if (!p->bias)
    return;
  train_gate_bias(out, r->bias + row, rows, WIDE, 4 * WIDE);
  if (p->relu)
    train_gate_relu(out, 1, WIDE * rows, 0);
}

// The core's panels; `in`: the transfer of the first. What comes and what leaves, in two dimensions
// each, has an identifier of its own (rt.h). A core's port to the DMA is blocked until its transfer
// begins: the next panel is asked for behind a call, when the cores no longer are in step. The last
// panel leaves by parts, under both identifiers, the smaller one behind.
static void stream(struct run *r, struct rt_range mine, unsigned in) {
  unsigned out = dma_open();
  dma_wait(in);
  for (uint32_t i = mine.begin; i < mine.end; i++) {
    bool last = i + 1 == mine.end;
    uint32_t call = last && i > mine.begin ? 0 : r->rows.first;
    uint32_t begin = 0, end = r->panels->n;
    multiply(r, i, call);
    in = dma_open();
    if (!last)
      load(r, i + 1);
    if (last) {
      store(r, i, r->rows.row[call], r->rows.row[call + 1]);
      begin = r->rows.row[!call];
      end = r->rows.row[!call + 1];
    }
    multiply(r, i, !call);
    dma_wait(in);
    dma_wait(out);
    out = dma_open();
    store(r, i, begin, end);
  }
  dma_wait(out);
}

// This core's share of the weights' rows comes to l1; behind a barrier they are all there.
static void load_weights(const struct train_net_panels *p, struct rt_range rows, float *l1) {
  uint32_t line = p->turned ? p->n : p->k, begin = rows.begin * line;
  if (rows.begin < rows.end)
    rt_dma_also_in(l1 + begin, p->weights + begin, 4 * (rows.end * line - begin));
}

void train_net_panels(const struct train_net *net, const struct train_net_panels *p) {
  struct rt_range mine = rt_share(panels_of(p)), rows = rt_share(p->turned ? p->k : p->n);
  const struct mmt_groups groups = mmt_groups_of(p->n, HIGH);
  float *l1 = net->l1, *ins = l1 + shared_floats(p),
        *outs = ins + 2 * WIDE * rt_core_count() * p->k;
  unsigned weights, open;
  struct run r; // field by field: the compiler would call memset()
  r.panels = p;
  r.bias = l1 + p->n * p->k;
  for (uint32_t i = 0; i < 2; i++) {
    r.in[i] = ins + (2 * rt_core_id() + i) * WIDE * p->k;
    r.out[i] = outs + (2 * rt_core_id() + i) * WIDE * p->n;
  }
  plan_rows(&r.rows, p, &groups, l1);
  rt_barrier(); // what comes is there
  weights = dma_open();
  load_weights(p, rows, p->turned ? l1 : outs);
  if (p->bias && rt_core_id() == 0)
    rt_dma_also_in(l1 + p->n * p->k, p->bias, p->n * 4);
  dma_wait(weights);
  open = dma_open();
  if (mine.begin < mine.end)
    load(&r, mine.begin);
  if (!p->turned)
    pack(p, &groups, rows, outs, l1);
  rt_barrier(); // the weights are there
  if (mine.begin < mine.end)
    stream(&r, mine, open);
  else
    dma_wait(open);
}
