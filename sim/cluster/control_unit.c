#include "cluster/control_unit.h"

#include <string.h>

enum {
  END = 0x000,
  FETCH_ENABLE = 0x008,
  INTERCONNECT = 0x018,
  CLOCK_GATE = 0x020,
  BOOT = 0x040,
  POLICY0 = 0x080,
  POLICY1 = 0x088,
  RESULT = 0x100,
};

static uint32_t *register_at(struct control_unit *c, uint32_t offset) {
  switch (offset) {
  case END:
    return &c->end;
  case FETCH_ENABLE:
    return &c->enabled;
  case INTERCONNECT:
    return &c->interconnect;
  case CLOCK_GATE:
    return &c->clock_gate;
  case POLICY0:
    return &c->policy[0];
  case POLICY1:
    return &c->policy[1];
  case RESULT:
    return &c->result;
  default:
    break;
  }
  uint32_t core = (offset - BOOT) / 4;
  return offset >= BOOT && core < c->cores ? &c->boot[core] : NULL;
}

static void start_cores(struct control_unit *c, uint32_t cores, cycle_t now) {
  for (uint32_t m = cores & ((UINT32_C(1) << c->cores) - 1); m; m &= m - 1) {
    unsigned i = (unsigned)__builtin_ctz(m);
    uint32_t pc = c->boot[i] & 0xff ? c->boot[i] : c->boot[i] | 0x80;
    if (c->start)
      c->start(c->start_self, i, pc, now);
  }
}

static void access(void *self, const struct periph_access *a, cycle_t now) {
  struct control_unit *c = self;
  uint32_t *reg = register_at(c, a->addr & 0x3fc);
  uint32_t before = c->enabled;
  if (reg && a->write)
    *reg = a->data;
  if (reg == &c->interconnect && c->arbitrate)
    c->arbitrate(c->arbitrate_self, c->interconnect);
  start_cores(c, c->enabled & ~before, now);
  periph_respond(c->periph, a->port, reg && !a->write ? *reg : 0, now + 1);
}

void control_unit_init(struct control_unit *c, struct periph *periph, unsigned cores,
                       uint32_t boot) {
  memset(c, 0, sizeof *c);
  c->periph = periph;
  c->cores = cores;
  for (unsigned i = 0; i < CONTROL_UNIT_CORES; i++)
    c->boot[i] = boot;
  periph_attach(periph, PERIPH_CONTROL, (struct periph_slave){.self = c, .access = access});
}
