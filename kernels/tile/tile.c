#include "tile.h"

#include "kernels/nn/nn_bits.h"

static uint32_t least(uint32_t a, uint32_t b) {
  return a < b ? a : b;
}

static uint32_t parts(uint32_t total, uint32_t each) {
  return (total + each - 1) / each;
}

bool tile_by_channel(const struct tile_layer *l) {
  return l->kind != TILE_CONV && l->kind != TILE_LINEAR && l->kind != TILE_SUMS &&
         l->kind != TILE_CONCAT;
}

uint32_t tile_in_pixel(const struct tile_layer *l, unsigned input, uint32_t channels) {
  uint32_t all = input ? l->more[input - 1].c : l->in_c;
  return nn_bits_bytes(tile_by_channel(l) ? channels : all,
                       input ? l->more[input - 1].bits : l->in_bits);
}

uint32_t tile_out_pixel(const struct tile_layer *l, uint32_t channels) {
  return nn_bits_bytes(channels, l->out_bits);
}

uint32_t tile_part_channels(const struct tile_layer *l, const struct tile *t) {
  return least(l->tile_k, (uint32_t)l->in_c - t->part * l->tile_k);
}

// ---------------------------------------------------------------------------- pixels

// Rows or columns: of the input under those of an output's tile, and what of the windows lies
// outside.
struct axis {
  uint32_t in, stride, reach, before; // of the layer: pixels, under a window, padding in front
};

struct span {
  uint32_t at, count, before, behind;
};

static inline struct axis rows_of(const struct tile_layer *l) {
  return (struct axis){l->in_h, l->stride_h, (l->kernel_h - 1u) * l->dilation_h + 1, l->pad_top};
}

static inline struct axis columns_of(const struct tile_layer *l) {
  return (struct axis){l->in_w, l->stride_w, (l->kernel_w - 1u) * l->dilation_w + 1, l->pad_left};
}

// Of pixels that are repeated.
static __attribute__((noinline)) struct span repeated(uint32_t stride, uint32_t at,
                                                      uint32_t count) {
  uint32_t from = at / stride;
  return (struct span){from, (at + count - 1) / stride + 1 - from, 0, 0};
}

static inline struct span under(const struct axis *a, uint32_t at, uint32_t count) {
  int32_t first = (int32_t)(at * a->stride) - (int32_t)a->before,
          end = first + (int32_t)((count - 1) * a->stride + a->reach), in = (int32_t)a->in;
  int32_t inside = first < 0 ? 0 : first, last = end < in ? end : in;
  return (struct span){(uint32_t)inside, last > inside ? (uint32_t)(last - inside) : 0,
                       (uint32_t)(inside - first), (uint32_t)(end - last)};
}

// Of a tile of so many, at most.
static uint32_t most(const struct tile_layer *l, const struct axis *a, uint32_t count) {
  if (l->kind == TILE_RESIZE)
    return least(parts(count - 1, a->stride) + 1, a->in);
  return least((count - 1) * a->stride + a->reach, a->in);
}

uint32_t tile_in_bytes(const struct tile_layer *l, unsigned input) {
  struct axis rows = rows_of(l), columns = columns_of(l);
  uint32_t width = l->tile_w < l->out_w ? most(l, &columns, l->tile_w) : l->in_w;
  uint32_t pixels = tile_one_pixel(l, input) ? 1 : most(l, &rows, l->tile_h) * width;
  return pixels * (l->tile_k < l->in_c ? nn_bits_bytes(l->tile_k, l->in_bits)
                                       : tile_in_pixel(l, input, l->tile_c));
}

uint32_t tile_out_bytes(const struct tile_layer *l) {
  return (uint32_t)l->tile_h * l->tile_w * tile_out_pixel(l, l->tile_c);
}

// ---------------------------------------------------------------------------- tiles

void tile_cut(struct tile_layer *l) {
  l->tiles = (struct tile_counts){.rows = (uint16_t)parts(l->out_h, l->tile_h),
                                  .columns = (uint16_t)parts(l->out_w, l->tile_w),
                                  .channels = (uint16_t)parts(l->out_c, l->tile_c),
                                  .parts = (uint8_t)parts(l->in_c, l->tile_k)};
}

