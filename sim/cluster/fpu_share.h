// sim/cluster/fpu_share.h: float units shared by the cores of a cluster: who is served.
//
// Public RTL (fpu_interco, SINGLE_INTERCO, as pulp_cluster v1.3 and v2.0.0 build it for eight and
// nine cores): in each cycle the k-th core that asks for a sum, product, conversion or comparison,
// counted from core 0, goes to unit k modulo `units`; a unit takes one operation per cycle, decided
// by a tree whose pointer counts up with every operation that the unit takes, from 0 to the number
// of cores (rr_tree.h has the walk). With as many units as cores, each core has its own. Divisions
// and square roots of all cores go to one iterative unit behind a tree of the same kind; it takes
// the next operation in the cycle behind a result. Its two registers add to the divider's own
// latency (FPU_SHARE_DIVIDER_FRAME). Of 225,806 measured cycles none differs; see
// tests/cluster/rtl.
//
// Requests are known one clock edge ahead, so all of a cycle's requests are there before the first
// core asks whether it was served.
#ifndef PULPSIM_FPU_SHARE_H
#define PULPSIM_FPU_SHARE_H

#include <stdbool.h>

#include "engine/engine.h"

enum { FPU_SHARE_CORES = 16, FPU_SHARE_DIVIDER_FRAME = 2 };

struct fpu_share {
  unsigned cores, units, leaves;    // units: a power of two; leaves: one, not below cores
  uint8_t pointer[FPU_SHARE_CORES]; // of each unit's tree
  uint8_t divider_pointer;
  cycle_t divider_free; // first cycle in which the divider takes an operation
  cycle_t cycle;        // that the masks are about
  uint32_t asks, divides, served;
  uint8_t latency[FPU_SHARE_CORES]; // of the divisions asked for
  bool decided;
};

// `cores` 1..16, `units` a power of two.
void fpu_share_init(struct fpu_share *s, unsigned cores, unsigned units);

// These two are a core's float_port (core/pipeline.h); `self` is the struct fpu_share.
// Core `core` will ask for a unit in `cycle`; called at the clock edge before. `latency`: 0, or the
// cycles from grant to result of a division or square root.
void fpu_share_ask(void *self, unsigned core, unsigned latency, cycle_t cycle);

// Whether the core is served in `cycle`, the current one.
bool fpu_share_served(void *self, unsigned core, cycle_t cycle);

#endif
