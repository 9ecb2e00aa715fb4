// kernels/tile/tile.h: the tiles of a layer, one after the other.
#ifndef TILE_H
#define TILE_H

#include "tile_kernel.h"

// Whether an input is 1 x 1, and all pixels' own.
static inline bool tile_one_pixel(const struct tile_layer *l, unsigned input) {
  return input && l->more[input - 1].pixel;
}

// Sets how many tiles there are; before any of the other functions.
void tile_cut(struct tile_layer *layer);

struct tile tile_first(const struct tile_layer *layer);

// tile_cut(), then sets `first` and what its kernel wants to be known beforehand.
void tile_prepare(struct tile_layer *layer);

// What differs from the tile before goes to the other slot. False if that was the last: then *next
// is no tile. `next` may be `before`.
bool tile_next(const struct tile_layer *layer, const struct tile *before, struct tile *next);

// From one tile to another of a size or padding of its own, so that all there are come; from
// tile_first() on. False behind the last. Which slots it has, is not set.
bool tile_next_shape(const struct tile_layer *layer, struct tile *tile);

#endif
