// kernels/tile/tile_run.c: the schedule of a layer's tiles.
#include <stddef.h>

#include "kernels/nn/nn_bits.h"
#include "kernels/rt/rt.h"
#include "tile.h"

#ifdef __riscv

// Identifiers of transfers are kept as sets, a bit each.
static uint16_t set_of(unsigned id) {
  return (uint16_t)(1u << id);
}

static uint16_t in_box(uint8_t *to, const uint8_t *from, uint32_t pixels, uint32_t bytes,
                       uint32_t stride) {
  return set_of(bytes == stride ? rt_dma_in(to, from, pixels * bytes)
                                : rt_dma_in_2d(to, from, pixels, bytes, stride));
}

// Rows of pixels, one behind the other in L1: `bytes` of each of `columns` pixels, from which the
// next is `pixel` bytes away; rows `row` bytes away.
struct box {
  uint8_t *l2, *l1;
  uint32_t rows, columns, bytes, pixel, row;
};

// A transfer for each row; in two dimensions the last has an identifier of its own (rt.h). Out of
// line, as layers that are whole in width go without.
static __attribute__((noinline)) uint16_t move_rows(const struct box *b, bool in) {
  uint16_t set = set_of(rt_dma_open());
  uint8_t *l1 = b->l1, *l2 = b->l2;
  for (uint32_t left = b->rows; left > 0; left--, l1 += b->columns * b->bytes, l2 += b->row) {
    if (b->bytes == b->pixel) {
      if (in)
        rt_dma_also_in(l1, l2, b->columns * b->bytes);
      else
        rt_dma_also_out(l2, l1, b->columns * b->bytes);
      continue;
    }
    if (left == 1 && b->rows > 1)
      set |= set_of(rt_dma_open());
    if (in)
      rt_dma_also_in_2d(l1, l2, b->columns, b->bytes, b->pixel);
    else
      rt_dma_also_out_2d(l2, l1, b->columns, b->bytes, b->pixel);
  }
  return set;
}

// Some columns, or some of the input's channels.
static __attribute__((noinline)) void load_box(struct tile_work *k, const struct tile_layer *l,
                                               const struct tile *t, unsigned input) {
  uint32_t pixel = tile_in_pixel(l, input, l->out_c), bytes = pixel, first = 0;
  if (tile_by_channel(l))
    bytes = tile_in_pixel(l, input, t->channels),
    first = tile_in_pixel(l, input, tile_channels_at(l, t));
  if (l->tiles.parts > 1) {
    first = nn_bits_bytes((uint32_t)t->part * l->tile_k, l->in_bits);
    bytes = nn_bits_bytes(tile_part_channels(l, t), l->in_bits);
  }
  struct box b = {.l2 = k->weights->l2 + l->in[input] +
                        ((size_t)t->in_at * l->in_w + t->in_column) * pixel + first,
                  .l1 = tile_x(l, t, k->l1, input),
                  .rows = t->in_rows,
                  .columns = t->in_columns,
                  .bytes = bytes,
                  .pixel = pixel,
                  .row = l->in_w * pixel};
  k->loads[input] = move_rows(&b, true);
}

static void load_input(struct tile_work *k, const struct tile_layer *l, const struct tile *t,
                       unsigned input) {
  if (!t->only && (l->tiles.columns | l->tiles.parts) > 1 && !tile_one_pixel(l, input)) {
    load_box(k, l, t, input);
    return;
  }
  uint32_t stride = tile_in_pixel(l, input, l->out_c),
           first = tile_by_channel(l) ? tile_in_pixel(l, input, tile_channels_at(l, t)) : 0;
  bool one = tile_one_pixel(l, input);
  uint32_t before = one ? 0 : t->in_at * l->in_w, pixels = one ? 1 : t->in_rows * l->in_w;
  k->loads[input] = in_box(tile_x(l, t, k->l1, input),
                           k->weights->l2 + l->in[input] + (size_t)before * stride + first, pixels,
                           tile_in_pixel(l, input, t->channels), stride);
}

// Filters on their way to L1: from which piece, from where in it.
struct filters {
  uint32_t piece, at, bytes, to;
};

static struct filters filters_of(const struct tile_layer *l, const struct tile *t) {
  uint32_t in_piece = (uint32_t)t->channel * l->tiles.parts + t->part, piece = l->piece;
  for (; in_piece >= l->piece_tiles; piece++)
    in_piece -= l->piece_tiles;
  return (struct filters){piece, in_piece * l->weight_bytes, l->weight_bytes,
                          (uint32_t)TILE_WORD * l->w[t->w]};
}

