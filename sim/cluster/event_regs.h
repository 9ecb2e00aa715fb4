// sim/cluster/event_regs.h: the address decoder of the event unit's core-private port and the
// registers that belong to one core. Offsets are below 0x400.
#ifndef PULPSIM_EVENT_REGS_H
#define PULPSIM_EVENT_REGS_H

#include "cluster/event_unit.h"

enum { EVENT_OFFSET_MASK = 0x3fc };

static inline bool event_is_barrier(uint32_t offset) {
  return offset >> 9 & 1;
}

static inline bool event_is_core(uint32_t offset) {
  return offset < 0x40;
}

// Barrier registers other than trigger-self, -wait and -wait-clear: shared by the cores.
static inline bool event_is_barrier_unit(uint32_t offset) {
  return event_is_barrier(offset) && (offset & 0x1c) < BARRIER_TRIGGER_SELF;
}

// Loads that are granted only when an event is there.
static inline bool event_is_wait(uint32_t offset) {
  if (event_is_barrier(offset))
    return (offset & 0x1c) >= BARRIER_TRIGGER_WAIT;
  unsigned group = offset >> 6;
  return (!(offset >> 8 & 3) && (offset >> 3 & 7) == 7) || group == 5 || group == 6 || group == 3 ||
         (group == 2 && !(offset & 0xc));
}

// ... and that clear the masked events afterwards.
static inline bool event_is_clear(uint32_t offset) {
  if (event_is_barrier(offset))
    return (offset & 0x1c) == BARRIER_TRIGGER_WAIT_CLEAR;
  unsigned group = offset >> 6;
  return offset == 0x3c || group == 6 || group == 3 || (group == 2 && !(offset & 0xc));
}

// Register number = offset / 4.
uint32_t event_read(const struct event_core *c, unsigned reg);

// Returns the bits of the buffer to clear; everything else goes to `next`.
uint32_t event_write(struct event_core *next, unsigned reg, uint32_t value, uint32_t all_cores);

#endif
