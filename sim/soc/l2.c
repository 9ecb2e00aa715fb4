#include "soc/l2.h"

#include <string.h>

#include "soc/hyper.h"

void l2_init(struct l2 *l2, const struct clocks *clocks, unsigned interval, unsigned banks) {
  memset(l2, 0, sizeof *l2);
  l2->clocks = clocks;
  l2->interval = interval;
  l2->banks = banks;
  l2->pair = banks > 1 ? 3 : 1;
  l2->cluster.at = l2->controller.at = CYCLE_NEVER;
  for (unsigned c = 0; c < 2; c++)
    for (unsigned p = 0; p < L2_PORTS; p++)
      l2->channel[c].wants[p] = CYCLE_NEVER;
}

static bool udma_uses(const struct l2 *l2, uint64_t banks, cycle_t now) {
  return l2->udma && hyper_banks(l2->udma, l2->banks, now) & banks;
}

static uint64_t bank_of(const struct l2 *l2, uint32_t address) {
  return UINT64_C(1) << (address >> 2 & (l2->banks - 1));
}

bool l2_controller(struct l2 *l2, uint32_t address, cycle_t now) {
  uint64_t bank = bank_of(l2, address);
  if (l2_in_use(&l2->cluster, bank, now) || udma_uses(l2, bank, now))
    return false;
  l2_use(&l2->controller, bank, now);
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

bool l2_turn(const struct l2_channel *c, unsigned port, cycle_t now) {
  for (unsigned p = c->last + 1;; p++) {
    if (p == L2_PORTS)
      p = 0;
    if (p == port)
      return true;
    if (c->wants[p] <= now)
      return false;
  }
}

bool l2_move_beside(struct l2 *l2, struct l2_channel *c, unsigned port, uint64_t banks,
                    cycle_t now) {
  cycle_t soc = clocks_soc_cycle(l2->clocks, now);
  if (udma_uses(l2, banks, soc)) {
    c->waited++;
    return false;
  }
  return l2_move(l2, c, port, banks, now, soc);
}
