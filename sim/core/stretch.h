// sim/core/stretch.h: stretches of cycles in which only cores and the DMA act, looked up.
//
// Who gets which bank, and when, is a function of what the cores ask for, and when, and of the
// banks' pointers. Programs repeat themselves, and where eight cores go through a tile once more
// they meet at the same banks in the same cycles. So a stretch that looks as if it came again is
// noted; when it comes once more, each core runs through it alone, with the grants that are noted,
// and notes what it asks for (notes.h). If all have asked for what is noted, that was the truth,
// and nobody can have seen in which order they ran, unless one has stored what another accessed.
// Else all is taken back, and the cycles are stepped one by one. (The idea is that of E. Schnarr,
// J. R. Larus, "Fast out-of-order processor simulation using memoization", ASPLOS 1998.)
//
// What leads to a noted stretch, the places where the cores stand, is no more than a guess.
#ifndef PULPSIM_STRETCH_H
#define PULPSIM_STRETCH_H

#include "core/core_group.h"

// Of a group whose cores have a TCDM. Without it, all goes as with it.
struct stretches *stretches_new(struct core_group *g);
void stretches_free(struct stretches *s);

// The machine has been put back in time: what was being noted has not happened.
void stretches_restored(struct core_group *g);

// In a cycle in which cores act that have promised to, and now nobody else but perhaps the TCDM's
// arbiter, before anything is decided, if the group's `look` is not later: true if the stretch that
// begins here has been run through, this cycle included.
bool stretch_begin(struct core_group *g);

// While one is being noted (`look` is 0): others than cores that have promised to, and the DMA, act
// in this cycle, in which nothing has been decided.
void stretch_cut(struct core_group *g);
static inline void stretch_broken(struct core_group *g) {
  if (!g->look)
    stretch_cut(g);
}

#endif
