// deploy/emit/tiles.h: the tile of a layer.
#ifndef TILES_H
#define TILES_H

#include "plan.h"

// What L2 has for a layer.
struct tiles_limit {
  uint32_t weights; // bytes for filters
  int32_t apart;    // tile_overlap() must not be larger, so that output and input can share memory
  int64_t *missing; // of L2, where that is why no tile fits; NULL: not asked
};

// The tile of what was lowered: all (channels in fours, rows, columns, both orders, parts of the
// input's channels) that fit L1 are looked at; those of one piece where inputs are in L1, or the
// output stays (here, stays: the layer's tile says so). False, with what is missing, if none does.
bool tiles_choose(struct plan_layer *layer, const char *name, const struct plan_options *options,
                  const struct tiles_limit *limit, struct net_error *error);

// Of L1: an input's tile, or all of one that is there already; and what is there twice, for the
// next tile.
enum tiles_part { TILES_X, TILES_W, TILES_Y };
uint32_t tiles_input_bytes(const struct tile_layer *tile, unsigned input);
bool tiles_twice(const struct tile_layer *tile, enum tiles_part part);

#endif
