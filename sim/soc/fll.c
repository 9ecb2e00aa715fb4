#include "soc/fll.h"

#include <string.h>

enum { STATUS, CONFIG1, REFERENCE = 32768 };

// Divider 1 (by one) or more, so that the multiplier fits its 16 bits.
static uint32_t locked_at(unsigned mhz) {
  uint64_t hz = (uint64_t)mhz * 1000000;
  uint32_t divider = 2;
  uint64_t multiplier = (hz << (divider - 1)) / REFERENCE;
  if (multiplier > 0xffff) {
    divider = 1;
    multiplier = hz / REFERENCE;
  }
  return UINT32_C(3) << 30 | divider << 26 | (uint32_t)(multiplier & 0xffff);
}

void fll_init(struct fll *f, unsigned soc_mhz, unsigned cluster_mhz) {
  memset(f, 0, sizeof *f);
  f->reg[FLL_SOC][CONFIG1] = f->reg[FLL_PERIPH][CONFIG1] = locked_at(soc_mhz);
  f->reg[FLL_CLUSTER][CONFIG1] = locked_at(cluster_mhz);
}

static uint32_t read(void *self, uint32_t offset, struct core *c, cycle_t when) {
  (void)c, (void)when;
  const uint32_t *reg = ((struct fll *)self)->reg[offset / 16];
  unsigned i = offset / 4 % 4;
  return i == STATUS ? reg[CONFIG1] & 0xffff : reg[i];
}

static void write(void *self, uint32_t offset, uint32_t value, struct core *c, cycle_t when) {
  (void)c, (void)when;
  ((struct fll *)self)->reg[offset / 16][offset / 4 % 4] = value;
}

struct device fll_device(struct fll *f, uint32_t base) {
  return (struct device){base, FLL_SIZE, f, read, write};
}
