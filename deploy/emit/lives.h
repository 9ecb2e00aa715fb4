// deploy/emit/lives.h: where the activations are in L2, and when.
//
// A tensor lives from the layer that makes it (the network's input: the first) to the last that
// reads it. Two that live at the same time have places apart, with one exception: a layer's output
// may lie over an input that nobody reads later, as far as the layer's tiles have been read there
// before they are written (tile_overlap()).
#ifndef LIVES_H
#define LIVES_H

#include "stripes.h"

struct life {
  uint32_t begin, end; // layers
  uint32_t bytes;      // a multiple of 8
  uint32_t place;      // in L2
  int32_t apart;       // of its layer: tile_overlap()
  int dying[2];        // tensors that its layer reads as the last; NET_NONE
  bool made;           // by a layer, or from L3; else it is an input of the network
};

// How places are found.
enum lives_method {
  LIVES_BEST,   // lowest places; where they do not meet the bound, exactly, as far as that is soon
  LIVES_LOWEST, // of many orders of the tensors, each at the lowest place that is free
  LIVES_EXACT,  // by integer programming (lives_exact.h)
  LIVES_STACK   // DORY's: two stacks, from both ends (lives_stack.h)
};

struct lives {
  struct life *life; // of tensor i
  uint32_t *filters; // bytes of layer i's; the caller's to set
  uint32_t count, layers;
  uint32_t bytes; // what the places take
  uint32_t bound; // what any places take: the worst layer's, or more if that is proved
};

// Rows of a tensor in L2 make that live, and have no bytes of their own. Of stripes, the next one
// comes while one is computed, and the one before goes, if they are not to be alone.
struct lives lives_of(const struct stripes *stripes);
void lives_free(struct lives *lives);

// Of a layer's output and what dies there: the least they take together, and all that lives beside.
uint32_t lives_at(const struct lives *lives, uint32_t layer);

// Sets `bound`: what lives at the worst layer.
void lives_find_bound(struct lives *lives);

// Sets the places, `bytes` and `bound`.
void lives_place(struct lives *lives, enum lives_method method);

// Whether both live in some layer.
bool lives_meet(const struct life *a, const struct life *b);

// The largest stretch of 0..limit - 1 that no tensor has that lives at the layer.
uint32_t lives_gap(const struct lives *lives, uint32_t layer, uint32_t limit);

#endif
