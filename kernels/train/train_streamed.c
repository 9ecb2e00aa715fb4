// kernels/train/train_streamed.c: see train_streamed.h.
#include "train_streamed.h"

#include <stddef.h>

#include "kernels/mm/mmt_f32_tile.h"
#include "kernels/rt/rt.h"
#include "kernels/train/train_gemv.h"

enum { FW_TILES = 2, BW_TILES = 3 }; // in L1: one comes, one is used, one goes

// ---------------------------------------------------------------- tiles

// Part of a layer's weights, and the size of the layer's whole tiles.
struct tile {
  uint32_t layer, row, column, rows, columns;
  uint32_t most_rows, most_columns;
};

// The places of tiles in L1.
struct places {
  float *first;
  uint32_t floats; // of one
  uint32_t count;
  uint32_t rows, shares; // of a tile: rows at least, and a multiple of this
};

static struct places places_of(const struct train_streamed *net, uint32_t count, uint32_t rows,
                               uint32_t shares) {
  return (struct places){net->l1, net->l1_bytes / 4 / count, count, rows, shares};
}

static uint32_t after(const struct places *places, uint32_t number) {
  return number + 1 == places->count ? 0 : number + 1;
}

static float *place(const struct places *places, uint32_t number) {
  return places->first + number * places->floats;
}

// Rows of a tile at least, if there are so many. Forward cores share the rows, in whole shares;
// backward the columns.
enum { FW_ROWS = 24, BW_ROWS = 8, FW_SHARES = 8 };

static uint32_t smaller(uint32_t a, uint32_t b) {
  return a < b ? a : b;
}

// All columns of the layer, unless so many rows of them are too much; as many rows then as fit.
static void begin_layer(const struct train_streamed_layer *l, const struct places *places,
                        struct tile *t) {
  uint32_t parts = (smaller(places->rows, l->out_n) * l->in_n - 1) / places->floats + 1;
  t->most_columns = parts == 1 ? l->in_n : (l->in_n - 1) / parts + 1;
  t->most_rows = places->floats / t->most_columns;
  if (t->most_rows > places->shares)
    t->most_rows &= -places->shares;
  t->row = t->column = 0;
}

// The rest of the tile whose place is known.
static void cut(const struct train_streamed_layer *l, struct tile *t) {
  t->rows = smaller(t->most_rows, l->out_n - t->row);
  t->columns = smaller(t->most_columns, l->in_n - t->column);
}

static struct tile first_tile(const struct train_streamed *net, const struct places *places,
                              uint32_t layer) {
  struct tile t = {.layer = layer};
  begin_layer(&net->layers[layer], places, &t);
  cut(&net->layers[layer], &t);
  return t;
}

// The next tile, columns faster than rows, layers up or down; false behind the last one.
static bool next_tile(const struct train_streamed *net, const struct places *places, bool up,
                      struct tile *t) {
  const struct train_streamed_layer *l = &net->layers[t->layer];
  t->column += t->columns;
  if (t->column == l->in_n) {
    t->column = 0;
    t->row += t->rows;
  }
  if (t->row == l->out_n) {
    if (t->layer == (up ? net->count - 1 : 0))
      return false;
    t->layer += up ? 1 : -1u;
    l = &net->layers[t->layer];
    begin_layer(l, places, t);
  }
  cut(l, t);
  return true;
}

static float *weights_of(const struct train_streamed *net, const struct tile *t) {
  const struct train_streamed_layer *l = &net->layers[t->layer];
  return l->weights + t->row * l->in_n + t->column;
}

static unsigned load(const struct train_streamed *net, const struct tile *t, float *place) {
  uint32_t line = net->layers[t->layer].in_n;
  if (t->columns == line)
    return rt_dma_in(place, weights_of(net, t), t->rows * line * 4);
  return rt_dma_in_2d(place, weights_of(net, t), t->rows, t->columns * 4, line * 4);
}

static unsigned store(const struct train_streamed *net, const struct tile *t, const float *place) {
  uint32_t line = net->layers[t->layer].in_n;
  if (t->columns == line)
    return rt_dma_out(weights_of(net, t), place, t->rows * line * 4);
  return rt_dma_out_2d(weights_of(net, t), place, t->rows, t->columns * 4, line * 4);
}

