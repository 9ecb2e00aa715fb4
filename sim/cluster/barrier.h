// sim/cluster/barrier.h: one hardware barrier of the event unit.
//
// Cores set their bit in `status`, by any of the trigger registers. In the cycle after `status` has
// become equal to a non-zero `trigger`, the barrier event reaches the cores in `target` and
// `status` returns to zero; triggers of that cycle are lost.
#ifndef PULPSIM_BARRIER_H
#define PULPSIM_BARRIER_H

#include <stdbool.h>
#include <stdint.h>

struct barrier {
  uint32_t trigger, target, status; // one bit per core
};

enum {
  BARRIER_TRIGGER_MASK = 0x00,
  BARRIER_STATUS = 0x04,
  BARRIER_SUMMARY = 0x08,
  BARRIER_TARGET_MASK = 0x0c,
  BARRIER_TRIGGER = 0x10,
  BARRIER_TRIGGER_SELF = 0x14,
  BARRIER_TRIGGER_WAIT = 0x18,
  BARRIER_TRIGGER_WAIT_CLEAR = 0x1c,
};

static inline bool barrier_matched(const struct barrier *b) {
  return b->trigger && b->status == b->trigger;
}

// The clock edge: `triggers` are the cores that triggered in this cycle.
static inline void barrier_edge(struct barrier *b, uint32_t triggers) {
  b->status = barrier_matched(b) ? 0 : b->status | triggers;
}

uint32_t barrier_read(const struct barrier *b, unsigned offset);

// Writes a register; returns the cores triggered by that. `next` takes the new masks.
uint32_t barrier_write(struct barrier *next, unsigned offset, uint32_t value);

#endif
