// sim/cluster/control_unit.h: the cluster control unit.
//
//   +0x000 end of computation     +0x008 fetch enable, a bit per core
//   +0x018 interconnect: 7:0 most stalls of the side that does not win, 8 the accelerator wins;
//          the rest is kept
//   +0x020 clock gate: kept       +0x040 + 4 core: boot address
//   +0x100 return value           +0x080, +0x088 TCDM arbitration policy: kept
//
// A core starts when its fetch enable bit is first set. The RTL's cores fetch from the boot
// address with the low byte replaced by 0x80; runtimes write addresses of both kinds, so
// that an address whose low byte is not 0 is taken as it is.
#ifndef PULPSIM_CONTROL_UNIT_H
#define PULPSIM_CONTROL_UNIT_H

#include "cluster/periph.h"

enum { CONTROL_UNIT_CORES = 16 };

struct control_unit {
  struct periph *periph;
  unsigned cores;
  uint32_t enabled, clock_gate, end, result, policy[2], interconnect;
  uint32_t boot[CONTROL_UNIT_CORES];
  // Starts a core in the cycle after `now`; ignored by cores that run.
  void (*start)(void *self, unsigned core, uint32_t pc, cycle_t now);
  void *start_self;
  // The register of the interconnect has been written; NULL: nobody listens.
  void (*arbitrate)(void *self, uint32_t value);
  void *arbitrate_self;
};

// `boot`: address after reset.
void control_unit_init(struct control_unit *c, struct periph *periph, unsigned cores,
                       uint32_t boot);

#endif
