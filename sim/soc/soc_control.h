// sim/soc/soc_control.h: the SoC control registers (apb_soc_ctrl) that programs use.
//
//   +0x00 information: cores of the cluster [31:16], clusters [15:0]
//   +0x04 boot address and +0x08 fetch enable of the fabric controller: kept, no effect
//   +0x74 JTAG register: kept, no effect
//   +0xa0 status: a store of 1 << 31 | code ends the program with that exit code
//   +0xc0 status, read only
#ifndef PULPSIM_SOC_CONTROL_H
#define PULPSIM_SOC_CONTROL_H

#include "soc/device.h"
#include "soc/hooks.h"

enum { SOC_CONTROL_SIZE = 0x1000 };

struct soc_control {
  struct soc_hooks *hooks;
  unsigned cores;
  uint32_t reg[64];
};

void soc_control_init(struct soc_control *s, unsigned cores, struct soc_hooks *hooks);
struct device soc_control_device(struct soc_control *s, uint32_t base);

#endif
