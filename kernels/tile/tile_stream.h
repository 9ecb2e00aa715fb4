// kernels/tile/tile_stream.h: weights from L3 in the order in which they are used, as far ahead as
// their places in L2 are free.
#ifndef TILE_STREAM_H
#define TILE_STREAM_H

#include <stdint.h>

// Moved as one. `after`: how many pieces must be done with before its place is free.
struct tile_piece {
  uint32_t l3, l2, bytes, after; // l3 and l2 count from the stream's bases
};

struct tile_stream {
  const struct tile_piece *pieces;
  uint32_t count;
  uint32_t l3;
  uint8_t *l2;
  uint32_t started, done;
};

// Core 0 calls all three, and sees to the others by barriers.
void tile_stream_begin(struct tile_stream *stream);
void tile_stream_wait(struct tile_stream *stream, uint32_t piece); // sleeps until it is there
void tile_stream_done(struct tile_stream *stream, uint32_t piece); // and all before it

#endif
