// deploy/tune/space.h: the ways in which a product of matrices in L2 may go through L1: all tiles
// that fit, borders included, by all kernels, in both orders; each with a bound on its cycles.
#ifndef TUNE_SPACE_H
#define TUNE_SPACE_H

#include "deploy/tune/kernels.h"
#include "deploy/tune/product.h"
#include "kernels/train/train_tiled_product.h"

struct tune_way {
  uint32_t tile_n, tile_m, tile_k;
  bool rows_inner;
  uint8_t matmul;       // kernels.h
  uint64_t bound;       // no run takes fewer cycles
  uint64_t estimate;    // of cycles (estimate.h)
  uint64_t cycles;      // measured; 0: not
  uint64_t cold_cycles; // of the first call
};

struct tune_machine {
  uint32_t cores, l1_bytes;
};

struct tune_limits {
  double slack; // ways estimated at more than so many times the least are left out; HUGE_VAL: none
  bool all_sizes; // of tiles; else those that leave full borders, and whole blocks
  bool other;     // kernels outside of the list, instead of those in it
  uint64_t below; // ways with no lower bound are left out; 0: none
};

// The ways by their estimates, then by tile and kernel: an order that depends on nothing else.
// Free() them. NULL if no tile fits, or memory is out (*count 0, or 1).
struct tune_way *tune_space(const struct tune_product *product, const struct tune_machine *machine,
                            const struct tune_limits *limits, size_t *count);

// Bytes of L1 that a way takes.
uint32_t tune_l1(const struct tune_product *product, const struct tune_way *way);

#endif
