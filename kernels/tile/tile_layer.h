// kernels/tile/tile_layer.h: a layer whose tensors are in L2, tile by tile through L1.
//
// A tile is some rows, some columns and some channels of the output. While the cores compute tile
// k, the DMA brings what tile k + 1 needs and takes tile k - 1 away; each core programs a part of
// the transfers. What the next tile shares with this one (its pixels, or its filters) stays. What
// lies beyond the input's edges is padding, tile by tile. A convolution whose filters L1 has no
// room for takes the input's channels in parts, one tile for each, and keeps its sums in L1
// meanwhile.
//
// Between layers, what L1 has room for stays there: an output of one tile that the next layer reads
// is its input without a transfer, and the next layer's description and its first filters come
// while the last tile is computed.
//
// Source of the schedule: Burrello et al., "DORY", IEEE TC 70(8), 2021, listing 1.
#ifndef TILE_LAYER_H
#define TILE_LAYER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/nn/nn_requant_i32.h"
#include "kernels/status.h"
#include "tile_stream.h"

enum { TILE_INPUTS = 4 };

enum tile_kind { // what an output tile needs of the input
  TILE_CONV,     // all channels of the rows under its windows
  TILE_DEPTHWISE,
  TILE_LINEAR, // the whole of a 1 x 1 input
  TILE_SUMS,   // the same; outputs of 32 bits
  TILE_MAXPOOL,
  TILE_AVGPOOL,
  TILE_ADD,    // its rows and channels, of every input
  TILE_CONCAT, // its rows, of every input; all channels
  TILE_RESIZE  // the rows that are repeated stride_h times, its channels
};

struct tile_kernel; // tile_kernel.h

// Where a tile lies, and the slots of L1 that hold it. Small, as stacks are (link.ld).
struct tile {
  uint16_t row, column, channel;    // which tile
  uint16_t rows, columns, channels; // of the output
  uint16_t in_at, in_rows;          // of the input, inside it
  uint16_t in_column, in_columns;
  uint8_t top, bottom, left, right; // padding
  uint8_t part;                     // of the input's channels
  uint8_t x, w, y;                  // slots
  bool new_x, new_w;                // not what the tile before had
  bool only;                        // the layer has no other
};

// How many tiles a layer has along each axis; `parts` of the input's channels.
struct tile_counts {
  uint16_t rows, columns, channels;
  uint8_t parts;
};

// A core's share of a tile: pixels (tile_rows) or rows (tile_planes), and channels in fours; from
// begin to end - 1.
struct tile_share {
  uint16_t begin, end, fours_begin, fours_end;
};

enum { TILE_CORES = 8 }; // that have shares in a description

struct tile_input { // behind the first
  uint16_t c;
  uint8_t bits;
  bool pixel; // 1 x 1
};

// A requantization by nn_requant_i32.h; its arrays stand behind a tile's filters, each with
// tile_c elements (or one), 64-bit ones first, bytes last.
struct tile_requant {
  enum nn_scheme scheme;
  bool used; // else kappa, lambda and the layer's shift (nn_requant.h)
  bool per_channel;
  uint8_t shift;
  int16_t zero, low, high;
  struct nn_end end; // tile_mixed: of all tiles, if one fits all channels
  int32_t m;
};

struct tile_layer {
  enum tile_kind kind;
  const struct tile_kernel *kernel;
  uint16_t in_h, in_w, in_c, out_h, out_w, out_c;
  uint16_t groups; // tile_direct
  uint8_t kernel_h, kernel_w, stride_h, stride_w;
  uint8_t dilation_h, dilation_w;         // others than 1: tile_direct, TILE_RESIZE
  uint8_t pad_top, pad_left, pad_right;   // the bottom's follows from out_h
  uint8_t in_bits, weight_bits, out_bits; // 8, 4, 2; out_bits also 32
  bool in_signed, out_signed;
  int16_t pad_value;
  uint8_t inputs;
  struct tile_input more[TILE_INPUTS - 1]; // inputs 1 ...
  uint8_t shift;
  int32_t scale_a, scale_b, lambda; // tile_add
  struct tile_requant requant;
  bool clip; // outputs end at low..high, within the range of out_bits
  int16_t low, high;
  bool inside, nearest;          // tile_average: struct nn_average
  uint8_t joint;                 // tile_lookup: enum nn_joint
  uint16_t tile_h, tile_w;       // of the output, at most
  uint16_t tile_c;               // the same; all channels, or a multiple of 4
  uint16_t tile_k;               // of the input's channels; others than all: tile_parts
  bool rows_first;               // all channels of some pixels, then the next pixels
  uint8_t fours;                 // tile_conv: of pixels whose columns are made at once
  uint32_t weight_bytes;         // of a tile's filters: they stand tile by tile in their pieces,
                                 // the parts of a tile's one behind the other
  uint16_t piece, piece_tiles;   // the first piece; tiles' filters in each
  uint32_t filter_bytes;         // of these, before the requantization's parameters
  uint32_t in[TILE_INPUTS], out; // places of the tensors in L2
  uint16_t x[TILE_INPUTS][2], w[2], y[2]; // places in L1, in words (TILE_WORD)
  uint8_t here;                           // a bit for each input that is in L1 already, whole
  bool early;                             // so are the first tile's filters
  bool stays, stored;                     // the output: in L1, of one tile; in L2
  uint16_t ahead_piece;                   // of the next layer's first filters: their piece,
  uint32_t ahead_bytes, ahead_to;         // as many, 0: not during this layer; place in L1
  uint8_t early_x;                        // inputs whose first tile came with the layer before
  uint32_t ahead_x, ahead_x_bytes;        // of one of the next layer's: from where in L2, as many,
  uint32_t ahead_x_to;                    // 0: none; place in L1
  struct tile_counts tiles;
  struct tile first;                   // tile_first(), and if it is the only one,
  struct tile_share share[TILE_CORES]; // of each core, if there are so many
  uint32_t plane;                      // tile_planes: bytes (tile_conv: words of a column);
  uint16_t plane_row, plane_fours;     // of a row; channels in fours at once
  uint32_t scratch;
};

