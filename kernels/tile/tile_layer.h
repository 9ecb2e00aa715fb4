// kernels/tile/tile_layer.h: a layer whose tensors are in L2, tile by tile through L1.
//
// A tile is some rows of the output, whole ones, and some of its channels. While the cores compute
// tile k, the DMA brings what tile k + 1 needs and takes tile k - 1 away; each core programs a part
// of the transfers. What the next tile shares with this one (its rows, or its filters) stays. Rows
// beyond the input's edges are padding, tile by tile.
//
// Source of the schedule: Burrello et al., "DORY", IEEE TC 70(8), 2021, listing 1.
#ifndef TILE_LAYER_H
#define TILE_LAYER_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/status.h"

enum tile_kind {
  TILE_CONV,
  TILE_DEPTHWISE,
  TILE_LINEAR,
  TILE_SUMS,
  TILE_MAXPOOL,
  TILE_AVGPOOL,
  TILE_ADD
};

struct tile_kernel; // tile_kernel.h

struct tile_layer {
  enum tile_kind kind;
  const struct tile_kernel *kernel;
  uint16_t in_h, in_w, in_c, out_h, out_w, out_c;
  uint8_t kernel_h, kernel_w, stride_h, stride_w;
  uint8_t pad_top, pad_left, pad_right; // the bottom's follows from out_h
  uint8_t shift;
  int16_t pad_value;                // TILE_DEPTHWISE
  int32_t scale_a, scale_b, lambda; // TILE_ADD
  uint16_t tile_h, tile_c;          // of the output, at most; all channels, or a multiple of 4
  bool rows_first;                  // all channels of some rows, then the next rows
  uint32_t weight_bytes;            // of a tile's filters: they stand tile by tile in L2
  uint32_t x[2], x2[2], w[2], y[2]; // places in L1, multiples of 4
  uint32_t scratch;
};

// Bytes that an input tile has, filters and parameters of a tile, an output tile.
uint32_t tile_in_bytes(const struct tile_layer *layer);
uint32_t tile_out_bytes(const struct tile_layer *layer);

// Bytes of scratch that the kernel wants for the largest tile.
uint32_t tile_scratch_bytes(const struct tile_layer *layer);

// Tiles of the layer, and the number of its channel tile that stands first in `weights`.
struct tile_span {
  uint32_t begin, end, weights_from;
};

uint32_t tile_count(const struct tile_layer *layer);

// Tiles span->begin..end - 1; all cores. `second` is the addition's other input, `weights` the
// filters, tile by tile. Ends with a barrier. What a kernel refuses is returned, by every core.
enum kernel_status tile_run(const struct tile_layer *layer, const struct tile_span *span,
                            const uint8_t *in, const uint8_t *second, const uint8_t *weights,
                            uint8_t *out, uint8_t *l1);

#endif
