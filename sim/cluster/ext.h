// sim/cluster/ext.h: the cores' way out of the cluster: L2 and the peripherals of the SoC.
//
// A slave of the peripheral interconnect that turns single accesses into AXI transactions
// (per2axi). Granted in cycle A, the address and a store's data are on the bus in A + 1; memory
// answers `latency` cycles later, one answer per cycle, in order; the answer passes one register
// stage. A single load or store of a core therefore costs 5 + latency cycles (l2.tsv). With a
// latency of 0 there is no bus: memory answers the interconnect in the next cycle. Where the
// way to L2 is shared (l2.h), data and answers wait for their turn on its channels, and a store
// takes a cycle more: the cluster's bus passes data behind their address.
#ifndef PULPSIM_EXT_H
#define PULPSIM_EXT_H

#include "cluster/periph.h"
#include "engine/clocks.h"
#include "soc/l2.h"
#include "soc/soc_bus.h"

struct ext_access {
  struct periph_access access;
  cycle_t address; // cycle of the address handshake; stores change memory at its end
  cycle_t data;    // cycle in which the memory answers; loads read it at the end of the one before
  bool written;    // a store that has passed a shared channel
};

struct ext {
  struct clocks *clocks;
  struct engine *engine; // the cluster's
  unsigned actor;        // rank: arbiter
  struct periph *periph;
  const struct soc_bus *bus;
  struct l2_port port;
  struct ext_access queue[PERIPH_PORTS]; // in order of address
  unsigned count;
};

// `l2`: how long memory takes.
void ext_init(struct ext *x, struct clocks *clocks, unsigned actor, struct periph *periph,
              const struct soc_bus *bus, struct l2_port port);

#endif
