// deploy/emit/plan.h: tiles, places in L1, L2 and L3, and the pieces in which weights come from L3.
//
// L2 holds the activations, each from its layer to its last reader (lives.h), and between and
// behind them the weights that are used now or next (pieces.h). L3 holds the weights, then the
// layers' descriptions, if the program has them not, then the input.
#ifndef PLAN_H
#define PLAN_H

#include "deploy/net/net.h"
#include "kernels/tile/tile_layer.h"
#include "kernels/tile/tile_stream.h"
#include "kernels/tile/tile_stripes.h"
#include "lives.h"
#include "stripes.h"

enum plan_objective {
  PLAN_CYCLES,   // least simulated cycles of the layer, of the tiles with the least estimates
  PLAN_ESTIMATE, // least estimated cycles of kernels and transfers
  PLAN_EQ6,      // most of L1 used: DORY's Eq. 6
  PLAN_DORY      // the same, with the heuristics of its kernels: Eq. 7
};

// What GAP8's 64 kB of L1 have for tiles: the runtime's data and the stacks of eight cores take the
// rest. The deepest calls use 1,104 bytes of a stack (tests/deploy/stacks.c).
enum {
  PLAN_STACK = 1152,
  PLAN_RUNTIME = 128, // with the state of the weights' stream
  PLAN_L1_MOST = 65536 - PLAN_RUNTIME - 8 * PLAN_STACK
};

// The heuristics of PLAN_DORY, by its names.
enum plan_heuristic {
  PLAN_IM2COL = 1,  // HIDE_IM2COL: many channels
  PLAN_ROWS = 2,    // PAR_BALANCE: rows in eights
  PLAN_COLUMNS = 4, // MATMUL_W: columns in twos
  PLAN_FILTERS = 8  // MATMUL_CH: channels in fours
};

struct plan_options {
  uint32_t l1, l2, code; // bytes, of L1 PLAN_L1_MOST are used; of L2, `code` is the program's
  enum plan_objective objective;
  struct cost *cost; // PLAN_CYCLES
  unsigned without;  // PLAN_DORY: heuristics that do not count
  enum lives_method places;
  bool layers_far; // descriptions of the layers are in L3 (kernels/tile/tile_describe.h)
};

enum { PLAN_DESCRIPTION = -2 }; // of a piece, beside NET_NONE and tensors

// Bytes of L1 of the machine: GAP8's, or `l1` where that is more.
uint32_t plan_l1_size(const struct plan_options *options);
// Of them, what tiles may have.
uint32_t plan_l1_tiles(const struct plan_options *options);

struct plan_layer {
  struct tile_layer lowered; // without tiles (lower.h)
  struct tile_layer tile;
  uint32_t l1_bytes; // used
  uint64_t estimate; // cycles
  uint32_t cycles;   // simulated; 0: not
  uint8_t *weights;  // tile by tile; NULL: none, or those of the stripe in front of it
  size_t weight_bytes;
  bool repeats; // has those
  uint32_t l3;  // their place
};

// What L2 could not hold: so many bytes of a layer's. None are missing: something else was wrong.
struct plan_short {
  uint32_t layer;
  int64_t missing;
};

struct plan {
  const struct net *net;  // legal (legal.h), in stripes: a layer here is a stripe
  struct net *legal;      // without stripes; its tensors are the first of the other
  struct stripes stripes; // which is which
  uint32_t given_tensors; // the first of its tensors are those of the network given
  struct plan_layer *layers;
  struct lives lives; // the tensors' places in L2
  struct tile_piece *pieces;
  uint32_t *piece_layers;
  int *piece_tensors; // rows of activations that come; NET_NONE: weights, PLAN_DESCRIPTION
  uint32_t piece_count;
  struct tile_stripe *leaving; // rows of activations that go
  uint32_t leaving_count;
  struct tile_meeting *meetings; // of each layer
  uint32_t *far_places;          // of tensors in L3, behind the weights
  uint32_t far_bytes;            // of L3 behind the weights, the inputs included
  struct plan_short shortage;
  uint32_t l1_bytes; // that any layer reaches
  uint32_t l2_bytes; // of activations and weights
  uint32_t l1, l2;   // that there are
  uint32_t l2_limit; // of L2, without the program
  bool layers_far;
  uint32_t layers_l3; // place of the descriptions
  uint32_t l3_bytes;  // of the weights and descriptions
};

// Whether some layers are cut into stripes, as activations are in L3.
bool plan_is_striped(const struct plan *plan);

// Where a tensor is in L2.
uint32_t plan_place(const struct plan *plan, int tensor);

// NULL, with how much of which memory is missing, if the network does not fit.
struct plan *plan_new(const struct net *net, const struct plan_options *options,
                      struct net_error *error);
void plan_free(struct plan *plan);

#endif
