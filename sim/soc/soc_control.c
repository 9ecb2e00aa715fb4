#include "soc/soc_control.h"

#include <string.h>

enum { INFO = 0x00, STATUS = 0xa0, STATUS_RO = 0xc0 };

void soc_control_init(struct soc_control *s, unsigned cores, struct soc_hooks *hooks) {
  memset(s, 0, sizeof *s);
  s->cores = cores;
  s->hooks = hooks;
}

static uint32_t read(void *self, uint32_t offset, struct core *c, cycle_t when) {
  (void)c, (void)when;
  const struct soc_control *s = self;
  if (offset == INFO)
    return (uint32_t)s->cores << 16 | 1;
  if (offset == STATUS_RO)
    return s->reg[STATUS / 4];
  return offset < sizeof s->reg ? s->reg[offset / 4] : 0;
}

static void write(void *self, uint32_t offset, uint32_t value, struct core *c, cycle_t when) {
  (void)when;
  struct soc_control *s = self;
  if (offset < sizeof s->reg && offset != INFO)
    s->reg[offset / 4] = value;
  if (offset == STATUS && value >> 31)
    s->hooks->exit(s->hooks->self, c, (int)(value & 0x7fffffff));
}

struct device soc_control_device(struct soc_control *s, uint32_t base) {
  return (struct device){base, SOC_CONTROL_SIZE, s, read, write};
}
