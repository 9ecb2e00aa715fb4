// sim/cluster/mchan_memo.h: clock edges of a channel of the DMA that have been seen before.
//
// What moves at an edge is a function of the channel's control alone (mchan_parts.h). The same
// comes again and again, while words stream through the queues: each is decided once, and noted.
#ifndef PULPSIM_MCHAN_MEMO_H
#define PULPSIM_MCHAN_MEMO_H

#include <string.h>

#include "cluster/mchan_parts.h"

// What is not found at once.
const struct mchan_cycle *mchan_find(const struct mchan *d, struct mchan_channel *ch);

static inline uint64_t mchan_control_bits(const struct mchan_control *c) {
  uint64_t bits;
  memcpy(&bits, c, sizeof bits);
  return bits;
}

static inline unsigned mchan_set_of(uint64_t control) {
  return (unsigned)(control * UINT64_C(0x9e3779b97f4a7c15) >> 40) % MCHAN_SETS;
}

// What the edge at the end of this cycle does, until the next call.
static inline const struct mchan_cycle *mchan_look_up(const struct mchan *d,
                                                      struct mchan_channel *ch) {
  uint64_t was = mchan_control_bits(&ch->control);
  struct mchan_seen *first = ch->memo.set[mchan_set_of(was)];
  if (__builtin_expect(!d->computes && mchan_control_bits(&first->was) == was, 1))
    return &first->cycle;
  return mchan_find(d, ch);
}

#endif