static const float *input_of(const struct train_streamed *net, uint32_t layer) {
  return layer == 0 ? net->input : net->layers[layer - 1].value;
}

// ---------------------------------------------------------------- forward

// Rows of a tile: from `bias`, in the tiles of a layer's first columns, and to the end of the sums
// in those of the last.
static void sum_rows(const struct train_streamed *net, const struct tile *t, const float *w,
                     uint32_t row, uint32_t end) {
  const struct train_streamed_layer *l = &net->layers[t->layer];
  const float *x = input_of(net, t->layer) + t->column;
  float *out = l->value + t->row;
  for (uint32_t r = row; t->column == 0 && r < end; r++)
    out[r] = l->bias[t->row + r];
  struct mmt_tile sums = {.c_step = 4, .k = t->columns, .blocks = 1, .add = 1, .runs = 1};
  sums.a.step = t->columns * 4;
  sums.b.at = x;
  for (uint32_t r = row, rows; r < end; r += rows) {
    rows = smaller(end - r, MMT_TILE_ROWS);
    sums.a.at = w + r * t->columns;
    sums.c = out + r;
    mmt_column_tiles_s_nt[rows - 1](&sums);
  }
  for (uint32_t r = row; l->relu && t->column + t->columns == l->in_n && r < end; r++)
    out[r] = out[r] < 0 ? 0 : out[r];
}

// This core's rows of a tile.
static void forward(const struct train_streamed *net, const struct tile *t, const float *w) {
  uint32_t cores = rt_core_count(), each = (t->rows + cores - 1) / cores;
  uint32_t row = each * rt_core_id(), end = row + each;
  sum_rows(net, t, w, row, end < t->rows ? end : t->rows);
}

static enum kernel_status check(const struct train_streamed *net) {
  if (net->count == 0)
    return KERNEL_REFUSE(KERNEL_BAD_SHAPE);
  for (uint32_t i = 0; i < net->count; i++) {
    const struct train_streamed_layer *l = &net->layers[i];
    if (l->in_n == 0 || l->out_n == 0 || (i > 0 && l->in_n != net->layers[i - 1].out_n) ||
        net->l1_bytes / 4 < FW_ROWS * BW_TILES)
      return KERNEL_REFUSE(KERNEL_BAD_SHAPE);
    if (!l->weights || !l->bias || !l->value || !l->grad)
      return KERNEL_REFUSE(KERNEL_BAD_POINTER);
  }
  return net->input && net->l1 ? KERNEL_OK : KERNEL_REFUSE(KERNEL_BAD_POINTER);
}

enum kernel_status train_streamed_fw(const struct train_streamed *net) {
  KERNEL_CHECK(check(net));
  const struct places places = places_of(net, FW_TILES, FW_ROWS, FW_SHARES);
  struct tile now = first_tile(net, &places, 0), next;
  bool moves = rt_core_id() == 0, more = true;
  unsigned coming = 0;
  if (moves)
    coming = load(net, &now, place(&places, 0));
  for (uint32_t at = 0; more; at = after(&places, at)) {
    next = now;
    more = next_tile(net, &places, true, &next);
    if (moves)
      rt_dma_wait(coming);
    rt_barrier();
    if (moves && more)
      coming = load(net, &next, place(&places, after(&places, at)));
    forward(net, &now, place(&places, at));
    now = next;
  }
  return KERNEL_OK;
}

// ---------------------------------------------------------------- backward

static void learn_bias(const struct train_streamed *net, const struct tile *t) {
  const struct train_streamed_layer *l = &net->layers[t->layer];
  float rate = t->layer ? -net->rate : 1; // finish()
  for (uint32_t o = t->row + rt_core_id(); o < t->row + t->rows; o += rt_core_count())
    l->bias[o] = __builtin_fmaf(rate, l->grad[o], l->bias[o]);
}

// A core's columns begin..end of a tile, and what goes with them.
struct part {
  uint32_t begin, end;
  const float *x;
  float *down; // the gradient of x; NULL: not wanted
};

static struct part part_of(const struct train_streamed *net, const struct tile *t) {
  uint32_t each = (t->columns + rt_core_count() - 1) / rt_core_count(), begin;
  each = each > 4 ? (each + 7) & ~7u : each; // full strips
  begin = smaller(each * rt_core_id(), t->columns);
  return (struct part){begin, smaller(begin + each, t->columns),
                       input_of(net, t->layer) + t->column,
                       t->layer ? net->layers[t->layer - 1].grad + t->column : NULL};
}

