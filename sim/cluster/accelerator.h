// sim/cluster/accelerator.h: what an accelerator (HWPE) does to the memory, without one: it loads
// or stores one stream of words through the TCDM's port for accelerators (tcdm_wide.h), and
// computes nothing but a sum.
//
//   +0x00 a store starts            +0x04 reads 0 when it can take a job, else -1
//   +0x0c status: bit 0 it runs     +0x14 a store clears the sum
//   +0x40 address in the cluster's memory, a multiple of 4     +0x44 transfers, of all words each
//   +0x48 bytes from one transfer to the next, a multiple of 4 +0x4c 0: loads, 1: stores
//   +0x50 word that is stored       +0x54 sum of the words loaded
//
// The first six are where the public HWPEs have theirs (hwpe-ctrl), the others are this unit's own.
// It asks for its first transfer in the cycle after the start, and for the next one behind each
// grant. In the cycle behind the last one, event 12 is raised for all cores.
#ifndef PULPSIM_ACCELERATOR_H
#define PULPSIM_ACCELERATOR_H

#include "cluster/periph.h"
#include "cluster/tcdm_wide.h"

struct accelerator {
  struct engine *engine;
  unsigned actor; // rank: units
  struct periph *periph;
  struct tcdm *tcdm;
  uint32_t job[5]; // registers from +0x40 on
  uint32_t sum;
  uint32_t at, left; // offset of the transfer under way, and how many are to come with it
  bool ends;         // the event is due
  void (*event)(void *self, cycle_t now);
  void *event_self;
};

// A slave of `periph`; `tcdm` has a port for it.
void accelerator_init(struct accelerator *a, struct engine *e, unsigned actor,
                      struct periph *periph, struct tcdm *tcdm);

#endif
