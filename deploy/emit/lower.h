// deploy/emit/lower.h: which kernel executes a layer, and its parameters as that kernel has them.
#ifndef LOWER_H
#define LOWER_H

#include "deploy/net/net.h"
#include "kernels/tile/tile_layer.h"

// Everything but tiles and places. False, with the layer and the reason, if no kernel executes it.
bool lower_layer(const struct net *net, const struct net_layer *layer, struct tile_layer *tile,
                 struct net_error *error);

// Bytes of the filters of a tile of `tile->tile_c` channels; 0: the layer has none.
uint32_t lower_tile_bytes(const struct tile_layer *tile);

// The layer's filters, tile by tile, each of tile->weight_bytes; the caller frees. NULL: none.
uint8_t *lower_weights(const struct net *net, const struct net_layer *layer,
                       const struct tile_layer *tile, size_t *bytes);

#endif