static struct filters filters_ahead(const struct tile_layer *l) {
  return (struct filters){l->ahead_piece, 0, l->ahead_bytes, l->ahead_to};
}

// Waits for the piece.
static void load_filters(struct tile_work *k, const struct filters *f) {
  struct tile_stream *s = k->weights;
  tile_stream_wait(s, f->piece);
  k->filters = set_of(rt_dma_in(k->l1 + f->to, s->l2 + s->pieces[f->piece].l2 + f->at, f->bytes));
  k->late = false;
}

// Filters are waited for behind the core's share of the work, not in front of it.
static void ask_filters(struct tile_work *k, struct filters f) {
  k->late = !tile_stream_there(k->weights, f.piece);
  if (k->late)
    tile_stream_go_on(k->weights);
  else
    load_filters(k, &f);
}

// The transfers of a tile are spread over the cores; which one, `turn` says. The filters are the
// last core's, whose share of the work is the least.
enum { OUTPUTS = 1, INPUTS, DESCRIPTION = INPUTS + TILE_INPUTS, FILTERS, TURNS };

static uint8_t turns_of_core(void) {
  uint32_t turns = 0;
  for (unsigned turn = 0; turn < TURNS; turn++)
    turns |= (uint32_t)(rt_core_id() == turn % rt_core_count()) << turn;
  return (uint8_t)turns;
}

static bool mine(const struct tile_work *k, unsigned turn) {
  return k->turns >> turn & 1;
}

static void load(struct tile_work *k, const struct tile_layer *l, const struct tile *t) {
  for (unsigned i = 0; i < l->inputs && t->new_x; i++) {
    if (mine(k, INPUTS + i) && !(l->here >> i & 1))
      load_input(k, l, t, i);
  }
  if (t->new_w && l->weight_bytes && mine(k, FILTERS))
    ask_filters(k, filters_of(l, t));
}

static __attribute__((noinline)) void store_box(struct tile_work *k, const struct tile_layer *l,
                                                const struct tile *t) {
  uint32_t pixel = tile_out_pixel(l, l->out_c);
  struct box b = {.l2 = k->weights->l2 + l->out +
                        ((size_t)tile_rows_at(l, t) * l->out_w + tile_columns_at(l, t)) * pixel +
                        tile_out_pixel(l, tile_channels_at(l, t)),
                  .l1 = tile_y(l, t, k->l1),
                  .rows = t->rows,
                  .columns = t->columns,
                  .bytes = tile_out_pixel(l, t->channels),
                  .pixel = pixel,
                  .row = l->out_w * pixel};
  k->stored = move_rows(&b, false);
}

static void store(struct tile_work *k, const struct tile_layer *l, const struct tile *t) {
  if (!mine(k, OUTPUTS) || t->part + 1 < l->tiles.parts)
    return;
  if (l->tiles.columns > 1) {
    store_box(k, l, t);
    return;
  }
  uint32_t bytes = tile_out_pixel(l, t->channels), stride = tile_out_pixel(l, l->out_c),
           pixels = t->rows * l->out_w;
  const uint8_t *from = tile_y(l, t, k->l1);
  uint8_t *to = k->weights->l2 + l->out + (size_t)tile_rows_at(l, t) * l->out_w * stride +
                tile_out_pixel(l, tile_channels_at(l, t));
  k->stored = set_of(bytes == stride ? rt_dma_out(to, from, pixels * bytes)
                                     : rt_dma_out_2d(to, from, pixels, bytes, stride));
}

static void wait_for(uint16_t *open) {
  if (*open)
    rt_dma_wait_set(*open);
  *open = 0;
}

static void wait_loads(struct tile_work *k, const struct tile_layer *l, const struct tile *t) {
  if (k->late) {
    const struct filters f = filters_of(l, t);
    load_filters(k, &f);
  }
  for (unsigned i = 0; i < TILE_INPUTS; i++)
    wait_for(&k->loads[i]);
  wait_for(&k->filters);
}

