// kernels/nn/nn_split.h: how the cores share a layer of groups of four pixels and blocks of four
// filters: by pixels, by filters, or by both.
//
// Among cores / 2^k parts of the pixels, with 2^k cores each that share the filters, the rule takes
// the one that takes the least time: of each group of the largest part the blocks of one core, the
// columns, which the cores make together, and waiting for one another.
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

// A call of its own: see nn_window_divide().
static __attribute__((noinline)) uint32_t nn_split_slowly(uint32_t total, uint32_t parts) {
  return total / parts;
}

// total / (cores / 2^k), exact below 2^25: a multiplication if 2^k divides the cores.
static inline uint32_t nn_split_divide(uint32_t total, uint32_t k) {
  uint32_t cores = rt_core_count(), parts = cores >> k;
  return parts << k == cores ? rt_per_core(total << k) : nn_split_slowly(total, parts);
}

// Share `index` of `total`, whose shares are `each` or one more.
static inline struct rt_range nn_split_share(uint32_t total, uint32_t shares, uint32_t each,
                                             uint32_t index) {
  uint32_t more = total - each * shares;
  uint32_t begin = index * each + (index < more ? index : more);
  return (struct rt_range){begin, begin + each + (index < more)};
}

// In sixteenths of a block's time: a group's columns, four, about as long as those of 3x3 windows
// of 32 to 64 channels; a barrier and the call of a strip.
enum { NN_SPLIT_MADE = 12, NN_SPLIT_TURN = 2 };

// Members of a part, as a power of two. Of columns that need not be made `made` is 0.
static __attribute__((noinline)) uint32_t nn_split_members(uint32_t groups, uint32_t blocks,
                                                           uint32_t made) {
  uint32_t cores = rt_core_count(), best = 0, least = UINT32_MAX;
  for (uint32_t k = 0; cores >> k > 0; k++) {
    uint32_t parts = cores >> k;
    uint32_t turn = ((blocks + (1u << k) - 1) >> k) * 16 + (made >> (k < 2 ? k : 2));
    if (k > 0)
      turn += NN_SPLIT_TURN;
    uint32_t cost = nn_split_divide(groups + parts - 1, k) * turn;
    if (cost < least) {
      least = cost;
      best = k;
    }
  }
  return best;
}

static inline struct nn_split nn_split_of(uint32_t groups, uint32_t blocks, uint32_t made) {
  uint32_t k = nn_split_members(groups, blocks, made), id = rt_core_id();
  struct nn_split s = {.members = 1u << k, .part = id >> k, .member = id & ((1u << k) - 1)};
  uint32_t parts = rt_core_count() >> k, each = nn_split_divide(groups, k);
  s.turns = each + (each * parts < groups);
  if (s.part < parts) { // else a core too many
    s.groups = nn_split_share(groups, parts, each, s.part);
    s.blocks = nn_split_share(blocks, s.members, blocks >> k, s.member);
  }
  return s;
}

// Rows of the output, and groups of channels that need no others: a core has as many of either as
// its share of the groups, and its band of the rows, are.
struct nn_split_bands {
  struct rt_range rows, groups;    // this core's
  uint32_t most_rows, most_groups; // of the largest share
};

// A band costs as much as its rows and some more: those that two bands need, and what is prepared
// for each.
enum { NN_SPLIT_BAND = 2 };

// As a power of two, how many bands are best.
static __attribute__((noinline)) uint32_t nn_split_bands_count(uint32_t rows, uint32_t groups) {
  uint32_t cores = rt_core_count(), best = 0, least = UINT32_MAX;
  for (uint32_t k = 0; cores >> k > 0; k++) {
    uint32_t parts = cores >> k, band = (rows + (1u << k) - 1) >> k;
    uint32_t cost = (band + NN_SPLIT_BAND) * nn_split_divide(groups + parts - 1, k);
    if (cost < least) {
      least = cost;
      best = k;
    }
  }
  return best;
}

static __attribute__((noinline)) void nn_split_uneven_bands(struct nn_split_bands *s, uint32_t rows,
                                                            uint32_t groups) {
  uint32_t k = nn_split_bands_count(rows, groups), id = rt_core_id();
  uint32_t bands = 1u << k, parts = rt_core_count() >> k, part = id >> k;
  uint32_t each = nn_split_divide(groups, k);
  s->rows = s->groups = (struct rt_range){0, 0};
  s->most_rows = (rows + bands - 1) >> k;
  s->most_groups = each + (each * parts < groups);
  if (part < parts) { // else a core too many
    s->rows = nn_split_share(rows, bands, rows >> k, id & (bands - 1));
    s->groups = nn_split_share(groups, parts, each, part);
  }
}

// One band, if that shares the groups evenly.
static inline void nn_split_bands_of(struct nn_split_bands *s, uint32_t rows, uint32_t groups) {
  uint32_t each = rt_per_core(groups), begin = rt_core_id() * each;
  *s = (struct nn_split_bands){{0, rows}, {begin, begin + each}, rows, each};
  if (each * rt_core_count() != groups)
    nn_split_uneven_bands(s, rows, groups);
}

#endif
