// deploy/emit/lower.h: which kernel executes a layer, and its parameters as that kernel has them.
#ifndef LOWER_H
#define LOWER_H

#include "deploy/net/net.h"
#include "kernels/tile/tile_layer.h"

// Everything but tiles and places, of a layer of a legal net (legal.h). False, with the layer and
// the reason, if no kernel executes it.
bool lower_layer(const struct net *net, const struct net_layer *layer, struct tile_layer *tile,
                 struct net_error *error);

// The same layer by nn_direct.h, whose filters need no blocks, and no scratch. False if it is so,
// or has no filters.
bool lower_directly(const struct net *net, const struct net_layer *layer, struct tile_layer *tile);

// The same layer by tile_parts, which can take the input's channels in parts. False if that kernel
// does not execute it, or there is one channel.
bool lower_in_parts(struct tile_layer *tile);

// What becomes of each code of an input, by its number without sign: 2^bits of them (nn_lookup.h).
void lower_codes(const struct net *net, const struct net_layer *layer, unsigned input,
                 int32_t *table);

#endif
