// sim/core/events.h: what a core's performance counters can count, beside cycles and causes.
#ifndef PULPSIM_EVENTS_H
#define PULPSIM_EVENTS_H

#include <stdint.h>

#include "isa/isa.h"

enum event {
  EVENT_LOAD,
  EVENT_STORE,
  EVENT_BRANCH,
  EVENT_TAKEN,
  EVENT_COMPRESSED,
  EVENT_FLOAT,    // writes a float register or the float flags
  EVENT_UNSEEN,   // leaves ID without being counted there (RI5CY: fence, mret, ...)
  EVENT_FAR_LOAD, // outside of L1; then stores, and cycles in which either is asked for
  EVENT_FAR_STORE,
  EVENT_FAR_LOADING,
  EVENT_FAR_STORING,
  EVENT_ASLEEP, // cycles without a clock
  // Of cycles: counted when one is computed, and noted with it.
  EVENT_LOAD_STALL, // instructions that waited for a load ...
  EVENT_JUMP_STALL, // ... jumps for their register
  EVENT_JUMP,
  // ... which stand as long as nothing changes.
  EVENT_FETCH_MISS, // nothing comes from the fetch, redirections excepted
  EVENT_ELW,        // an event load is under way
  EVENT_DENIED,     // an access is asked for and not granted
  EVENT_COUNT
};

// What an instruction of this class and size counts: bit per event. Whether a branch is taken is
// not known here.
static inline uint32_t events_of(enum isa_class cls, unsigned size) {
  static const uint16_t events[ISA_CLASS_COUNT] = {
      [ISA_CLASS_LOAD] = 1 << EVENT_LOAD,
      [ISA_CLASS_MACLOAD] = 1 << EVENT_LOAD,
      [ISA_CLASS_STORE] = 1 << EVENT_STORE,
      [ISA_CLASS_FP_STORE] = 1 << EVENT_STORE,
      [ISA_CLASS_BRANCH] = 1 << EVENT_BRANCH,
      [ISA_CLASS_ELW] = 1 << EVENT_LOAD,
      [ISA_CLASS_FP_LOAD] = 1 << EVENT_LOAD | 1 << EVENT_FLOAT,
      [ISA_CLASS_FP_ADDMUL] = 1 << EVENT_FLOAT,
      [ISA_CLASS_FP_DIVSQRT] = 1 << EVENT_FLOAT,
      [ISA_CLASS_FP_NONCOMP] = 1 << EVENT_FLOAT,
      [ISA_CLASS_FP_CONV] = 1 << EVENT_FLOAT,
      [ISA_CLASS_FP_DOTP] = 1 << EVENT_FLOAT,
  };
  return events[cls] | (uint32_t)(size == 2) << EVENT_COMPRESSED;
}

static inline void events_add(uint64_t event[EVENT_COUNT], uint32_t events) {
  for (; events; events &= events - 1)
    event[__builtin_ctz(events)]++;
}

#endif
