// sim/cluster/timer.h: the cluster's timer (timer_unit): two 32-bit counters or one of 64 bits.
//
//   +0x00 / +0x04 configuration low / high: 0 enable, 1 reset, 2 event at the compare value,
//         4 clear at the compare value, 5 one shot, 6 prescaler on, 7 count the reference
//         clock, 15:8 prescaler (divides by it plus one), 31 both as one 64-bit counter (low)
//   +0x08 / +0x0c value   +0x10 / +0x14 compare value   +0x18 / +0x1c start   +0x20 / +0x24 reset
//
// A store takes effect in the cycle after its grant. The event is on the lines in the cycles
// in which the counter holds the compare value (read in the RTL, not measured). Bit 3, start by an
// external event, has no source here and no effect.
#ifndef PULPSIM_TIMER_H
#define PULPSIM_TIMER_H

#include <stdbool.h>

#include "cluster/periph.h"

struct timer_counter {
  uint32_t config, compare;
  uint64_t base; // value in cycle `since`
  cycle_t since; // a prescaler period starts here
  cycle_t fired; // cycle of the last event
};

struct timer {
  struct engine *engine;
  unsigned actor; // rank: units
  struct periph *periph;
  unsigned reference_period; // cycles of the reference clock; 0: it stands still
  struct timer_counter counter[2];
  // Counter 0 or 1 has reached its compare value.
  void (*event)(void *self, unsigned counter, cycle_t now);
  void *event_self;
};

void timer_init(struct timer *t, struct engine *e, unsigned actor, unsigned reference_period);

// Makes it a slave of the peripheral interconnect.
void timer_connect(struct timer *t, struct periph *periph, enum periph_slave_id id);

// Registers, for other buses: `offset` below 0x40, `when` the cycle of the access.
uint32_t timer_read(struct timer *t, uint32_t offset, cycle_t when);
void timer_write(struct timer *t, uint32_t offset, uint32_t value, cycle_t when);

#endif