// Bytes that the DMA moves at once, of which places in L1 are multiples.
enum { TILE_WORD = 8 };

// A tile's input, filters and output in L1.
static inline uint8_t *tile_x(const struct tile_layer *l, const struct tile *t, uint8_t *l1,
                              unsigned input) {
  return l1 + (size_t)TILE_WORD * l->x[input][t->x];
}
static inline uint8_t *tile_w(const struct tile_layer *l, const struct tile *t, uint8_t *l1) {
  return l1 + (size_t)TILE_WORD * l->w[t->w];
}
static inline uint8_t *tile_y(const struct tile_layer *l, const struct tile *t, uint8_t *l1) {
  return l1 + (size_t)TILE_WORD * l->y[t->y];
}

// Bytes at the start of L1 that hold the descriptions of the layer that runs, and of the next.
#define TILE_L1_EACH 320u
#define TILE_L1_USED (2 * TILE_L1_EACH)

// Bytes of an input's tile, of an output tile; of `channels` channels of a pixel of theirs.
uint32_t tile_in_bytes(const struct tile_layer *layer, unsigned input);
uint32_t tile_out_bytes(const struct tile_layer *layer);
uint32_t tile_in_pixel(const struct tile_layer *layer, unsigned input, uint32_t channels);
uint32_t tile_out_pixel(const struct tile_layer *layer, uint32_t channels);

// Whether an output tile needs only its own channels of the inputs.
bool tile_by_channel(const struct tile_layer *layer);

// Where in the output a tile begins.
static inline uint32_t tile_rows_at(const struct tile_layer *l, const struct tile *t) {
  return (uint32_t)t->row * l->tile_h;
}
static inline uint32_t tile_columns_at(const struct tile_layer *l, const struct tile *t) {
  return (uint32_t)t->column * l->tile_w;
}
static inline uint32_t tile_channels_at(const struct tile_layer *l, const struct tile *t) {
  return (uint32_t)t->channel * l->tile_c;
}

// Elements of the first input's channels that a tile has, where it has not all: a part's.
uint32_t tile_part_channels(const struct tile_layer *layer, const struct tile *tile);

// Whether no tile's windows lie in the padding altogether: kernels want a pixel of the input.
bool tile_meets_input(const struct tile_layer *layer);

// Bytes of scratch that the kernel wants for the largest tile.
uint32_t tile_scratch_bytes(const struct tile_layer *layer);

uint32_t tile_count(const struct tile_layer *layer);

// Of them, as many as have different filters: each has weight_bytes.
uint32_t tile_filters(const struct tile_layer *layer);

// Pieces of the output's rows and columns, whatever the channels.
uint32_t tile_patches(const struct tile_layer *layer);

// How many bytes behind the start of the output the input must begin for the two to share memory:
// the output then never reaches inputs that are still to be read. INT32_MIN: anywhere; INT32_MAX:
// nowhere, as with inputs whose rows differ.
int32_t tile_overlap(const struct tile_layer *layer);

// What a core knows of the transfers that it started. Small, as it is on the stack.
struct tile_work {
  const struct tile_layer *const *layers;
  uint32_t count;
  struct tile_stream *weights;
  uint8_t *l1;
  uint8_t turns; // which transfers it starts
  bool late;     // filters were not in L2 yet when they were asked for
  uint16_t loads[TILE_INPUTS], filters, stored, described; // sets of identifiers
};

// A layer's description in L1, where each core's reading of it takes a cycle.
static inline struct tile_layer *tile_description(const struct tile_work *k, uint32_t number) {
  return (struct tile_layer *)(void *)(k->l1 + TILE_L1_EACH * (number & 1));
}

// For a network's layers, in L2; all cores, each with work of its own. `weights` brings the
// filters, and says where L2 is: the last core has begun it.
void tile_begin(struct tile_work *work, const struct tile_layer *const *layers, uint32_t count,
                struct tile_stream *weights, uint8_t *l1);

// A whole layer; all cores, one layer after the other. Ends with a barrier. What a kernel refuses
// is returned, by every core. The output may lie over what has been read of the input: tile k is
// written when the inputs up to tile k have been read, those behind it perhaps not.
enum kernel_status tile_run(struct tile_work *work, uint32_t number);

#endif
