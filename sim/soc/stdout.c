#include "soc/stdout.h"

static uint32_t read(void *self, uint32_t offset, struct core *c, cycle_t when) {
  (void)self, (void)offset, (void)c, (void)when;
  return 0;
}

static void write(void *self, uint32_t offset, uint32_t value, struct core *c, cycle_t when) {
  (void)c, (void)when;
  struct soc_hooks *h = self;
  unsigned core = offset >> 3 & 15, cluster = offset >> 7 & 31;
  h->put(h->self, cluster << 5 | core, (char)value);
}

struct device stdout_device(uint32_t base, struct soc_hooks *hooks) {
  return (struct device){base, STDOUT_SIZE, hooks, read, write};
}
