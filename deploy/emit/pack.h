// deploy/emit/pack.h: filters, tables and parameters of a layer as its kernel has them, tile by
// tile.
#ifndef PACK_H
#define PACK_H

#include "deploy/net/net.h"
#include "kernels/tile/tile_layer.h"

// Sets weight_bytes and filter_bytes, for tiles of `tile->tile_c` channels; 0: the layer has none.
void pack_sizes(struct tile_layer *tile);

// The layer's filters, tile by tile, each of tile->weight_bytes; the caller frees. NULL: none.
uint8_t *pack_weights(const struct net *net, const struct net_layer *layer,
                      const struct tile_layer *tile, size_t *bytes);

#endif