// Whether the tile's filters are the last of their piece, and will not be asked for again.
static bool ends_piece(const struct tile_layer *l, const struct tile *t) {
  if (t->only)
    return true;
  uint32_t filters = (uint32_t)l->tiles.channels * l->tiles.parts,
           behind = (uint32_t)t->channel * l->tiles.parts + t->part + 1;
  bool again = l->tiles.parts > 1 || (l->rows_first && filters > 1);
  bool last_pixels = t->row + 1 == l->tiles.rows && t->column + 1 == l->tiles.columns;
  return t->new_w && (last_pixels || !again) && (behind == filters || behind % l->piece_tiles == 0);
}

static void describe(struct tile_work *k, uint32_t number) {
  _Static_assert(sizeof(struct tile_layer) <= TILE_L1_EACH, "the description's place in L1");
  if (number < k->count && mine(k, DESCRIPTION))
    k->described = set_of(
        rt_dma_in(tile_description(k, number), k->layers[number], sizeof(struct tile_layer)));
}

// The tile's inputs are in L1: those of the next may come; behind the last, what the next layer
// needs of what is there.
static bool go_on(struct tile_work *k, uint32_t number, const struct tile *t, struct tile *next) {
  const struct tile_layer *l = tile_description(k, number);
  if (l->weight_bytes && mine(k, FILTERS) && ends_piece(l, t))
    tile_stream_step(k->weights);
  if (!t->only && tile_next(l, t, next)) {
    load(k, l, next);
    return true;
  }
  describe(k, number + 1);
  if (l->ahead_x_bytes && mine(k, INPUTS))
    k->loads[0] =
        set_of(rt_dma_in(k->l1 + l->ahead_x_to, k->weights->l2 + l->ahead_x, l->ahead_x_bytes));
  if (l->ahead_bytes && mine(k, FILTERS))
    ask_filters(k, filters_ahead(l));
  return false;
}

// Behind a core's share of the last tile: what go_on() began for the next layer.
static void wait_ahead(struct tile_work *k, const struct tile_layer *l) {
  if (k->late) {
    const struct filters f = filters_ahead(l);
    load_filters(k, &f);
  }
  wait_for(&k->filters);
  wait_for(&k->loads[0]);
  wait_for(&k->described);
}

// What the first tile needs, and is not in L1. True if there is something.
static bool load_first(struct tile_work *k, const struct tile_layer *l) {
  bool filters = l->weight_bytes && !l->early;
  uint32_t there = l->here | l->early_x;
  for (unsigned i = 0; i < l->inputs; i++) {
    if (mine(k, INPUTS + i) && !(there >> i & 1))
      load_input(k, l, &l->first, i);
  }
  if (filters && mine(k, FILTERS))
    ask_filters(k, filters_of(l, &l->first));
  return filters || there != (1u << l->inputs) - 1;
}

static enum kernel_status run(struct tile_work *k, uint32_t number) {
  const struct tile_layer *l = tile_description(k, number);
  const struct tile *t = &l->first;
  struct tile own, next;
  bool stored = l->stored, wait = load_first(k, l);
  for (;;) {
    if (wait) {
      wait_loads(k, l, t);
      rt_barrier();
    }
    wait = go_on(k, number, t, &next);
    enum kernel_status status = l->kernel->run(l, t, k->l1);
    if (!wait)
      wait_ahead(k, l);
    wait_for(&k->stored); // the tile before; its place is the next one's
    rt_barrier();
    if (stored)
      store(k, l, t);
    if (status != KERNEL_OK && wait)
      wait_loads(k, l, &next); // of a tile that is not to come
    if (!wait || status != KERNEL_OK)
      return status;
    own = next;
    t = &own;
  }
}

void tile_begin(struct tile_work *k, const struct tile_layer *const *layers, uint32_t count,
                struct tile_stream *weights, uint8_t *l1) {
  *k = (struct tile_work){
      .layers = layers, .count = count, .weights = weights, .l1 = l1, .turns = turns_of_core()};
  describe(k, 0);
  wait_for(&k->described);
  rt_barrier();
}

// Behind the barrier that ends the last tile a core may be in the next layer already, and bring the
// description behind it, in place of this one: it is read before, and by store() in front of
// another barrier.
enum kernel_status tile_run(struct tile_work *k, uint32_t number) {
  const struct tile_layer *l = tile_description(k, number);
  bool stays = l->stays, stored = l->stored;
  enum kernel_status status = run(k, number);
  if (!stays || status != KERNEL_OK)
    wait_for(&k->stored);
  if (!stays || stored || status != KERNEL_OK)
    rt_barrier();
  if (mine(k, FILTERS))
    tile_stream_step(k->weights);
  return status;
}

#endif
