// deploy/emit/plan.h: tiles, places in L1, L2 and L3, and the pieces in which weights come from L3.
//
// L2 holds, from its start: the activations, each from its layer to its last reader, then a ring
// through which the weights pass in the order of their use. L3 holds the weights, then the input.
#ifndef PLAN_H
#define PLAN_H

#include "deploy/net/net.h"
#include "kernels/tile/tile_layer.h"
#include "kernels/tile/tile_stream.h"

enum plan_objective {
  PLAN_ESTIMATE, // least estimated cycles of kernels and transfers
  PLAN_EQ6       // most of L1 used: DORY's Eq. 6
};

struct plan_options {
  uint32_t l1, l2, code; // bytes; of L2, `code` belongs to the program
  enum plan_objective objective;
};

struct plan_layer {
  struct tile_layer tile;
  uint32_t l1_bytes; // used
  uint64_t estimate; // cycles
  uint8_t *weights;  // tile by tile; NULL: none
  size_t weight_bytes;
  uint32_t first_piece, piece_count;
};

struct plan {
  const struct net *net;
  struct plan_layer *layers;
  uint32_t *place;             // of tensor i in L2
  uint32_t activations, bound; // bytes of L2; what lives at once at the worst place
  uint32_t ring, ring_bytes;
  struct tile_piece *pieces;
  struct tile_span *spans; // of the pieces
  uint32_t piece_count;
  uint32_t l3_bytes; // of the weights
};

// NULL, with how much of which memory is missing, if the network does not fit.
struct plan *plan_new(const struct net *net, const struct plan_options *options,
                      struct net_error *error);
void plan_free(struct plan *plan);

#endif
