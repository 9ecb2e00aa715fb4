#include "soc/itc.h"

#include <string.h>

enum { QUEUE = 0x24 };

void itc_raise(struct itc *itc, unsigned line) {
  itc->status |= UINT32_C(1) << line;
}

void itc_soc_event(struct itc *itc, uint8_t id) {
  if (itc->queued == ITC_QUEUE)
    return;
  itc->queue[itc->queued++] = id;
  itc_raise(itc, ITC_SOC_EVENT);
}

static uint32_t take(struct itc *itc) {
  if (!itc->queued)
    return 0;
  uint32_t id = itc->queue[0];
  memmove(itc->queue, itc->queue + 1, --itc->queued);
  if (itc->queued)
    itc_raise(itc, ITC_SOC_EVENT);
  return id;
}

// Three groups of a register and its set and clear views.
static uint32_t *group(struct itc *itc, uint32_t offset) {
  uint32_t *const reg[] = {&itc->mask, &itc->status, &itc->acknowledged};
  return offset < QUEUE ? reg[offset / 12] : NULL;
}

static uint32_t read(void *self, uint32_t offset, struct core *c, cycle_t when) {
  (void)c, (void)when;
  if (offset == QUEUE)
    return take(self);
  const uint32_t *reg = group(self, offset);
  return reg ? *reg : 0;
}

static void write(void *self, uint32_t offset, uint32_t value, struct core *c, cycle_t when) {
  (void)c, (void)when;
  uint32_t *reg = group(self, offset);
  if (!reg)
    return;
  switch (offset / 4 % 3) {
  case 0:
    *reg = value;
    break;
  case 1:
    *reg |= value;
    break;
  default:
    *reg &= ~value;
    break;
  }
}

struct device itc_device(struct itc *itc, uint32_t base) {
  return (struct device){base, ITC_SIZE, itc, read, write};
}
