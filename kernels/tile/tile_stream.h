// kernels/tile/tile_stream.h: weights from L3 in the order in which they are used, as far ahead as
// their places in L2 are free.
//
// A network's execution is a sequence of steps, numbered from 1 on: one for each piece of weights
// that has been taken to L1 for the last time, and one for each layer that has ended.
#ifndef TILE_STREAM_H
#define TILE_STREAM_H

#include <stdbool.h>
#include <stdint.h>

// Moved as one. `after`: the step that frees its place; 0: it is free from the start.
struct tile_piece {
  uint32_t l3, l2, bytes, after; // l3 and l2 count from the stream's bases
};

struct tile_stream {
  const struct tile_piece *pieces;
  uint32_t count;
  uint32_t l3;
  uint8_t *l2;
  uint32_t started, done; // pieces, steps
  uint32_t there;         // pieces known to have come
};

// One core calls all of them: of tile_layer.h the last.
void tile_stream_begin(struct tile_stream *stream);
bool tile_stream_there(struct tile_stream *stream, uint32_t piece); // tile_stream_wait
                                                                    // would not sleep
void tile_stream_wait(struct tile_stream *stream, uint32_t piece);  // sleeps until it is there
void tile_stream_step(struct tile_stream *stream);                  // one more is done
void tile_stream_go_on(struct tile_stream *stream); // starts what can be; now and then

#endif
