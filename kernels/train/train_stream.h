// kernels/train/train_stream.h: a core's part of the weights of a chain of layers, in tiles on
// their way through its own part of L1.
//
// A core has rows of each layer, and starts the transfers of its tiles itself: while it computes on
// one, the tile before goes, and the next one comes to the same place. So cores meet at the ends of
// layers only, and the DMA has commands of all cores in its queue.
//
// A core's tiles of a layer come in runs: some rows of one group, in tiles of four rows (as many as
// are used together), or, when four are too long for a place in L1, four rows in tiles of columns.
#ifndef TRAIN_STREAM_H
#define TRAIN_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/train/train_streamed.h"

enum { TRAIN_STREAM_LEAST_BYTES = 8 }; // of L1, per core

struct train_stream_run {
  uint32_t layer, group, row, rows;
  uint32_t tile;   // rows, or columns, of all tiles but the last
  bool by_columns; // else each tile has all columns
};

// Rows and columns of the layer's weights, contiguous at `at` in L1.
struct train_stream_tile {
  float *at;
  uint32_t row, column, rows, columns;
};

// Layers whose tiles go back where they came from: those below `below`, and from `from` on.
struct train_stream_stored {
  uint32_t below, from;
};

struct train_stream_place {
  float *at, *weights;
  uint32_t bytes;      // of a row of the tile; in one dimension, of all
  uint32_t rows, line; // of a tile of columns
  bool full, stored;
  unsigned transfer;
};

struct train_stream {
  const struct train_streamed_layer *layers;
  bool up; // from layer to layer
  uint32_t last;
  struct train_stream_stored stored;
  uint32_t floats;                 // of a place
  uint32_t first_group, end_group; // of rows: this core's
  // The run to load from, and what is left of it.
  struct train_stream_run run;
  bool more;
  float *weights;
  uint32_t left, step; // bytes
  uint32_t turn;       // place of the tile in use
  bool storing;        // the tile of the other one
  struct train_stream_place place[2];
};

// The rows of a group.
static inline uint32_t train_stream_group_rows(const struct train_streamed_layer *layer) {
  return (layer->out_n - 1) / TRAIN_STREAMED_GROUPS + 1;
}

// All cores call these with the same arguments. `bytes` at `l1` are for all of them.
void train_stream_begin(struct train_stream *s, const struct train_streamed_layer *layers,
                        float *l1, uint32_t bytes);
// Whether tiles of the layer have all columns.
bool train_stream_whole_rows(const struct train_stream *s, uint32_t layer);
// Layers first..last or, not up, last..first.
void train_stream_layers(struct train_stream *s, bool up, uint32_t first, uint32_t last,
                         struct train_stream_stored stored);

// This core's runs of a layer, one after the other; false: no more.
bool train_stream_first_run(const struct train_stream *s, uint32_t layer,
                            struct train_stream_run *run);
bool train_stream_next_run(const struct train_stream *s, struct train_stream_run *run);
// In front of the tiles of a run, and the next one; false: no more.
struct train_stream_tile train_stream_no_tile(const struct train_stream *s,
                                              const struct train_stream_run *run);
bool train_stream_next(struct train_stream *s, const struct train_stream_run *run,
                       struct train_stream_tile *tile);
// To be called once for each tile, halfway through it: the one before has gone by now.
void train_stream_halfway(struct train_stream *s);
// Behind the last layer: when this core's tiles are stored.
void train_stream_end(struct train_stream *s);

#endif