// Out of line, as most layers' tiles are whole in width.
static __attribute__((noinline)) void place_columns(const struct tile_layer *l, struct tile *t) {
  struct axis a = columns_of(l);
  uint32_t at = tile_columns_at(l, t);
  t->columns = (uint16_t)least(l->tile_w, l->out_w - at);
  struct span s =
      l->kind == TILE_RESIZE ? repeated(a.stride, at, t->columns) : under(&a, at, t->columns);
  t->in_column = (uint16_t)s.at, t->in_columns = (uint16_t)s.count;
  t->left = (uint8_t)s.before, t->right = (uint8_t)s.behind;
}

static void place(const struct tile_layer *l, struct tile *t) {
  struct axis a = rows_of(l);
  uint32_t at = tile_rows_at(l, t);
  t->rows = (uint16_t)least(l->tile_h, l->out_h - at);
  t->channels = (uint16_t)least(l->tile_c, l->out_c - tile_channels_at(l, t));
  struct span s = l->kind == TILE_RESIZE ? repeated(a.stride, at, t->rows) : under(&a, at, t->rows);
  t->in_at = (uint16_t)s.at, t->in_rows = (uint16_t)s.count;
  t->top = (uint8_t)s.before, t->bottom = (uint8_t)s.behind;
  if (l->tiles.columns > 1)
    place_columns(l, t);
}

uint32_t tile_filters(const struct tile_layer *l) {
  return parts(l->out_c, l->tile_c) * parts(l->in_c, l->tile_k);
}

uint32_t tile_patches(const struct tile_layer *l) {
  return parts(l->out_h, l->tile_h) * parts(l->out_w, l->tile_w);
}

uint32_t tile_count(const struct tile_layer *l) {
  return tile_patches(l) * tile_filters(l);
}

struct tile tile_first(const struct tile_layer *l) {
  struct tile t = {.columns = l->out_w,
                   .in_columns = l->in_w,
                   .left = l->pad_left,
                   .right = l->pad_right,
                   .new_x = true,
                   .new_w = true,
                   .only = tile_count(l) == 1};
  place(l, &t);
  return t;
}

void tile_prepare(struct tile_layer *l) {
  tile_cut(l);
  l->first = tile_first(l);
  if (l->kernel->prepare)
    l->kernel->prepare(l);
}

// What advances in front of rows: parts, then columns where these are inside the channels. False
// behind the last, and at the first again. Out of line, as most layers have one of each.
static __attribute__((noinline)) bool advance_inside(const struct tile_layer *l, struct tile *t) {
  if (++t->part < l->tiles.parts)
    return true;
  t->part = 0;
  if (l->rows_first && ++t->channel < l->tiles.channels)
    return true;
  t->channel = l->rows_first ? 0 : t->channel;
  if (++t->column < l->tiles.columns)
    return true;
  t->column = 0;
  if (l->rows_first)
    t->channel = (uint16_t)(l->tiles.channels - 1); // channels were inside
  return false;
}

// The next one of rows, or of channels; false behind the last.
static bool advance(const struct tile_layer *l, struct tile *t) {
  if ((l->tiles.columns | l->tiles.parts) > 1 && advance_inside(l, t))
    return true;
  uint16_t *inner = l->rows_first ? &t->channel : &t->row,
           *outer = l->rows_first ? &t->row : &t->channel;
  if (++*inner == (l->rows_first ? l->tiles.channels : l->tiles.rows))
    *inner = 0, ++*outer;
  return t->row < l->tiles.rows && t->channel < l->tiles.channels;
}

bool tile_next(const struct tile_layer *l, const struct tile *before, struct tile *next) {
  uint32_t row = before->row, column = before->column, channel = before->channel;
  if (next != before)
    *next = *before;
  if (!advance(l, next))
    return false;
  place(l, next);
  next->new_w = next->channel != channel;
  next->new_x = next->row != row || next->column != column || (tile_by_channel(l) && next->new_w);
  if (l->tiles.parts > 1)
    next->new_w = next->new_x = true;
  next->x ^= next->new_x;
  next->w ^= next->new_w;
  next->y ^= next->part == 0;
  return true;
}

