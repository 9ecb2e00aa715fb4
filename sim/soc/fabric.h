// sim/soc/fabric.h: the fabric controller's way to memory, to the SoC's devices and into the
// cluster.
//
// Public RTL (soc_interconnect of pulp-open) connects the controller to the L2 banks through a
// single-cycle crossbar: an access is granted in the cycle of the request, its data follow in the
// next. All this happens in cycles of the SoC's clock. Devices are behind an APB bridge and the
// cluster behind clock crossings; how long these take (FABRIC_APB; FABRIC_CROSSING on each side of
// the crossing, in its clock, each way) is unverified; GVSoC's pulp_open has 8 cycles for the
// bridge, both ways, and 12 for the crossing. L2 banks that cores of the cluster use in the same
// cycle delay the controller, see l2.h.
//
// Inside the cluster an access competes like all others: for a bank on the first external port
// of the TCDM (whose second view at + 0x10_0000 tests and sets for it too), or for a slave of the
// peripheral interconnect.
#ifndef PULPSIM_FABRIC_H
#define PULPSIM_FABRIC_H

#include "cluster/periph.h"
#include "engine/clocks.h"
#include "soc/soc_bus.h"

// The first private bank of L2 is at 0 too, for the controller's loads and stores: the public
// runtime links small data there (link.ld of the chip pulp in pulp-sdk).
enum { FABRIC_APB = 4, FABRIC_CROSSING = 4, FABRIC_ALIAS = 0x8000 };

struct tcdm;
struct l2;

enum fabric_state {
  FABRIC_IDLE,
  FABRIC_L2,      // waits for its bank of L2
  FABRIC_DEVICE,  // on the way to a device
  FABRIC_TCDM,    // on the way to the cluster's memory
  FABRIC_PERIPH,  // on the way to the cluster's peripherals
  FABRIC_CLUSTER, // there, not answered yet
  FABRIC_ANSWER,  // the answer is on its way back
};

struct fabric {
  struct clocks *clocks;
  unsigned actor;        // of the cluster; rank: units: accesses enter the cluster
  unsigned answer_actor; // of the SoC; rank: arbiter: the controller is granted
  const struct soc_bus *bus;
  struct periph *periph;
  struct tcdm *tcdm;
  const struct memory *l1;   // the bytes of `tcdm`
  struct l2 *l2;             // whose banks it shares with the cluster ...
  uint32_t l2_base, l2_size; // ... and where it is
  uint32_t cluster;          // its base address
  struct core *core;         // the controller
  enum fabric_state state;
};

// Connects `f`, of which everything up to `core` is filled in.
void fabric_init(struct fabric *f);

// The `request` of its bus (core_bus in core.h), in a cycle of the SoC; `self` is the fabric.
void fabric_request(void *self, struct core *c, cycle_t now);

#endif
