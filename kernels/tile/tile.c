#include "tile.h"

static uint32_t least(uint32_t a, uint32_t b) {
  return a < b ? a : b;
}

static uint32_t most_in_rows(const struct tile_layer *l) {
  return least((l->tile_h - 1u) * l->stride_h + l->kernel_h, l->in_h);
}

uint32_t tile_in_bytes(const struct tile_layer *l) {
  return most_in_rows(l) * l->in_w * tile_in_channels(l, l->tile_c);
}

uint32_t tile_out_bytes(const struct tile_layer *l) {
  return (uint32_t)l->tile_h * l->out_w * l->tile_c * tile_out_size(l);
}

static uint32_t parts(uint32_t total, uint32_t each) {
  return (total + each - 1) / each;
}

// Rows of the input under the tile's, and what of the window lies outside.
static void place_rows(const struct tile_layer *l, struct tile *t) {
  int32_t first = (int32_t)(t->rows_at * l->stride_h) - l->pad_top,
          end = first + (int32_t)((t->rows - 1) * l->stride_h + l->kernel_h);
  t->top = first < 0 ? (uint32_t)-first : 0;
  t->bottom = end > l->in_h ? (uint32_t)(end - l->in_h) : 0;
  t->in_at = (uint32_t)(first + (int32_t)t->top);
  t->in_rows = (uint32_t)(end - first) - t->top - t->bottom;
}

static void place(const struct tile_layer *l, struct tile *t) {
  t->rows_at = t->row * l->tile_h;
  t->channels_at = t->channel * l->tile_c;
  t->rows = least(l->tile_h, l->out_h - t->rows_at);
  t->channels = least(l->tile_c, l->out_c - t->channels_at);
  place_rows(l, t);
}

uint32_t tile_count(const struct tile_layer *l) {
  return parts(l->out_h, l->tile_h) * parts(l->out_c, l->tile_c);
}

struct tile tile_first(const struct tile_layer *l) {
  struct tile t = {.row_tiles = parts(l->out_h, l->tile_h),
                   .channel_tiles = parts(l->out_c, l->tile_c),
                   .new_x = true,
                   .new_w = true};
  place(l, &t);
  return t;
}

// The next one of rows, or of channels; false behind the last.
static bool advance(const struct tile_layer *l, struct tile *t) {
  uint32_t *inner = l->rows_first ? &t->channel : &t->row,
           *outer = l->rows_first ? &t->row : &t->channel;
  if (++*inner == (l->rows_first ? t->channel_tiles : t->row_tiles))
    *inner = 0, ++*outer;
  return t->row < t->row_tiles && t->channel < t->channel_tiles;
}

// What differs from the tile before goes to the other slot. False if that was the last.
bool tile_next(const struct tile_layer *l, const struct tile *before, struct tile *next) {
  struct tile t = *before;
  if (!advance(l, &t))
    return false;
  place(l, &t);
  t.new_w = t.channel != before->channel;
  t.new_x = t.row != before->row || (tile_by_channel(l) && t.new_w);
  t.x ^= t.new_x;
  t.w ^= t.new_w;
  t.y ^= 1;
  *next = t;
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

int32_t tile_overlap(const struct tile_layer *l) {
  uint32_t in_row = (uint32_t)l->in_w * l->in_c, out_row = l->out_w * l->out_c * tile_out_size(l);
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
