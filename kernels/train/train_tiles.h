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

#include <stdbool.h>
#include <stdint.h>

enum { TRAIN_TILE_OPERANDS = 8, TRAIN_TILE_LOOPS = 3, TRAIN_TILE_NO_LOOP = TRAIN_TILE_LOOPS };

// A matrix outside L1, cut into tiles of `rows` rows of `row_bytes` (a multiple of 4), `stride`
// bytes apart; in L1 a tile's rows are contiguous. Rows are counted by the loop `row_loop`: its
// last step has `last_rows` of them, and likewise for bytes; TRAIN_TILE_NO_LOOP: all are alike.
struct train_tile_operand {
  char *ext;
  uint32_t step[TRAIN_TILE_LOOPS]; // bytes from tile to tile along each loop; 0: the same tile
  uint32_t rows, last_rows, row_bytes, last_row_bytes, stride;
  uint8_t row_loop, byte_loop;
  bool out;       // it is written
  void *place[2]; // in L1, aligned to 4; both the same if the tile never changes
};

// A step's place in the three loops around it, the outermost first: all begin at 0.
struct train_tile_step {
  uint32_t at[TRAIN_TILE_LOOPS];
};

struct train_tiles {
  uint32_t count[TRAIN_TILE_LOOPS]; // 1 or more of each; the steps are their product
  uint32_t operands;
  struct train_tile_operand operand[TRAIN_TILE_OPERANDS];
  // By all cores, as layers are called: what it writes is read behind a barrier. `at`: the tiles.
  void (*compute)(void *layer, const struct train_tile_step *step, void *const *at);
};

// All cores call with the same tiles; `layer` is what `compute` takes. Outputs are in L2 when it
// has returned on all cores: the caller puts a barrier behind the call.
void train_tiles_run(const struct train_tiles *tiles, void *layer);

#endif
