// kernels/train/train_tiled_product.h: a float matrix product whose operands lie in L2, by tiles.
//
// The whole product is that of mmt_f32.h (layouts, strides, order of sums: the result has the same
// bits for any tile). Tiles have tile_n x tile_m results and sums of tile_k; border tiles are
// smaller. Sums over several tiles of k stay in L1. A pointwise layer in CHW is such a product.
//
// What a layer does with the results is done where they are in L1, before they go out, in this
// order: a bias is added to each row, then ReLU, or that of a gradient where `gate` is positive.
#ifndef TRAIN_TILED_PRODUCT_H
#define TRAIN_TILED_PRODUCT_H

#include "kernels/mm/mmt_f32.h"

struct train_tiled_product {
  struct mmt_f32 whole;            // a, b, c in L2; add must be false
  const float *bias;               // [n] in L2, or NULL
  const float *gate;               // in L2, as c lies, or NULL
  bool relu;                       // not with a gate
  uint32_t tile_n, tile_m, tile_k; // 1 to n, m, k
  bool rows_inner;                 // the tiles of one column behind each other; else of one row
  uint8_t matmul;                  // 0: the kernel by shape; else 1 + an id of mmt_f32.h
  void *l1;                        // train_tiled_product_buffer_size() bytes, aligned to 4
};

uint32_t train_tiled_product_buffer_size(const struct train_tiled_product *product);

// All cores call with the same arguments; the caller puts a barrier behind the call.
enum kernel_status train_tiled_product(const struct train_tiled_product *product);

#endif
