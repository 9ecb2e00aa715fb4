#include "cluster/event_regs.h"

uint32_t event_read(const struct event_core *c, unsigned reg) {
  switch (reg) {
  case 0x0:
    return c->mask;
  case 0x3:
    return c->irq_mask;
  case 0x6:
    return 1; // the clock runs: a core that reads its own register is awake
  case 0x7:
    return c->buffer;
  case 0x8:
  case 0xe:
  case 0xf:
    return c->buffer & c->mask;
  case 0x9:
    return c->buffer & c->irq_mask;
  case 0xb:
    return c->sw_mask;
  default:
    return 0;
  }
}

uint32_t event_write(struct event_core *next, unsigned reg, uint32_t value, uint32_t all_cores) {
  switch (reg) {
  case 0x0:
    next->mask = value;
    break;
  case 0x1:
    next->mask &= ~value;
    break;
  case 0x2:
    next->mask |= value;
    break;
  case 0x3:
    next->irq_mask = value;
    break;
  case 0x4:
    next->irq_mask &= ~value;
    break;
  case 0x5:
    next->irq_mask |= value;
    break;
  case 0xa:
    return value;
  case 0xb:
    next->sw_mask = value & all_cores;
    break;
  case 0xc:
    next->sw_mask &= ~value;
    break;
  case 0xd:
    next->sw_mask |= value & all_cores;
    break;
  default:
    break;
  }
  return 0;
}
