// deploy/emit/tiles.h: the tile of a layer.
#ifndef TILES_H
#define TILES_H

#include "plan.h"

// All tiles (channels in fours, rows, both orders) that fit L1 are looked at. False, with what is
// missing, if none does. `most_weights`: bytes that a tile's filters may have.
bool tiles_choose(struct plan_layer *layer, const char *name, const struct plan_options *options,
                  uint32_t most_weights, struct net_error *error);

#endif
