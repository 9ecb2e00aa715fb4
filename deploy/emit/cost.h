// deploy/emit/cost.h: what a layer's tiles cost: cycles of the whole layer on the simulated
// machine, transfers between L2 and L1 included, with its filters in L2.
//
// Each layer and tile is simulated once: the cycles are kept in a file, by hashes of everything
// that they depend on (this program, the kernels, the machine, the layer's description).
#ifndef COST_H
#define COST_H

#include "deploy/net/net.h"
#include "kernels/tile/tile_layer.h"

struct cost;

// `machine`: as machine_new() has it, with the bytes of its L1 and of what tiles have of it;
// `root`: this project's folder, where the kernels' library is; `cache`: a folder, made if it is
// not there. NULL, with the reason, if tiles cannot be simulated.
struct cost_machine {
  const char *name;
  uint32_t l1, tiles; // bytes
};
struct cost *cost_new(const struct cost_machine *machine, const char *root, const char *cache,
                      struct net_error *error);
void cost_free(struct cost *cost);

// Cycles, or `limit` if it would be more, or if the layer does not run in the probe.
uint32_t cost_cycles(struct cost *cost, const struct tile_layer *layer, uint32_t limit);

// $XDG_CACHE_HOME/pulpsim, or ~/.cache/pulpsim; the caller frees.
char *cost_default_cache(void);

#endif
