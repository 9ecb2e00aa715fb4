// sim/soc/stdout.h: the character output that PULP programs print to.
//
// A store to base + (core << 3) + (cluster << 7) prints the low byte (pulp-open's virtual
// stdout at 0x1a10_f000).
#ifndef PULPSIM_STDOUT_H
#define PULPSIM_STDOUT_H

#include "soc/device.h"
#include "soc/hooks.h"

enum { STDOUT_SIZE = 0x1000 };

struct device stdout_device(uint32_t base, struct soc_hooks *hooks);

#endif
