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
#include "tile_stream.h"

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
  uint32_t weight_bytes;            // of a tile's filters: they stand tile by tile in their pieces
  uint16_t piece, piece_tiles;      // the first piece; tiles of channels in each
  uint32_t x[2], x2[2], w[2], y[2]; // places in L1, multiples of 4
  uint32_t scratch;
};

// Bytes at the start of L1 that hold the layer's description while it runs.
#define TILE_L1_USED 128u

// Bytes that an input tile has, filters and parameters of a tile, an output tile.
uint32_t tile_in_bytes(const struct tile_layer *layer);
uint32_t tile_out_bytes(const struct tile_layer *layer);

// Bytes of scratch that the kernel wants for the largest tile.
uint32_t tile_scratch_bytes(const struct tile_layer *layer);

uint32_t tile_count(const struct tile_layer *layer);

// How many bytes behind the start of the output the input must begin for the two to share memory:
// the output then never reaches inputs that are still to be read. INT32_MIN: anywhere.
int32_t tile_overlap(const struct tile_layer *layer);

// Where the tensors are; `second`: the addition's other input.
struct tile_tensors {
  const uint8_t *in, *second;
  uint8_t *out;
};

// The whole layer; all cores. `weights` brings the filters. Ends with a barrier. What a kernel
// refuses is returned, by every core. `out` may lie over what has been read of `in`: tile k is
// written when the inputs up to tile k have been read, those behind it perhaps not.
enum kernel_status tile_run(const struct tile_layer *layer, const struct tile_tensors *tensors,
                            struct tile_stream *weights, uint8_t *l1);

#endif
