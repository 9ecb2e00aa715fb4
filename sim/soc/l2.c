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

static bool in_use(const struct l2_use *use, uint64_t banks, cycle_t now) {
  return use->at == now && (use->banks & banks);
}

static void use(struct l2_use *use, uint64_t banks, cycle_t now) {
  use->banks = banks | (use->at == now ? use->banks : 0);
  use->at = now;
}

static bool udma_uses(const struct l2 *l2, uint64_t banks, cycle_t now) {
  return l2->udma && hyper_banks(l2->udma, l2->banks, now) & banks;
}

static uint64_t bank_of(const struct l2 *l2, uint32_t address) {
  return UINT64_C(1) << (address >> 2 & (l2->banks - 1));
}

// The banks of the 8 bytes around `address`.
static uint64_t banks_of(const struct l2 *l2, uint32_t address) {
  return l2->pair << (address >> 2 & (l2->banks - 1) & ~1u);
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

// Whether the port, which asks, comes first behind the one that moved last.
static bool has_turn(const struct l2_channel *c, unsigned port, cycle_t now) {
  unsigned asking = 0, p = c->last;
  for (unsigned i = 0; i < L2_PORTS; i++)
    asking += c->wants[i] <= now;
  if (asking == 1)
    return true;
  while ((p = p + 1 < L2_PORTS ? p + 1 : 0) != port)
    if (c->wants[p] <= now)
      return false;
  return true;
}

static inline bool move(struct l2 *l2, struct l2_channel *c, unsigned port, uint64_t banks,
                        cycle_t now, cycle_t soc) {
  if (soc < c->free || !has_turn(c, port, now) || in_use(&l2->controller, banks, soc)) {
    c->waited++;
    return false;
  }
  use(&l2->cluster, banks, soc);
  c->wants[port] = CYCLE_NEVER;
  c->free = soc + l2->interval;
  c->last = port;
  c->moved++;
  return true;
}

// With another clock, or beside the uDMA: out of the way of the usual case.
__attribute__((noinline)) static bool move_beside(struct l2 *l2, struct l2_channel *c,
                                                  unsigned port, uint64_t banks, cycle_t now) {
  cycle_t soc = clocks_soc_cycle(l2->clocks, now);
  if (udma_uses(l2, banks, soc)) {
    c->waited++;
    return false;
  }
  return move(l2, c, port, banks, now, soc);
}

bool l2_take_shared(const struct l2_port *port, unsigned channel, uint32_t address, cycle_t now) {
  struct l2 *l2 = port->shared;
  struct l2_channel *c = &l2->channel[channel];
  if (c->wants[port->id] > now)
    return false;
  uint64_t banks = banks_of(l2, address);
  if (!clocks_equal(l2->clocks) || (l2->udma && l2->udma->count))
    return move_beside(l2, c, port->id, banks, now);
  return move(l2, c, port->id, banks, now, now);
}
