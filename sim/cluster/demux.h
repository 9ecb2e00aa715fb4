// sim/cluster/demux.h: what a core's data port reaches, by address (pulp_cluster
// `data_periph_demux`, `periph_demux`).
//
//   cluster + 0x00_0000  TCDM; + 0x10_0000 the same again: on the XBAR, loads test and set
//   cluster + 0x20_0000  peripheral interconnect
//   cluster + 0x20_4000  event unit of this core, directly; + 0x20_4400 DMA, directly
//   everything else      peripheral interconnect and on to the SoC
//
// The own cluster is also visible at address 0. A test-and-set returns the old word and leaves
// all ones in the bytes read; the bank serves nobody in the cycle after its grant (ts.tsv).
#ifndef PULPSIM_DEMUX_H
#define PULPSIM_DEMUX_H

#include <stdbool.h>

#include "cluster/tcdm.h"

struct core;
struct event_unit;
struct mchan;
struct periph;
struct test_device;

struct demux {
  uint32_t cluster; // base address of the cluster: 0x1000_0000 + 0x40_0000 id
  bool alias;       // the own cluster is visible at 0
  struct tcdm *tcdm;
  struct event_unit *event_unit;
  struct mchan *dma; // NULL: none
  struct periph *periph;
  struct test_device *test_device; // NULL: none; else at 0x8000_0000
  tcdm_granted
      *plain[TCDM_PORTS]; // what answers ordinary accesses while a test-and-set is under way
};

// The `request` of a core's bus (core_bus in core/ports.h); `self` is the demux.
void demux_request(void *self, struct core *c, cycle_t now);

#endif
