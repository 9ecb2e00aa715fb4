// kernels/train/train_tiles.h: a layer whose operands lie in L2, in steps on tiles in L1, the DMA
// bringing the next tiles and taking the last ones away while the cores compute.
//
//   step s:  barrier (tiles of s are there, s - 1 is computed)
//            start: store of the tiles that s - 1 completed, loads of s + 1
//            compute s
//
// An operand whose tile is the one of the step before stays in L1: sums over several steps, and
// what all steps read, cost one transfer. Each operand is one core's to move. The schedule is that
// of Burrello et al., "DORY", IEEE TC 70(8), 2021, Listing 1, with the three stages side by side.
#ifndef TRAIN_TILES_H
#define TRAIN_TILES_H

#include <stdint.h>

enum { TRAIN_TILE_OPERANDS = 5 };

// A tile outside L1: `rows` rows of `row_bytes` (a multiple of 4), `stride` bytes apart. In L1 they
// are contiguous.
struct train_tile {
  void *ext;
  uint32_t rows, row_bytes, stride;
};

// A step's place in the three loops around it: all begin at 0, inner runs fastest.
struct train_tile_place {
  uint32_t outer, middle, inner;
};

struct train_tiles {
  const void *layer;
  struct train_tile_place count; // 1 or more of each; the steps are their product
  uint8_t operands;
  uint8_t outs; // a bit for each operand that is written
  void *place[TRAIN_TILE_OPERANDS]
             [2]; // in L1, aligned to 4; both the same if the tile never changes
  // What `operand` is in a step: the same at each call.
  void (*tile)(const void *layer, const struct train_tile_place *step, uint32_t operand,
               struct train_tile *tile);
  // By all cores, as layers are called: what it writes is read behind a barrier.
  void (*compute)(const void *layer, const struct train_tile_place *step, void *const *at);
};

// All cores call with the same arguments. Outputs are in L2 when it has returned on all cores:
// the caller puts a barrier behind the call.
void train_tiles_run(const struct train_tiles *tiles);

// Bytes of one tile, and a place for it behind *at, a word apart from the next so that tiles do not
// begin at one bank.
uint32_t train_tile_bytes(const struct train_tile *tile);

#endif
