// kernels/tile/tile.h: the tiles of a layer, one after the other.
#ifndef TILE_H
#define TILE_H

#include "tile_kernel.h"

// Whether an input is 1 x 1, and all pixels' own.
static inline bool tile_one_pixel(const struct tile_layer *l, unsigned input) {
  return input && l->more[input - 1].pixel;
}

struct tile tile_first(const struct tile_layer *layer);

// Sets `first` and what its kernel wants to be known beforehand.
void tile_prepare(struct tile_layer *layer);

// What differs from the tile before goes to the other slot. False if that was the last: then *next
// is no tile. `next` may be `before`.
bool tile_next(const struct tile_layer *layer, const struct tile *before, struct tile *next);

#endif