// One strip of so many columns from column `c` on; returns how many it took.
static uint32_t strip(struct train_gemv *g, const struct part *p, uint32_t c) {
  uint32_t width = 0, left = p->end - c;
  g->x = (float *)(uintptr_t)p->x + c;
  if (p->down) {
    g->down = p->down + c;
    while (8u >> width > left)
      width++;
    train_gemv_learn[width](g);
    return 8u >> width;
  }
  while (train_gemv_width(width) > left)
    width++;
  train_gemv_outer_add[width](g);
  return train_gemv_width(width);
}

static void clear(const struct part *p) {
  for (uint32_t c = p->begin; p->down && c < p->end; c++)
    p->down[c] = 0;
}

// The gradients of the layer below are complete: none where it is not active. Those of the lowest
// layer are stored as steps of its weights, times -rate: it has no other use for them.
static void finish(const struct train_streamed *net, const struct tile *t, const struct part *p) {
  float factor = t->layer == 1 ? -net->rate : 1;
  bool relu = net->layers[t->layer - 1].relu;
  for (uint32_t c = p->begin; c < p->end; c++)
    p->down[c] = relu && !(p->x[c] > 0) ? 0 : factor * p->down[c];
}

// This core's columns of a tile.
static void backward(const struct train_streamed *net, const struct tile *t, float *w) {
  const struct train_streamed_layer *l = &net->layers[t->layer];
  const struct part p = part_of(net, t);
  struct train_gemv g = {
      .y = l->grad + t->row, .w_step = t->columns * 4, .rows = t->rows, .rate = -net->rate};
  if (t->row == 0)
    clear(&p);
  for (uint32_t c = p.begin; c < p.end;) {
    g.w = w + c;
    c += strip(&g, &p, c);
  }
  if (t->layer && t->row + t->rows == l->out_n)
    finish(net, t, &p);
  if (t->column == 0)
    learn_bias(net, t);
}

// A single layer's gradients are the caller's: made steps, as finish() does.
static void scale_only_layer(const struct train_streamed *net) {
  const struct train_streamed_layer *l = net->layers;
  for (uint32_t o = rt_core_id(); net->count == 1 && o < l->out_n; o += rt_core_count())
    l->grad[o] = -net->rate * l->grad[o];
}

// Transfers of the core that moves the tiles: of the one to come, and of the two that went.
struct moves {
  unsigned load, store;
  bool storing;
};

static void stored(struct moves *m) {
  if (m->storing)
    rt_dma_wait(m->store);
  m->storing = false;
}

// Behind the barrier of a step at place `at`: the tile before goes, and when the one before that
// has gone, the next one comes to its place.
static void exchange(const struct train_streamed *net, const struct places *places,
                     const struct tile *before, const struct tile *next, uint32_t at,
                     struct moves *m) {
  stored(m);
  if (before->rows) {
    m->store = store(net, before, place(places, after(places, after(places, at))));
    m->storing = true;
  }
  if (next)
    m->load = load(net, next, place(places, after(places, at)));
}

enum kernel_status train_streamed_bw(const struct train_streamed *net) {
  KERNEL_CHECK(check(net));
  const struct places places = places_of(net, BW_TILES, BW_ROWS, 1);
  struct tile before = {0}, now = first_tile(net, &places, net->count - 1), next;
  struct moves m = {.storing = false};
  bool mover = rt_core_id() == 0, more = true;
  uint32_t at = 0;
  scale_only_layer(net);
  if (mover)
    m.load = load(net, &now, place(&places, 0));
  while (more) {
    next = now;
    more = next_tile(net, &places, false, &next);
    if (mover)
      rt_dma_wait(m.load);
    rt_barrier();
    if (mover)
      exchange(net, &places, &before, more ? &next : NULL, at, &m);
    backward(net, &now, place(&places, at));
    before = now;
    now = next;
    at = after(&places, at);
  }
  rt_barrier();
  if (mover) {
    exchange(net, &places, &before, NULL, at, &m);
    stored(&m);
  }
  return KERNEL_OK;
}
