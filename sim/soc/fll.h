// sim/soc/fll.h: the clock generators (FLL) as programs see them: locked from the start.
//
//   16 bytes each: +0x0 status: the multiplier reached   +0x4 configuration 1: multiplier 15:0,
//   divider 29:26, lock 30, closed loop 31   +0x8 configuration 2   +0xc integrator
//
// A clock is 32768 Hz x multiplier / 2^(divider - 1). Registers keep what is written, and the
// status follows the multiplier at once; the clocks of the model are those of its configuration,
// whatever is written.
#ifndef PULPSIM_FLL_H
#define PULPSIM_FLL_H

#include "soc/device.h"

enum { FLLS = 3, FLL_SIZE = 16 * FLLS };
enum fll_id { FLL_SOC, FLL_PERIPH, FLL_CLUSTER };

struct fll {
  uint32_t reg[FLLS][4];
};

void fll_init(struct fll *f, unsigned soc_mhz, unsigned cluster_mhz);
struct device fll_device(struct fll *f, uint32_t base);

#endif
