// kernels/vec/vec_axpy.h: y = alpha * x + y over int32 vectors (32-bit wrap).
#ifndef VEC_AXPY_H
#define VEC_AXPY_H

#include <stdint.h>

#include "kernels/status.h"

// Vectors in L1, aligned to 4; any count. One core's work: the caller splits.
void vec_axpy_i32(int32_t *y, const int32_t *x, int32_t alpha, uint32_t count);

// Vectors outside L1, moved through it tile by tile: while the cores work on one tile, the DMA
// brings the next and takes the one before away. Called by all cores; complete for all when it
// returns. Aligned to 4; 8 is fastest.
struct vec_axpy_tiled {
  int32_t *y;
  const int32_t *x;
  int32_t alpha;
  uint32_t count;
  uint32_t tile;   // elements of a tile, 1..16384
  int32_t *buffer; // in L1: vec_axpy_tiled_buffer_size() bytes, aligned to 8
};

uint32_t vec_axpy_tiled_buffer_size(uint32_t tile);
enum kernel_status vec_axpy_i32_tiled(const struct vec_axpy_tiled *axpy);

#endif
