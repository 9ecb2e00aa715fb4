// sim/platform.h: everything around the cores of a PULP machine, connected.
#ifndef PULPSIM_PLATFORM_H
#define PULPSIM_PLATFORM_H

#include "cluster/accelerator.h"
#include "cluster/control_unit.h"
#include "cluster/demux.h"
#include "cluster/event_unit.h"
#include "cluster/ext.h"
#include "cluster/icache.h"
#include "cluster/mchan.h"
#include "cluster/periph.h"
#include "cluster/timer.h"
#include "soc/fabric.h"
#include "soc/fll.h"
#include "soc/hooks.h"
#include "soc/hyper_channels.h"
#include "soc/itc.h"
#include "soc/plain_registers.h"
#include "soc/soc_bus.h"
#include "soc/soc_control.h"
#include "soc/test_device.h"
#include "soc/uart.h"

struct platform_params {
  unsigned cores;  // that the hardware is built for
  unsigned active; // of these, started
  unsigned cluster_id;
  bool test_device; // the device at 0x8000_0000 of the RTL test bench
  // Latencies are cycles at equal clocks.
  unsigned l2_latency;  // of core accesses
  unsigned l2_interval; // cycles of the SoC per 64-bit transfer on the way to L2; 0: every unit has
                        // memory of its own
  unsigned l2_banks;    // then, and with a fabric controller
  uint32_t l2_size;
  bool icache; // an instruction cache; else instruction memory is ideal
  struct icache_params icache_params;
  unsigned refill_latency; // of its memory
  bool dma;
  unsigned dma_version; // 6 or 7
  unsigned dma_transfers;
  unsigned dma_latency; // of its external memory, cycles
  struct tcdm *tcdm;
  const struct memory *l1; // the bytes of `tcdm`
  struct memory *l3;       // NULL: none
  struct hyper_params l3_params;
  uint32_t boot;                 // boot address after reset
  struct core *controller;       // the fabric controller; NULL: none
  unsigned soc_mhz, cluster_mhz; // what the clock generators say
  struct soc_hooks hooks;
};

struct platform {
  struct soc_hooks hooks;
  struct clocks *clocks;
  struct soc_bus bus;
  struct l2 l2;
  struct periph periph;
  struct event_unit event_unit;
  struct timer timer;
  struct control_unit control;
  struct accelerator accelerator; // if the TCDM has a port for one
  struct ext ext;
  struct hyper hyper;
  struct hyper_channels hyper_channels; // with it
  struct icache icache;
  struct mchan dma;
  struct demux demux;
  struct test_device test_device;
  struct soc_control soc_control;
  // There with a fabric controller:
  struct fabric fabric;
  struct fll fll;
  struct itc itc;
  struct timer soc_timer;
  struct uart uart;
  struct plain_registers gpio, udma, soc_events;
};

// Registers the units' actors (cluster/actors.h). The caller adds its memories with
// soc_bus_add_memory(&p->bus, ...) and gives every core of the cluster the bus {demux_request,
// &p->demux}, the fabric controller {fabric_request, &p->fabric}. Returns false when out of memory,
// or when a device does not fit the map.
bool platform_init(struct platform *p, struct clocks *clocks, const struct platform_params *params);
void platform_free(struct platform *p);

#endif
