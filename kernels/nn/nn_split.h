// kernels/nn/nn_split.h: how the cores share a layer of groups of four pixels and blocks of four
// filters: by pixels, by filters, or by both.
//
// Among cores / 2^k parts of the pixels, with 2^k cores each that share the filters, the rule takes
// the one with the smallest largest share; more cores to a part must make it smaller by a `gain`th:
// where they make columns together, and wait for each other, that has its price.
#ifndef NN_SPLIT_H
#define NN_SPLIT_H

#include "kernels/rt/rt.h"

// Pixels per core beyond which these are shared evenly enough; where columns are made, earlier.
enum { NN_SPLIT_ROWS = 16, NN_SPLIT_COLUMNS = 5 };

struct nn_split {
  struct rt_range groups, blocks; // this core's
  uint32_t part;                  // which part of the pixels
  uint32_t member, members;       // which core of that part, of how many (1, 2, 4 ...)
  uint32_t turns;                 // groups of the largest part
};

// Share `index` of `total` in `shares`.
static inline struct rt_range nn_split_share(uint32_t total, uint32_t shares, uint32_t index) {
  uint32_t each = total / shares, more = total - each * shares;
  uint32_t begin = index * each + (index < more ? index : more);
  return (struct rt_range){begin, begin + each + (index < more)};
}

// Members of a part, as a power of two. Beyond four groups per core pixels are shared evenly
// enough.
static __attribute__((noinline)) uint32_t nn_split_members(uint32_t groups, uint32_t blocks,
                                                           uint32_t gain) {
  uint32_t cores = rt_core_count(), best = 0, least = UINT32_MAX;
  for (uint32_t k = 0; cores >> k > 0; k++) {
    uint32_t parts = cores >> k;
    uint32_t cost = (groups + parts - 1) / parts * ((blocks + (1u << k) - 1) >> k);
    if (cost < least - least / gain) {
      least = cost;
      best = k;
    }
  }
  return best;
}

static inline struct nn_split nn_split_of(uint32_t groups, uint32_t blocks, uint32_t gain) {
  uint32_t k = nn_split_members(groups, blocks, gain), id = rt_core_id();
  struct nn_split s = {.members = 1u << k, .part = id >> k, .member = id & ((1u << k) - 1)};
  uint32_t parts = rt_core_count() >> k;
  if (s.part >= parts) { // a core too many
    s.turns = (groups + parts - 1) / parts;
    return s;
  }
  s.groups = nn_split_share(groups, parts, s.part);
  s.blocks = nn_split_share(blocks, s.members, s.member);
  s.turns = (groups + parts - 1) / parts;
  return s;
}

#endif
