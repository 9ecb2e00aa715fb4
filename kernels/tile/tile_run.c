// kernels/tile/tile_run.c: the schedule of a layer's tiles.
#include <stddef.h>

#include "kernels/rt/rt.h"
#include "tile.h"

#ifdef __riscv

enum { NO_TRANSFER = -1 };

struct work { // small, as it is on the stack
  const struct tile_layer *layer;
  struct tile_stream *weights;
  uint8_t *l1, *l2;
  int8_t loads[TILE_INPUTS], filters, stored; // transfers that this core has under way
  bool late;                                  // the next tile's filters were not in L2 yet
};

static int8_t in_box(uint8_t *to, const uint8_t *from, uint32_t pixels, uint32_t bytes,
                     uint32_t stride) {
  return (int8_t)(bytes == stride ? rt_dma_in(to, from, pixels * bytes)
                                  : rt_dma_in_2d(to, from, pixels, bytes, stride));
}

static int8_t load_input(const struct work *k, const struct tile *t, unsigned input) {
  const struct tile_layer *l = k->layer;
  uint32_t stride = tile_in_pixel(l, input, l->out_c),
           first = tile_by_channel(l) ? tile_in_pixel(l, input, t->channels_at) : 0;
  bool one = tile_one_pixel(l, input);
  uint32_t before = one ? 0 : t->in_at * l->in_w, pixels = one ? 1 : t->in_rows * l->in_w;
  return in_box(k->l1 + l->x[input][t->x], k->l2 + l->in[input] + (size_t)before * stride + first,
                pixels, tile_in_pixel(l, input, t->channels), stride);
}

// Core 0: the tile's filters, from their piece.
static void load_filters(struct work *k, const struct tile *t) {
  const struct tile_layer *l = k->layer;
  struct tile_stream *s = k->weights;
  uint32_t in_piece = t->channel, piece = l->piece;
  for (; in_piece >= l->piece_tiles; piece++)
    in_piece -= l->piece_tiles;
  tile_stream_wait(s, piece);
  const uint8_t *from = s->l2 + s->pieces[piece].l2 + (size_t)in_piece * l->weight_bytes;
  k->filters = (int8_t)rt_dma_in(k->l1 + l->w[t->w], from, l->weight_bytes);
  k->late = false;
}

// Core 0 waits for filters behind its share of the work, not in front of it.
static void ask_filters(struct work *k, const struct tile *t) {
  const struct tile_layer *l = k->layer;
  tile_stream_go_on(k->weights);
  k->late = true;
  if (tile_stream_there(k->weights, l->piece + t->channel / l->piece_tiles))
    load_filters(k, t);
}

// The transfers of a tile are spread over the cores; which one, `turn` says.
enum { FILTERS, OUTPUTS, INPUTS };

static bool mine(unsigned turn) {
  return rt_core_id() == turn % rt_core_count();
}

static void load(struct work *k, const struct tile *t) {
  const struct tile_layer *l = k->layer;
  for (unsigned i = 0; i < l->inputs && t->new_x; i++) {
    if (mine(INPUTS + i))
      k->loads[i] = load_input(k, t, i);
  }
  if (t->new_w && l->weight_bytes && mine(FILTERS))
    ask_filters(k, t);
}

static int8_t store(const struct work *k, const struct tile *t) {
  const struct tile_layer *l = k->layer;
  uint32_t bytes = tile_out_pixel(l, t->channels), stride = tile_out_pixel(l, l->out_c),
           pixels = t->rows * l->out_w;
  uint8_t *to =
      k->l2 + l->out + (size_t)t->rows_at * l->out_w * stride + tile_out_pixel(l, t->channels_at);
  if (!mine(OUTPUTS))
    return NO_TRANSFER;
  return (int8_t)(bytes == stride ? rt_dma_out(to, k->l1 + l->y[t->y], pixels * bytes)
                                  : rt_dma_out_2d(to, k->l1 + l->y[t->y], pixels, bytes, stride));
}

static void wait_for(int8_t *open) {
  if (*open != NO_TRANSFER)
    rt_dma_wait((unsigned)*open);
  *open = NO_TRANSFER;
}

static void wait_loads(struct work *k, const struct tile *t) {
  if (k->late)
    load_filters(k, t);
  for (unsigned i = 0; i < TILE_INPUTS; i++)
    wait_for(&k->loads[i]);
  wait_for(&k->filters);
}

// Whether the tile's filters are the last of their piece, and will not be asked for again.
static bool ends_piece(const struct tile_layer *l, const struct tile *t) {
  bool last_rows = !l->rows_first || t->channel_tiles == 1 || t->row + 1 == t->row_tiles;
  return t->new_w && last_rows &&
         (t->channel + 1 == t->channel_tiles || (t->channel + 1) % l->piece_tiles == 0);
}

// The tile's inputs are in L1: those of the next may come.
static bool go_on(struct work *k, const struct tile *t, struct tile *next) {
  const struct tile_layer *l = k->layer;
  if (l->weight_bytes && mine(0) && ends_piece(l, t))
    tile_stream_step(k->weights);
  bool more = tile_next(l, t, next);
  if (more)
    load(k, next);
  return more;
}

// All tiles; the description is in L1.
static enum kernel_status run(struct work *k) {
  const struct tile_layer *l = k->layer;
  struct tile next = tile_first(l), t;
  enum kernel_status status = KERNEL_OK;
  load(k, &next);
  for (bool more = true; more && status == KERNEL_OK;) {
    t = next;
    wait_loads(k, &t);
    rt_barrier();
    more = go_on(k, &t, &next);
    status = l->kernel->run(l, &t, k->l1);
    wait_for(&k->stored); // the tile before; its place is the next one's
    rt_barrier();
    k->stored = store(k, &t);
  }
  wait_loads(k, &next);
  wait_for(&k->stored);
  rt_barrier();
  return status;
}

// Each core reads the description for each tile: in L1 that takes a cycle.
enum kernel_status tile_run(const struct tile_layer *layer, struct tile_stream *weights,
                            uint8_t *l1) {
  struct work k = {.layer = (const struct tile_layer *)(const void *)l1,
                   .weights = weights,
                   .l1 = l1,
                   .l2 = weights->l2,
                   .loads = {NO_TRANSFER, NO_TRANSFER, NO_TRANSFER, NO_TRANSFER},
                   .filters = NO_TRANSFER,
                   .stored = NO_TRANSFER};
  _Static_assert(sizeof *layer <= TILE_L1_USED, "the description's place in L1");
  if (rt_core_id() == 0)
    rt_dma_wait(rt_dma_in(l1, layer, sizeof *layer));
  rt_barrier();
  enum kernel_status status = run(&k);
  if (rt_core_id() == 0)
    tile_stream_step(weights);
  return status;
}

#endif
