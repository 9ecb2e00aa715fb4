#include "soc/l2.h"

#include <string.h>

void l2_init(struct l2 *l2, unsigned interval) {
  memset(l2, 0, sizeof *l2);
  l2->interval = interval;
  for (unsigned c = 0; c < 2; c++)
    for (unsigned p = 0; p < L2_PORTS; p++)
      l2->channel[c].wants[p] = CYCLE_NEVER;
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

bool l2_take(struct l2_port *port, unsigned channel, cycle_t now) {
  if (!port->shared)
    return true;
  struct l2_channel *c = &port->shared->channel[channel];
  if (c->wants[port->id] > now)
    return false;
  bool mine = now >= c->free;
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
  c->wants[port->id] = CYCLE_NEVER;
  c->free = now + port->shared->interval;
  c->last = port->id;
  c->moved++;
  return true;
}
