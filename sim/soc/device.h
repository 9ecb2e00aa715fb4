// sim/soc/device.h: a block of registers in the address map of the SoC.
#ifndef PULPSIM_DEVICE_H
#define PULPSIM_DEVICE_H

#include <stdint.h>

#include "engine/engine.h"

struct core;

// Registers answer any size; `when` is the cycle in which the access reaches the device. `c` is
// the core that asks. Offsets without a register read as zero and ignore writes.
struct device {
  uint32_t base, size;
  void *self;
  uint32_t (*read)(void *self, uint32_t offset, struct core *c, cycle_t when);
  void (*write)(void *self, uint32_t offset, uint32_t value, struct core *c, cycle_t when);
};

#endif
