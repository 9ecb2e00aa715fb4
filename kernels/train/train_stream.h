// kernels/train/train_stream.h: the weights of train_streamed.h on their way through L1.
//
// Each core has its own groups of rows, whose weights lie behind each other outside, and four
// places in L1: for the tile in use, for two on their way in, and for the one before on its way
// out. A tile is of some columns of a block of rows. Whenever a core turns to a tile, it waits for
// the transfers that it started when it turned to the one before, and starts the next ones, across
// layers.
#ifndef TRAIN_STREAM_H
#define TRAIN_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/rt/dma.h"
#include "kernels/train/train_streamed.h"

enum { TRAIN_STREAM_PLACES = 4 };

struct train_stream_tile {
  float *at, *weights; // here, outside
  uint32_t pairs;      // of columns
  uint32_t bytes;
  struct train_stream_tile *next; // in turn
};

// Rows of one group, in order.
struct train_stream_block {
  uint32_t layer, row, rows, group;
  uint32_t left, group_left;      // rows, these included: this core's, the group's
  uint32_t most_rows, group_rows; // of the layer
};

// Layers from..to, upwards if `up`; then, if `turns`, down_from..down_to downwards.
struct train_stream_way {
  bool up, turns;
  uint32_t from, to, down_from, down_to;
};

struct train_stream {
  struct train_stream_tile place[TRAIN_STREAM_PLACES];
  struct train_stream_tile *tile; // the present one
  struct train_stream_tile *free; // the next tile's
  unsigned id;                    // of all transfers
  bool stepped;                   // the present tile is to go out
  // Where the next tile comes from and goes to.
  bool more;
  float *weights;
  uint32_t pairs, left, most; // of a block, of it still to come, of a tile
  uint32_t rows;              // of a block
  struct train_stream_block block;
  struct train_stream_way way;
  const struct train_streamed_layer *layers;
  uint32_t first_group, end_group; // this core's
  uint32_t floats;                 // of a place
};

// All cores call these with the same arguments. `bytes` at `l1` are for all of them.
void train_stream_begin(struct train_stream *s, const struct train_streamed_layer *layers,
                        float *l1, uint32_t bytes);
// Whether all tiles of a block can be here at once, one more beside them.
bool train_stream_whole_rows(const struct train_stream *s, uint32_t layer);
// Begins to load what is on the way.
void train_stream_layers(struct train_stream *s, struct train_stream_way way);

// This core's blocks of a layer, one after the other; false: no more.
bool train_stream_first_block(const struct train_stream *s, uint32_t layer,
                              struct train_stream_block *block);
static inline bool train_stream_next_block(struct train_stream_block *b) {
  b->row += b->rows;
  b->group_left -= b->rows;
  b->left -= b->rows;
  if (b->left == 0)
    return false;
  if (b->group_left == 0) {
    b->group++;
    b->group_left = b->group_rows < b->left ? b->group_rows : b->left;
  }
  b->rows = b->most_rows < b->group_left ? b->most_rows : b->group_left;
  return true;
}

// Starts what can be started, all transfers before being complete.
void train_stream_serve(struct train_stream *s, bool steps);
// Turns to the next tile, as soon as it is here. `steps`: it is written, and goes out afterwards.
static inline const struct train_stream_tile *train_stream_turn(struct train_stream *s,
                                                                bool steps) {
  dma_drain(s->id);
  train_stream_serve(s, steps);
  return s->tile;
}
// The tile that comes `turns` turns after the present one, 1 or 2, as soon as it is here.
const struct train_stream_tile *train_stream_ahead(struct train_stream *s, uint32_t turns);
// Behind the last layer: when this core's tiles are gone.
void train_stream_end(struct train_stream *s);

#endif
