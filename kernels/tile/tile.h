// kernels/tile/tile.h: the tiles of a layer, one after the other.
#ifndef TILE_H
#define TILE_H

#include "tile_kernel.h"

// Whether a tile's input has its channels only, or all of them.
static inline bool tile_by_channel(const struct tile_layer *l) {
  return l->kind == TILE_DEPTHWISE || l->kind == TILE_MAXPOOL || l->kind == TILE_AVGPOOL ||
         l->kind == TILE_ADD;
}

static inline uint32_t tile_in_channels(const struct tile_layer *l, uint32_t channels) {
  return tile_by_channel(l) ? channels : l->in_c;
}

static inline uint32_t tile_out_size(const struct tile_layer *l) { // bytes of an element
  return l->kind == TILE_SUMS ? 4 : 1;
}

struct tile tile_first(const struct tile_layer *layer);

// What differs from the tile before goes to the other slot. False if that was the last.
bool tile_next(const struct tile_layer *layer, const struct tile *before, struct tile *next);

#endif
