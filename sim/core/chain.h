// sim/core/chain.h: segments that follow one another, as one, for a core that acts alone: its
// accesses are made as soon as they leave ID. Where one cannot be, all is as if the segments in
// front of it had been run.
#ifndef PULPSIM_CHAIN_H
#define PULPSIM_CHAIN_H

#include "core/exec.h"
#include "engine/limit.h"

enum { CHAINS = LIMIT(1 << 12, 3), CHAIN_SEGMENTS = 8, SEGMENT_CORES = 17 };

struct segment;
struct segments;

// How a run through segments ends, in front of the cycle behind pipeline.last_edge.
enum segment_stop {
  SEGMENT_COMPUTED, // its last cycle has been computed; core.ahead.next is to be clocked next
  SEGMENT_NONE,     // not even the first has been run
  SEGMENT_ASKS,     // too little is known of the cycle, or it is past the limit
  SEGMENT_WAITS,    // core.ahead.asked_bank is asked for in it
  SEGMENT_RUNS,     // it does not
};

// Of a segment, or a chain, and a core.
struct segment_use {
  uint64_t valid;   // in which epoch and context, see segment_stamp(), it holds; 0: none
  uint64_t entered; // how often, since that was counted
};

struct chain {
  struct uop *uop;
  unsigned cycles, count;
  struct chain *next[EXEC_RESULTS]; // that follows; NULL: not known
  struct segment *segment[CHAIN_SEGMENTS];
  const struct uop *last[CHAIN_SEGMENTS]; // micro-operation of each
  struct segment_use core[SEGMENT_CORES];
};

// The chain from `s` on, if it holds for `c`; NULL: there is none, but there may be one later.
struct chain *chain_find(const struct core *c, struct segment *s);

// The chain, run from cycle `t` on, has been left at core.ahead.left_at: does what is to be done by
// whoever has run its segments up to there.
void chain_leave(struct core *c, struct chain *k, cycle_t t);

// Adds what core `c` has counted in chains to c->count.
void chains_count(struct segments *all, struct core *c);

#endif
