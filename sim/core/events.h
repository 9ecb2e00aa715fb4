// sim/core/events.h: what a core's performance counters can count, beside cycles and causes.
#ifndef PULPSIM_EVENTS_H
#define PULPSIM_EVENTS_H

#include <stdint.h>

#include "isa/isa.h"

enum event {
  EVENT_LOAD,
  EVENT_STORE,
  EVENT_JUMP,
  EVENT_BRANCH,
  EVENT_TAKEN,
  EVENT_COMPRESSED,
  EVENT_ELW,
  EVENT_FLOAT, // writes a float register or the float flags
  // Seen by the cycle model alone: whoever counts them is driven by it (csr.c).
  EVENT_LOAD_STALL, // instructions that waited for a load ...
  EVENT_JUMP_STALL, // ... jumps for their register
  EVENT_FETCH_MISS, // cycles without an instruction from the fetch, redirections excepted
  EVENT_COUNT
};

// Counts an instruction of this class and size. Whether a branch is taken is not known here.
static inline void events_add(uint64_t event[EVENT_COUNT], enum isa_class cls, unsigned size) {
  if (size == 2)
    event[EVENT_COMPRESSED]++;
  switch (cls) {
  case ISA_CLASS_LOAD:
  case ISA_CLASS_MACLOAD:
    event[EVENT_LOAD]++;
    break;
  case ISA_CLASS_STORE:
  case ISA_CLASS_FP_STORE:
    event[EVENT_STORE]++;
    break;
  case ISA_CLASS_JAL:
  case ISA_CLASS_JALR:
    event[EVENT_JUMP]++;
    break;
  case ISA_CLASS_BRANCH:
    event[EVENT_BRANCH]++;
    break;
  case ISA_CLASS_ELW:
    event[EVENT_ELW]++;
    break;
  case ISA_CLASS_FP_LOAD:
    event[EVENT_LOAD]++;
    event[EVENT_FLOAT]++;
    break;
  case ISA_CLASS_FP_ADDMUL:
  case ISA_CLASS_FP_DIVSQRT:
  case ISA_CLASS_FP_NONCOMP:
  case ISA_CLASS_FP_CONV:
  case ISA_CLASS_FP_DOTP:
    event[EVENT_FLOAT]++;
    break;
  default:
    break;
  }
}

#endif
