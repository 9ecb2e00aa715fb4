// kernels/tile/tile_stripes.h: activations that L2 has no room for, in L3.
//
// A layer that reads or writes such a tensor is executed as several, each on a stripe of its rows.
// The stripes of its inputs come with the pieces of the weights (tile_stream.h); its output goes to
// L3 while the next layer runs. Programs in which L2 has room for everything do without.
#ifndef TILE_STRIPES_H
#define TILE_STRIPES_H

#include "tile_layer.h"

// An output, or rows of it: l3 and l2 count from the stream's bases.
struct tile_stripe {
  uint32_t l3, l2, bytes;
};

// What waits for what, of a layer: counts of all pieces and stripes so far.
struct tile_meeting {
  uint16_t arrive; // pieces that must be in L2 before it; 0: it reads no stripe
  uint16_t leave;  // stripes that may go when it has ended
  uint16_t gone;   // stripes that must be in L3 then; a step of the stream, unless none
};

// What stripes alike differ in (struct tile_layer): they have one description.
struct tile_places {
  uint32_t in[TILE_INPUTS], out;
  uint16_t piece, ahead_piece;
};

struct tile_stripes {
  const struct tile_stripe *stripes;
  const struct tile_meeting *meetings; // of each layer
  const struct tile_places *places;    // of each layer; NULL: each has its own description
};

// All cores, around tile_run(work, number). What leaves does not stay in L1.
void tile_stripes_before(const struct tile_stripes *stripes, struct tile_work *work,
                         uint32_t number);
void tile_stripes_behind(const struct tile_stripes *stripes, struct tile_work *work,
                         uint32_t number);

#endif
