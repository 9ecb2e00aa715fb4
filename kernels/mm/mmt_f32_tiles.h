// kernels/mm/mmt_f32_tiles.h: the blocks that exist, TILE(kind, rows, columns), for C and assembly:
// those of the published kernels, larger ones up to 25 accumulators, and all that they leave over
// at the edges.
#ifndef MMT_F32_TILES_H
#define MMT_F32_TILES_H

// clang-format off
#define MMT_TILES_PUBLISHED(TILE, kind)                                                            \
  TILE(kind, 1, 1) TILE(kind, 1, 2) TILE(kind, 1, 4) TILE(kind, 1, 8)                              \
  TILE(kind, 2, 1) TILE(kind, 4, 1) TILE(kind, 8, 1)                                               \
  TILE(kind, 2, 2) TILE(kind, 2, 4) TILE(kind, 4, 2) TILE(kind, 4, 4)

#define MMT_TILES_OTHER(TILE, kind)                                                                \
  TILE(kind, 1, 3) TILE(kind, 1, 5) TILE(kind, 1, 6) TILE(kind, 1, 7)                              \
  TILE(kind, 2, 3) TILE(kind, 2, 5) TILE(kind, 2, 6)                                               \
  TILE(kind, 3, 1) TILE(kind, 3, 2) TILE(kind, 3, 3) TILE(kind, 3, 4) TILE(kind, 3, 5)             \
  TILE(kind, 3, 6)                                                                                 \
  TILE(kind, 4, 3) TILE(kind, 4, 5) TILE(kind, 4, 6)                                               \
  TILE(kind, 5, 1) TILE(kind, 5, 2) TILE(kind, 5, 3) TILE(kind, 5, 4) TILE(kind, 5, 5)             \
  TILE(kind, 6, 1) TILE(kind, 6, 2) TILE(kind, 6, 3) TILE(kind, 6, 4)                              \
  TILE(kind, 7, 1)

// With k in runs: both operands by lines, or by steps (with the wide ones).
#define MMT_TILES_IN_RUNS(TILE, kind)                                                              \
  TILE(kind, 1, 1) TILE(kind, 1, 2) TILE(kind, 1, 3) TILE(kind, 1, 4)                              \
  TILE(kind, 2, 1) TILE(kind, 2, 2) TILE(kind, 2, 3) TILE(kind, 2, 4)                              \
  TILE(kind, 3, 1) TILE(kind, 3, 2) TILE(kind, 3, 3) TILE(kind, 3, 4)                              \
  TILE(kind, 4, 1) TILE(kind, 4, 2) TILE(kind, 4, 3) TILE(kind, 4, 4)
#define MMT_TILES_IN_WIDE_RUNS(TILE, kind)                                                         \
  TILE(kind, 1, 5) TILE(kind, 2, 5) TILE(kind, 3, 5) TILE(kind, 4, 5)                              \
  TILE(kind, 1, 6) TILE(kind, 2, 6) TILE(kind, 3, 6) TILE(kind, 4, 6)
// Both operands by lines of MMT_TILE_PITCH elements.
#define MMT_TILES_OF_PITCH(TILE, kind)                                                             \
  TILE(kind, 5, 4) TILE(kind, 6, 4) TILE(kind, 4, 5) TILE(kind, 5, 5)
// The same in 16 bits: lines of MMT_TILE_PITCH_PAIRS pairs.
#define MMT_TILES_OF_PITCH_PAIRS(TILE, kind) TILE(kind, 4, 4) TILE(kind, 4, 6)
// Both operands by steps of a block, one behind the other, or those of A MMT_TILE_STEP floats apart.
#define MMT_TILES_PACKED(TILE, kind) TILE(kind, 4, 4) TILE(kind, 5, 4) TILE(kind, 6, 4)
// clang-format on

// A plane of DS-CNN, 5 x 25. Odd, as lines that begin at one bank would be waited for.
#define MMT_TILE_PITCH       125
#define MMT_TILE_PITCH_PAIRS 63
// Its channels.
#define MMT_TILE_STEP 64

#define MMT_TILES(TILE, kind) MMT_TILES_PUBLISHED(TILE, kind) MMT_TILES_OTHER(TILE, kind)

#endif
