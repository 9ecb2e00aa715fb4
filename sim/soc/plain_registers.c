#include "soc/plain_registers.h"

static uint32_t read(void *self, uint32_t offset, struct core *c, cycle_t when) {
  (void)c, (void)when;
  return ((struct plain_registers *)self)->reg[offset / 4];
}

static void write(void *self, uint32_t offset, uint32_t value, struct core *c, cycle_t when) {
  (void)c, (void)when;
  ((struct plain_registers *)self)->reg[offset / 4] = value;
}

struct device plain_registers_device(struct plain_registers *r, uint32_t base, uint32_t size) {
  return (struct device){base, size, r, read, write};
}
