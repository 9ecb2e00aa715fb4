// sim/cluster/rr_tree.h: the round-robin arbitration tree of common_cells (`rr_arb_tree`).
//
// A binary tree of priority selections. At each level the bit of the pointer (root = most
// significant) selects the preferred half; an empty half yields to the other, and lower
// bits of the pointer are used unchanged even after such a detour.
#ifndef PULPSIM_RR_TREE_H
#define PULPSIM_RR_TREE_H

#include <limits.h>
#include <stdint.h>

// Leaves of the tree over `ports` requesters: a power of two.
static inline unsigned rr_leaves(unsigned ports) {
  unsigned leaves = 1;
  while (leaves < ports)
    leaves *= 2;
  return leaves;
}

// Index of the winner among `requests` (not zero): to prefer the half that a bit of the pointer
// selects, from the most significant on, is to look for the index that differs from the pointer
// least. Bits of the pointer beyond the tree's levels differ for all and decide nothing.
static inline unsigned rr_winner(uint32_t requests, unsigned pointer) {
  unsigned least = UINT_MAX;
  for (; requests; requests &= requests - 1) {
    unsigned differs = (unsigned)__builtin_ctz(requests) ^ pointer;
    if (differs < least)
      least = differs;
  }
  return least ^ pointer;
}

// The pointer after a grant when the tree is fair (FairArb): the lowest requester above
// the old pointer, the winner included; if there is none, the lowest requester.
static inline unsigned rr_fair_next(uint32_t requests, unsigned pointer) {
  uint32_t above = pointer >= 31 ? 0 : requests & (UINT32_MAX << (pointer + 1));
  return (unsigned)__builtin_ctz(above ? above : requests);
}

#endif
