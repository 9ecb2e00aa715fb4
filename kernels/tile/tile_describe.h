// kernels/tile/tile_describe.h: descriptions of layers that L2 has no room for, in L3.
//
// Each comes to L2 as a piece of the stream (tile_stream.h), in front of its layer's filters, and
// to its place in L1 when the layer in front of it has ended. tile_begin() then gets no
// descriptions.
#ifndef TILE_DESCRIBE_H
#define TILE_DESCRIBE_H

#include "tile_layer.h"

// All cores, in front of tile_run(work, number) and tile_stripes_before(). Ends with a barrier, and
// with a step of the stream.
void tile_describe(struct tile_work *work, uint32_t number, uint32_t piece);

#endif
