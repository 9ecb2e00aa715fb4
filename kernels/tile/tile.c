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

// Rows under a window.
static uint32_t reach(const struct tile_layer *l) {
  return (l->kernel_h - 1u) * l->dilation_h + 1;
}

static uint32_t most_in_rows(const struct tile_layer *l) {
  if (l->kind == TILE_RESIZE)
    return least(parts(l->tile_h - 1u, l->stride_h) + 1, l->in_h);
  return least((l->tile_h - 1u) * l->stride_h + reach(l), l->in_h);
}

uint32_t tile_in_bytes(const struct tile_layer *l, unsigned input) {
  uint32_t pixels = tile_one_pixel(l, input) ? 1 : most_in_rows(l) * l->in_w;
  return pixels * tile_in_pixel(l, input, l->tile_c);
}

uint32_t tile_out_bytes(const struct tile_layer *l) {
  return (uint32_t)l->tile_h * l->out_w * tile_out_pixel(l, l->tile_c);
}

// Rows of the input under the tile's, and what of the window lies outside.
static void place_rows(const struct tile_layer *l, struct tile *t) {
  if (l->kind == TILE_RESIZE) {
    t->top = t->bottom = 0;
    t->in_at = t->rows_at / l->stride_h;
    t->in_rows = (uint16_t)((t->rows_at + t->rows - 1) / l->stride_h + 1 - t->in_at);
    return;
  }
  int32_t first = t->rows_at * l->stride_h - l->pad_top,
          end = first + (t->rows - 1) * l->stride_h + (int32_t)reach(l);
  int32_t inside = first < 0 ? 0 : first, last = end < l->in_h ? end : l->in_h;
  t->top = (uint8_t)(inside - first);
  t->bottom = (uint8_t)(end - last);
  t->in_at = (uint16_t)inside;
  t->in_rows = last > inside ? (uint16_t)(last - inside) : 0;
}

static void place(const struct tile_layer *l, struct tile *t) {
  t->rows_at = (uint16_t)(t->row * l->tile_h);
  t->channels_at = (uint16_t)(t->channel * l->tile_c);
  t->rows = (uint16_t)least(l->tile_h, (uint32_t)l->out_h - t->rows_at);
  t->channels = (uint16_t)least(l->tile_c, (uint32_t)l->out_c - t->channels_at);
  place_rows(l, t);
}

uint32_t tile_count(const struct tile_layer *l) {
  return parts(l->out_h, l->tile_h) * parts(l->out_c, l->tile_c);
}

struct tile tile_first(const struct tile_layer *l) {
  struct tile t = {.row_tiles = (uint16_t)parts(l->out_h, l->tile_h),
                   .channel_tiles = (uint16_t)parts(l->out_c, l->tile_c),
                   .new_x = true,
                   .new_w = true};
  t.only = t.row_tiles == 1 && t.channel_tiles == 1;
  place(l, &t);
  return t;
}

void tile_prepare(struct tile_layer *l) {
  l->first = tile_first(l);
  if (l->kernel->prepare)
    l->kernel->prepare(l);
}

// The next one of rows, or of channels; false behind the last.
static bool advance(const struct tile_layer *l, struct tile *t) {
  uint16_t *inner = l->rows_first ? &t->channel : &t->row,
           *outer = l->rows_first ? &t->row : &t->channel;
  if (++*inner == (l->rows_first ? t->channel_tiles : t->row_tiles))
    *inner = 0, ++*outer;
  return t->row < t->row_tiles && t->channel < t->channel_tiles;
}

bool tile_next(const struct tile_layer *l, const struct tile *before, struct tile *next) {
  uint32_t row = before->row, channel = before->channel;
  if (next != before)
    *next = *before;
  if (!advance(l, next))
    return false;
  place(l, next);
  next->new_w = next->channel != channel;
  next->new_x = next->row != row || (tile_by_channel(l) && next->new_w);
  next->x ^= next->new_x;
  next->w ^= next->new_w;
  next->y ^= 1;
  return true;
}

bool tile_meets_input(const struct tile_layer *l) {
  struct tile t = tile_first(l);
  do {
    if (t.in_rows == 0)
      return false;
  } while (tile_next(l, &t, &t));
  return true;
}

uint32_t tile_scratch_bytes(const struct tile_layer *l) {
  uint32_t most = 0;
  if (!l->kernel->scratch)
    return 0;
  struct tile t = tile_first(l);
  do {
    uint32_t bytes = l->kernel->scratch(l, &t);
    most = bytes > most ? bytes : most;
  } while (tile_next(l, &t, &t));
  return most;
}

// Bytes of an input's row; 0: it has none of its own.
static uint32_t row_bytes(const struct tile_layer *l, unsigned input) {
  uint32_t channels = input ? l->more[input - 1].c : l->in_c;
  return tile_one_pixel(l, input) ? 0 : l->in_w * tile_in_pixel(l, input, channels);
}

int32_t tile_overlap(const struct tile_layer *l) {
  uint32_t in_row = row_bytes(l, 0), out_row = l->out_w * tile_out_pixel(l, l->out_c);
  for (unsigned i = 1; i < l->inputs; i++) {
    if (row_bytes(l, i) != in_row)
      return INT32_MAX;
  }
  int32_t most = INT32_MIN;
  uint32_t written = 0; // rows, when the next tile's inputs may not have been read
  struct tile t = tile_first(l), next;
  for (; tile_next(l, &t, &next); t = next) {
    written = t.rows_at + t.rows > written ? t.rows_at + t.rows : written;
    int32_t apart = (int32_t)(written * out_row) - (int32_t)(next.in_at * in_row);
    most = apart > most ? apart : most;
  }
  return most;
}
