#include "soc/l2.h"

#include <assert.h>
#include <string.h>

#include "cluster/rr_tree.h"
#include "soc/hyper.h"

void l2_init(struct l2 *l2, const struct clocks *clocks, unsigned interval, unsigned banks) {
  memset(l2, 0, sizeof *l2);
  l2->clocks = clocks;
  l2->interval = interval;
  l2->banks = banks;
  l2->pair = banks > 1 ? 3 : 1;
  l2->cluster.at = l2->controller.at = CYCLE_NEVER;
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

void l2_send(const struct l2_port *port, unsigned channel, unsigned beats, cycle_t address) {
  if (!port->shared)
    return;
  struct l2_channel *c = &port->shared->channel[channel];
  assert(c->count < L2_BURSTS);
  c->burst[c->count++] =
      (struct l2_burst){.address = address, .beats = (uint16_t)beats, .port = (uint8_t)port->id};
}

// Ports with an address that waits in cycle `now`.
static uint32_t waiting(const struct l2_channel *c, cycle_t now) {
  uint32_t ports = 0;
  for (unsigned i = c->passed; i < c->count; i++)
    if (c->burst[i].address <= now)
      ports |= UINT32_C(1) << c->burst[i].port;
  return ports;
}

static cycle_t next_address(const struct l2_channel *c) {
  cycle_t next = CYCLE_NEVER;
  for (unsigned i = c->passed; i < c->count; i++)
    if (c->burst[i].address < next)
      next = c->burst[i].address;
  return next > c->addressed ? next : c->addressed + 1;
}

// The port's oldest address passes.
static void pass(struct l2_channel *c, unsigned port, cycle_t now) {
  unsigned i = c->passed;
  while (c->burst[i].port != port)
    i++;
  struct l2_burst b = c->burst[i];
  memmove(&c->burst[c->passed + 1], &c->burst[c->passed], (i - c->passed) * sizeof b);
  b.address = c->addressed = now;
  c->burst[c->passed++] = b;
}

void l2_pass(struct l2_channel *c, cycle_t now) {
  while (c->passed < c->count) {
    cycle_t at = next_address(c);
    if (at >= now)
      return;
    uint32_t ports = waiting(c, at);
    pass(c, rr_winner(ports, c->pointer), at);
    c->pointer = rr_fair_next(ports, c->pointer);
  }
}

bool l2_waits(const struct l2_port *port, unsigned channel, cycle_t now) {
  if (!port->shared)
    return false;
  struct l2_channel *c = &port->shared->channel[channel];
  l2_pass(c, now);
  for (unsigned i = c->passed; i < c->count; i++)
    if (c->burst[i].port == port->id)
      return true;
  return false;
}

void l2_moved(struct l2_channel *c) {
  if (--c->burst[0].beats)
    return;
  memmove(c->burst, c->burst + 1, --c->count * sizeof *c->burst);
  c->passed--;
}

void l2_hold(const struct l2_port *port, unsigned channel, cycle_t now) {
  if (!port->shared)
    return;
  struct l2_channel *c = &port->shared->channel[channel];
  cycle_t until = clocks_soc_cycle(port->shared->clocks, now) + 1;
  c->free = until > c->free ? until : c->free;
}

bool l2_move_beside(struct l2 *l2, struct l2_channel *c, unsigned port, uint64_t banks,
                    cycle_t now) {
  cycle_t soc = clocks_soc_cycle(l2->clocks, now);
  if (udma_uses(l2, banks, soc))
    return false;
  return l2_move(l2, c, port, banks, now, soc);
}