// Whether every window has pixels of the input, whatever tile it is in.
static bool meet(const struct axis *a, uint32_t out) {
  struct span last = under(a, out - 1, 1);
  return a->before < a->reach && last.count > 0;
}

bool tile_meets_input(const struct tile_layer *l) {
  struct axis rows = rows_of(l), columns = columns_of(l);
  if (l->kind == TILE_RESIZE)
    return true;
  if (meet(&rows, l->out_h) && meet(&columns, l->out_w))
    return true;
  struct tile t = tile_first(l);
  do {
    if (t.in_rows == 0 || t.in_columns == 0)
      return false;
  } while (tile_next(l, &t, &t));
  return true;
}

static bool same_shape(const struct tile *a, const struct tile *b) {
  return a->rows == b->rows && a->in_rows == b->in_rows && a->top == b->top &&
         a->bottom == b->bottom && a->columns == b->columns && a->in_columns == b->in_columns &&
         a->left == b->left && a->right == b->right;
}

// The next along one axis of another shape; false: none, and the first again.
static bool next_shape(const struct tile_layer *l, struct tile *t, uint16_t *at, uint32_t count) {
  const struct tile was = *t;
  while (++*at < count) {
    place(l, t);
    if (!same_shape(t, &was))
      return true;
  }
  *at = 0;
  place(l, t);
  return false;
}

bool tile_next_shape(const struct tile_layer *l, struct tile *t) {
  if (t->part == 0 && l->tiles.parts > 1) {
    t->part = (uint8_t)(l->tiles.parts - 1);
    return true;
  }
  t->part = 0;
  if (t->channel == 0 && l->tiles.channels > 1) {
    t->channel = (uint16_t)(l->tiles.channels - 1);
    place(l, t);
    return true;
  }
  t->channel = 0;
  return next_shape(l, t, &t->column, l->tiles.columns) || next_shape(l, t, &t->row, l->tiles.rows);
}

uint32_t tile_scratch_bytes(const struct tile_layer *l) {
  uint32_t most_bytes = 0;
  if (!l->kernel->scratch)
    return 0;
  struct tile t = tile_first(l);
  do {
    uint32_t bytes = l->kernel->scratch(l, &t);
    most_bytes = bytes > most_bytes ? bytes : most_bytes;
  } while (tile_next_shape(l, &t));
  return most_bytes;
}

// ---------------------------------------------------------------------------- output over input

// Bytes of an input's row; 0: it has none of its own.
static uint32_t row_bytes(const struct tile_layer *l, unsigned input) {
  uint32_t channels = input ? l->more[input - 1].c : l->in_c;
  return tile_one_pixel(l, input) ? 0 : l->in_w * tile_in_pixel(l, input, channels);
}

// How far the output's rows, when so many are written, reach beyond the input's from `in_at` on.
static int32_t apart_of(const struct tile_layer *l, uint32_t written, uint32_t in_at) {
  return (int32_t)(written * l->out_w * tile_out_pixel(l, l->out_c)) -
         (int32_t)(in_at * row_bytes(l, 0));
}

static int32_t larger(int32_t a, int32_t b) {
  return a > b ? a : b;
}

// When a tile's rows are written, the next tile's input may not have been read: of the same rows,
// of the next, or of the first.
int32_t tile_overlap(const struct tile_layer *l) {
  for (unsigned i = 1; i < l->inputs; i++) {
    if (row_bytes(l, i) != row_bytes(l, 0))
      return INT32_MAX;
  }
  int32_t most_apart = INT32_MIN;
  struct tile t = tile_first(l);
  bool rows_again = l->tiles.columns > 1 || (l->rows_first && l->tiles.channels > 1);
  if (!l->rows_first && l->tiles.channels > 1)
    most_apart = apart_of(l, l->out_h, t.in_at);
  for (t.row = 0; t.row < l->tiles.rows; t.row++) {
    uint32_t before = tile_rows_at(l, &t);
    place(l, &t);
    if (t.row > 0 || l->tiles.parts > 1)
      most_apart = larger(most_apart, apart_of(l, before, t.in_at));
    if (rows_again)
      most_apart = larger(most_apart, apart_of(l, before + t.rows, t.in_at));
  }
  return most_apart;
}
