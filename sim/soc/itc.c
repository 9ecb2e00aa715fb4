#include "soc/itc.h"

#include <string.h>

#include "core/ports.h"

enum { STATUS = 0x0c, STATUS_CLEAR = 0x14, TAKEN = 0x24 };

// Registers change at the end of this cycle.
static void drive(struct itc *itc) {
  uint32_t soc = UINT32_C(1) << ITC_SOC_EVENT;
  if (itc->queued)
    itc->status |= soc;
  if (itc->core)
    interrupt_set_lines(itc->core, itc->status & itc->mask, core_port(itc->core)->engine->now + 1);
}

void itc_raise(struct itc *itc, unsigned line) {
  itc->status |= UINT32_C(1) << line;
  drive(itc);
}

void itc_soc_event(struct itc *itc, uint8_t id) {
  if (itc->queued == ITC_QUEUE)
    return;
  itc->queue[itc->queued++] = id;
  drive(itc);
}

static void take_event(struct itc *itc) {
  if (!itc->queued)
    return;
  itc->taken = itc->queue[0];
  memmove(itc->queue, itc->queue + 1, --itc->queued);
}

static void acknowledge(void *self, unsigned core, unsigned id, cycle_t now) {
  (void)core, (void)now;
  struct itc *itc = self;
  itc->status &= ~(UINT32_C(1) << id);
  itc->acknowledged |= UINT32_C(1) << id;
  if (id == ITC_SOC_EVENT)
    take_event(itc);
  drive(itc);
}

void itc_init(struct itc *itc, struct core *controller) {
  itc->core = controller;
  core_port(controller)->interrupts.acknowledge = acknowledge;
  core_port(controller)->interrupts.self = itc;
}

// Three groups of a register and its set and clear views.
static uint32_t *group(struct itc *itc, uint32_t offset) {
  uint32_t *const reg[] = {&itc->mask, &itc->status, &itc->acknowledged};
  return offset < TAKEN ? reg[offset / 12] : NULL;
}

static uint32_t read(void *self, uint32_t offset, struct core *c, cycle_t when) {
  (void)c, (void)when;
  struct itc *itc = self;
  if (offset == TAKEN)
    return itc->taken;
  const uint32_t *reg = group(itc, offset);
  return reg ? *reg : 0;
}

static void write(void *self, uint32_t offset, uint32_t value, struct core *c, cycle_t when) {
  (void)c, (void)when;
  struct itc *itc = self;
  uint32_t *reg = group(itc, offset);
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
  bool low = (value >> ITC_SOC_EVENT & 1) == 0;
  if ((offset == STATUS_CLEAR && !low) || (offset == STATUS && low))
    take_event(itc);
  drive(itc);
}

struct device itc_device(struct itc *itc, uint32_t base) {
  return (struct device){base, ITC_SIZE, itc, read, write};
}
