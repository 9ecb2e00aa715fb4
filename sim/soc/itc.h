// sim/soc/itc.h: the fabric controller's interrupt controller (apb_interrupt_cntrl).
//
//   +0x00 mask, +0x04 sets, +0x08 clears its bits
//   +0x0c status (pending), +0x10 sets, +0x14 clears
//   +0x18 acknowledged, +0x1c sets, +0x20 clears
//   +0x24 event of the SoC that was taken from the queue last
//
// Lines: 10 and 11 timer low and high, 26 an event of the SoC is in the queue. The highest line
// that is pending and in the mask interrupts the controller and ends its wfi; taking it clears it.
// Line 26, taken or cleared by a store, takes the next event from the queue.
#ifndef PULPSIM_ITC_H
#define PULPSIM_ITC_H

#include "soc/device.h"

enum { ITC_SIZE = 0x40, ITC_QUEUE = 4, ITC_TIMER_LOW = 10, ITC_SOC_EVENT = 26 };

struct core;

struct itc {
  struct core *core; // the controller
  uint32_t mask, status, acknowledged;
  uint8_t taken; // event of the SoC
  uint8_t queue[ITC_QUEUE];
  unsigned queued;
};

// Connects the core's interrupt lines.
void itc_init(struct itc *itc, struct core *controller);

// Ranks UNITS and CORES.
void itc_raise(struct itc *itc, unsigned line);

// An event of the SoC; lost when the queue is full.
void itc_soc_event(struct itc *itc, uint8_t id);

struct device itc_device(struct itc *itc, uint32_t base);

#endif
