#include "soc/l2.h"

#include <string.h>

void l2_init(struct l2 *l2, const struct clocks *clocks, unsigned interval, unsigned banks) {
  memset(l2, 0, sizeof *l2);
  l2->clocks = clocks;
  l2->interval = interval;
  l2->banks = banks;
  l2->cluster.at = l2->controller.at = CYCLE_NEVER;
  for (unsigned c = 0; c < 2; c++)
    for (unsigned p = 0; p < L2_PORTS; p++)
      l2->channel[c].wants[p] = CYCLE_NEVER;
}

static bool in_use(const struct l2_use *use, uint64_t banks, cycle_t now) {
  return use->at == now && (use->banks & banks);
}

static void use(struct l2_use *use, uint64_t banks, cycle_t now) {
  use->banks = banks | (use->at == now ? use->banks : 0);
  use->at = now;
}

static bool udma_uses(const struct l2 *l2, uint64_t banks, cycle_t now) {
  return l2->udma && l2->udma(l2->udma_self, l2->banks, now) & banks;
}

static uint64_t bank_of(const struct l2 *l2, uint32_t address) {
  return UINT64_C(1) << (address >> 2 & (l2->banks - 1));
}

bool l2_controller(struct l2 *l2, uint32_t address, cycle_t now) {
  uint64_t bank = bank_of(l2, address);
  if (in_use(&l2->cluster, bank, now) || udma_uses(l2, bank, now))
    return false;
  use(&l2->controller, bank, now);
  return true;
}

cycle_t l2_answer(struct l2_port *port, unsigned beats, cycle_t address) {
  cycle_t first = address + port->latency;
  if (port->shared)
    return first;
  if (first <= port->last)
    first = port->last + 1;
  port->last = first + beats - 1;
  return first;
}

void l2_want(struct l2_port *port, unsigned channel, cycle_t when) {
  if (port->shared)
    port->shared->channel[channel].wants[port->id] = when;
}

bool l2_take(struct l2_port *port, unsigned channel, uint32_t address, cycle_t now) {
  if (!port->shared)
    return true;
  struct l2_channel *c = &port->shared->channel[channel];
  uint64_t banks = bank_of(port->shared, address & ~7u) | bank_of(port->shared, address | 4);
  if (c->wants[port->id] > now)
    return false;
  cycle_t soc = clocks_soc_cycle(port->shared->clocks, now);
  bool mine = soc >= c->free && !in_use(&port->shared->controller, banks, soc) &&
              !udma_uses(port->shared, banks, soc);
  for (unsigned i = 1; mine && i <= L2_PORTS; i++) {
    unsigned p = (c->last + i) % L2_PORTS;
    if (p == port->id)
      break;
    mine = c->wants[p] > now;
  }
  if (!mine) {
    c->waited++;
    return false;
  }
  use(&port->shared->cluster, banks, soc);
  c->wants[port->id] = CYCLE_NEVER;
  c->free = soc + port->shared->interval;
  c->last = port->id;
  c->moved++;
  return true;
}
