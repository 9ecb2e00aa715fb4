// sim/cluster/actors.h: the actors of the cluster and of the SoC, by rank (see engine/engine.h).
//
// Units evaluate the clock edge that ends the cycle before and drive their outputs for this
// one. Arbiters see all requests of this cycle and decide it: whatever is combinational from
// a core's request to its grant lives there.
#ifndef PULPSIM_ACTORS_H
#define PULPSIM_ACTORS_H

#include "engine/engine.h"

enum {
  ACTOR_DMA = ENGINE_UNITS,
  ACTOR_TIMER,
  ACTOR_FC_TIMER,
  ACTOR_UDMA,
  ACTOR_ACCELERATOR,
  ACTOR_FABRIC, // the fabric controller's accesses on their way into the cluster

  ACTOR_TCDM = ENGINE_ARBITERS,
  ACTOR_EVENT_UNIT,
  ACTOR_PERIPH, // peripheral interconnect
  ACTOR_EXT,    // its way out: accesses to L2 and beyond
  ACTOR_DMA_PORTS,
  ACTOR_ICACHE,
  ACTOR_TEST_DEVICE,
  ACTOR_FABRIC_ANSWER,
};

#endif
