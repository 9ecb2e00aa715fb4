// kernels/train/train_stream.c: see train_stream.h.
#include "train_stream.h"

#include <stddef.h>

#include "kernels/rt/rt.h"

enum { ROWS = 4 }; // of a tile

static uint32_t smaller(uint32_t a, uint32_t b) {
  return a < b ? a : b;
}

// Parts of the same length, `most` at most, and pairs, as the DMA moves them, if possible.
static uint32_t part_of(uint32_t length, uint32_t most) {
  uint32_t parts = (length - 1) / most + 1, part = (length - 1) / parts + 1;
  return part + (part & 1) <= most ? part + (part & 1) : part;
}

// ---------------------------------------------------------------- runs

// Rows of a tile of all columns.
static uint32_t fewest_rows(const struct train_stream *s, const struct train_streamed_layer *l) {
  return smaller(smaller(ROWS, train_stream_group_rows(l)), s->floats);
}

bool train_stream_whole_rows(const struct train_stream *s, uint32_t layer) {
  const struct train_streamed_layer *l = &s->layers[layer];
  return l->in_n * fewest_rows(s, l) <= s->floats;
}

// From run->row on.
static bool cut_run(const struct train_stream *s, struct train_stream_run *run) {
  const struct train_streamed_layer *l = &s->layers[run->layer];
  if (run->row >= l->out_n || run->group >= s->end_group)
    return false;
  uint32_t end = smaller((run->group + 1) * train_stream_group_rows(l), l->out_n);
  uint32_t most = run->by_columns ? fewest_rows(s, l) : end;
  run->rows = smaller(most, end - run->row);
  return true;
}

bool train_stream_first_run(const struct train_stream *s, uint32_t layer,
                            struct train_stream_run *run) {
  const struct train_streamed_layer *l = &s->layers[layer];
  run->layer = layer;
  run->group = s->first_group;
  run->row = s->first_group * train_stream_group_rows(l);
  run->by_columns = !train_stream_whole_rows(s, layer);
  run->tile = run->by_columns ? part_of(l->in_n, s->floats / fewest_rows(s, l)) : ROWS;
  return cut_run(s, run);
}

bool train_stream_next_run(const struct train_stream *s, struct train_stream_run *run) {
  run->row += run->rows;
  run->group += run->row == (run->group + 1) * train_stream_group_rows(&s->layers[run->layer]);
  return cut_run(s, run);
}

// ---------------------------------------------------------------- transfers

static void begin_run(struct train_stream *s) {
  const struct train_stream_run *run = &s->run;
  const struct train_streamed_layer *l = &s->layers[run->layer];
  s->weights = l->weights + run->row * l->in_n;
  s->left = (run->by_columns ? 1 : run->rows) * l->in_n * 4;
  s->step = run->tile * (run->by_columns ? 4 : l->in_n * 4);
}

// The first layer from `layer` on of which this core has a part.
static void find_layer(struct train_stream *s, uint32_t layer) {
  s->more = train_stream_first_run(s, layer, &s->run);
  while (!s->more && layer != s->last) {
    layer += s->up ? 1 : -1u;
    s->more = train_stream_first_run(s, layer, &s->run);
  }
  if (s->more)
    begin_run(s);
}

static void advance(struct train_stream *s) {
  uint32_t layer = s->run.layer;
  if (train_stream_next_run(s, &s->run))
    begin_run(s);
  else if (layer == s->last)
    s->more = false;
  else
    find_layer(s, layer + (s->up ? 1 : -1u));
}

// Loads the next tile, if there is one, to a place whose tile is not needed any more.
static void load(struct train_stream *s, struct train_stream_place *p) {
  p->full = s->more;
  if (!s->more)
    return;
  uint32_t layer = s->run.layer;
  p->stored = layer < s->stored.below || layer >= s->stored.from;
  p->weights = s->weights;
  p->bytes = smaller(s->left, s->step);
  p->rows = 1;
  if (s->run.by_columns && s->run.rows > 1) {
    p->rows = s->run.rows;
    p->line = s->layers[layer].in_n * 4;
    p->transfer = rt_dma_in_2d(p->at, p->weights, p->rows, p->bytes, p->line);
  } else {
    p->transfer = rt_dma_in(p->at, p->weights, p->bytes);
  }
  s->weights += s->step / 4;
  s->left -= p->bytes;
  if (s->left == 0)
    advance(s);
}

static void store(struct train_stream_place *p) {
  p->transfer = p->rows > 1 ? rt_dma_out_2d(p->weights, p->at, p->rows, p->bytes, p->line)
                            : rt_dma_out(p->weights, p->at, p->bytes);
}

void train_stream_begin(struct train_stream *s, const struct train_streamed_layer *layers,
                        float *l1, uint32_t bytes) {
  uint32_t cores = rt_core_count(), id = rt_core_id();
  s->layers = layers;
  s->floats = bytes / 4 / cores / 2;
  if (s->floats > 1)
    s->floats -= s->floats & 1; // the DMA's words
  s->place[0].at = l1 + s->floats * 2 * id;
  s->place[1].at = s->place[0].at + s->floats;
  s->first_group = TRAIN_STREAMED_GROUPS * id / cores;
  s->end_group = TRAIN_STREAMED_GROUPS * (id + 1) / cores;
}

void train_stream_layers(struct train_stream *s, bool up, uint32_t first, uint32_t last,
                         struct train_stream_stored stored) {
  s->up = up;
  s->stored = stored;
  s->last = up ? last : first;
  s->place[1].full = s->place[1].stored = false;
  s->turn = 1;
  s->storing = false;
  find_layer(s, up ? first : last);
  load(s, &s->place[0]);
}

// ---------------------------------------------------------------- tiles

struct train_stream_tile train_stream_no_tile(const struct train_stream *s,
                                              const struct train_stream_run *run) {
  struct train_stream_tile t = {.row = run->row};
  if (run->by_columns)
    t.rows = run->rows;
  else
    t.columns = s->layers[run->layer].in_n;
  return t;
}

static float *take(struct train_stream *s) {
  struct train_stream_place *before = &s->place[s->turn], *now = &s->place[s->turn ^= 1];
  rt_dma_wait(now->transfer);
  s->storing = before->stored;
  if (s->storing)
    store(before);
  else
    load(s, before);
  return now->at;
}

bool train_stream_next(struct train_stream *s, const struct train_stream_run *run,
                       struct train_stream_tile *tile) {
  if (run->by_columns) {
    tile->column += tile->columns;
    tile->columns = smaller(run->tile, s->layers[run->layer].in_n - tile->column);
    if (tile->columns == 0)
      return false;
  } else {
    tile->row += tile->rows;
    tile->rows = smaller(run->tile, run->row + run->rows - tile->row);
    if (tile->rows == 0)
      return false;
  }
  tile->at = take(s);
  return true;
}

void train_stream_halfway(struct train_stream *s) {
  if (!s->storing)
    return;
  struct train_stream_place *before = &s->place[s->turn ^ 1];
  s->storing = before->stored = false;
  rt_dma_wait(before->transfer);
  load(s, before);
}

void train_stream_end(struct train_stream *s) {
  struct train_stream_place *used = &s->place[s->turn];
  if (!used->full || !used->stored)
    return;
  store(used);
  rt_dma_wait(used->transfer);
}
