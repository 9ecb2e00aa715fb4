// kernels/train/train_stream.c: see train_stream.h.
#include "train_stream.h"

#include <stddef.h>

#include "kernels/rt/dma.h"

static uint32_t smaller(uint32_t a, uint32_t b) {
  return a < b ? a : b;
}

// ---------------------------------------------------------------- blocks

bool train_stream_first_block(const struct train_stream *s, uint32_t layer,
                              struct train_stream_block *b) {
  const struct train_streamed_layer *l = &s->layers[layer];
  uint32_t group_rows = train_streamed_group_rows(l), row = s->first_group * group_rows;
  uint32_t end = smaller(s->end_group * group_rows, l->out_n);
  if (row >= end)
    return false;
  b->layer = layer;
  b->row = row;
  b->group = s->first_group;
  b->left = end - row;
  b->group_rows = group_rows;
  b->group_left = smaller(group_rows, b->left);
  b->most_rows = l->rows;
  b->rows = smaller(l->rows, b->group_left);
  return true;
}

// ---------------------------------------------------------------- transfers

// Rows of a block of the layer, at most.
static uint32_t most_rows(const struct train_streamed_layer *l) {
  return smaller(l->rows, train_streamed_group_rows(l));
}

// A block's.
static uint32_t tiles_of(const struct train_stream *s, const struct train_streamed_layer *l) {
  uint32_t pairs = train_streamed_vector(l->in_n) / 2, most = s->floats / (2 * most_rows(l));
  return (pairs - 1) / most + 1;
}

bool train_stream_whole_rows(const struct train_stream *s, uint32_t layer) {
  return tiles_of(s, &s->layers[layer]) < TRAIN_STREAM_PLACES;
}

// Tiles of a block are as wide as each other but for the last one. Layers alike need no division.
static void begin_layer(struct train_stream *s) {
  const struct train_streamed_layer *l = &s->layers[s->block.layer];
  uint32_t pairs = train_streamed_vector(l->in_n) / 2, rows = most_rows(l);
  if (pairs != s->pairs || rows != s->rows) {
    s->pairs = pairs;
    s->rows = rows;
    s->most = (pairs - 1) / tiles_of(s, l) + 1;
  }
  s->left = pairs;
  s->weights = l->weights + s->block.row * 2 * pairs;
}

// The one behind it; false: it was the last one.
static bool next_layer(struct train_stream *s, uint32_t *layer) {
  struct train_stream_way *w = &s->way;
  if (*layer != w->to) {
    *layer += w->up ? 1 : -1u;
    return true;
  }
  bool turns = w->turns;
  *layer = w->down_from;
  w->to = w->down_to;
  w->up = w->turns = false;
  return turns;
}

// The first layer from `layer` on of which this core has a part.
static void find_layer(struct train_stream *s, uint32_t layer) {
  do
    s->more = train_stream_first_block(s, layer, &s->block);
  while (!s->more && next_layer(s, &layer));
  if (s->more)
    begin_layer(s);
}

static void next_block(struct train_stream *s) {
  uint32_t layer = s->block.layer;
  if (train_stream_next_block(&s->block))
    s->left = s->pairs;
  else if (next_layer(s, &layer))
    find_layer(s, layer);
  else
    s->more = false;
}

// Starts the next tile on its way in; false: that was the block's last one.
static inline bool load(struct train_stream *s) {
  struct train_stream_tile *t = s->free;
  s->free = t->next;
  uint32_t left = s->left, pairs = smaller(s->most, left), floats = 2 * pairs * s->block.rows;
  float *weights = s->weights;
  t->pairs = pairs;
  t->bytes = 4 * floats;
  t->weights = weights;
  s->weights = weights + floats;
  s->left = left -= pairs;
  dma_also_in(t->at, weights, 4 * floats);
  return left > 0;
}

void train_stream_begin(struct train_stream *s, const struct train_streamed_layer *layers,
                        float *l1, uint32_t bytes) {
  uint32_t cores = rt_core_count(), id = rt_core_id();
  s->layers = layers;
  s->pairs = 0;                            // none of them yet
  uint32_t part = bytes / 4 / cores & ~1u; // the DMA's words
  s->floats = part / TRAIN_STREAM_PLACES & ~1u;
  for (uint32_t i = 0; i < TRAIN_STREAM_PLACES; i++) {
    s->place[i].at = l1 + part * id + i * s->floats;
    s->place[i].next = &s->place[(i + 1) % TRAIN_STREAM_PLACES];
  }
  s->first_group = TRAIN_STREAMED_GROUPS * id / cores;
  s->end_group = TRAIN_STREAMED_GROUPS * (id + 1) / cores;
}

void train_stream_layers(struct train_stream *s, struct train_stream_way way) {
  s->way = way;
  s->tile = &s->place[TRAIN_STREAM_PLACES - 1]; // before the first one
  s->free = s->place;
  s->stepped = false;
  find_layer(s, way.from);
  s->id = rt_dma_open();
  for (uint32_t loads = 0; s->more && loads < 2; loads++)
    if (!load(s))
      next_block(s);
}

// ---------------------------------------------------------------- tiles

static inline void store(const struct train_stream_tile *t) {
  dma_also_out(t->weights, t->at, t->bytes);
}

// Loads to the place of the tile before the last one, which is gone by now.
void train_stream_serve(struct train_stream *s, bool steps) {
  const struct train_stream_tile *before = s->tile;
  bool ends = s->more && !load(s);
  s->tile = before->next;
  if (s->stepped)
    store(before);
  s->stepped = steps;
  if (ends)
    next_block(s);
}

const struct train_stream_tile *train_stream_ahead(struct train_stream *s, uint32_t turns) {
  if (turns == 2)
    dma_drain(s->id);
  return turns == 2 ? s->tile->next->next : s->tile->next;
}

void train_stream_end(struct train_stream *s) {
  if (s->stepped)
    store(s->tile);
  rt_dma_wait(s->id);
}
