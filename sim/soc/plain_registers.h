// sim/soc/plain_registers.h: a block of registers that only keep what is written (GPIO, clock gates
// of the uDMA, masks of the SoC's event generator): start-up code sets them, and nothing in the
// model depends on them.
#ifndef PULPSIM_PLAIN_REGISTERS_H
#define PULPSIM_PLAIN_REGISTERS_H

#include "soc/device.h"

enum { PLAIN_REGISTERS_SIZE = 0x200 };

struct plain_registers {
  uint32_t reg[PLAIN_REGISTERS_SIZE / 4];
};

// `size`: bytes, PLAIN_REGISTERS_SIZE at most.
struct device plain_registers_device(struct plain_registers *r, uint32_t base, uint32_t size);

#endif
