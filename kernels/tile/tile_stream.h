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

struct tile_stream { // small, as it is in L1
  const struct tile_piece *pieces;
  uint16_t count;
  uint16_t keeps; // the first pieces, as many, whose places nothing else ever takes
  uint32_t l3;
  uint8_t *l2;
  uint32_t done;           // steps
  uint16_t started, there; // pieces; those known to have come
  bool kept;               // the first pieces are there from the execution before
};

// One core calls all of them: of tile_layer.h the last. Pieces come to `l2` and are in L3 from `l3`
// on; those that `keeps` counts do not come again where the execution before ended at the same
// places, unless `kept` is cleared.
void tile_stream_begin(struct tile_stream *stream, uint8_t *l2, uint32_t l3);
void tile_stream_end(struct tile_stream *stream);
bool tile_stream_there(struct tile_stream *stream, uint32_t piece); // tile_stream_wait
                                                                    // would not sleep
void tile_stream_wait(struct tile_stream *stream, uint32_t piece);  // sleeps until it is there
void tile_stream_step(struct tile_stream *stream);                  // one more is done
void tile_stream_go_on(struct tile_stream *stream); // starts what can be; now and then

#endif
