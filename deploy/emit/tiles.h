// deploy/emit/tiles.h: the tile of a layer.
#ifndef TILES_H
#define TILES_H

#include "plan.h"

// What L2 has for a layer.
struct tiles_limit {
  uint32_t weights; // bytes for filters
  int32_t apart;    // tile_overlap() must not be larger, so that output and input can share memory
};

// All tiles (channels in fours, rows, both orders) that fit L1 are looked at. False, with what is
// missing, if none does.
bool tiles_choose(struct plan_layer *layer, const char *name, const struct plan_options *options,
                  const struct tiles_limit *limit, struct net_error *error);

#endif
