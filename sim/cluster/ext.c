#include "cluster/ext.h"

#include <string.h>

static engine_step step;

static void perform(struct ext *x, const struct periph_access *a, cycle_t now, cycle_t valid) {
  uint32_t data = 0;
  cycle_t there = clocks_enter_soc(x->clocks, now);
  if (a->write)
    soc_bus_write(x->bus, a->addr, a->size, a->data, a->core, there);
  else
    data = soc_bus_read(x->bus, a->addr, a->size, a->core, there);
  periph_respond(x->periph, a->port, data, valid);
}

// The transfers that come next on the two channels: the data of the oldest store not sent, the
// answer of the oldest load not received.
static void announce(struct ext *x) {
  cycle_t when[2] = {CYCLE_NEVER, CYCLE_NEVER};
  for (unsigned i = x->count; i-- > 0;) {
    const struct ext_access *e = &x->queue[i];
    when[e->access.write] = e->access.write ? e->address : e->data;
  }
  l2_want(&x->port, L2_READ, when[L2_READ]);
  l2_want(&x->port, L2_WRITE, when[L2_WRITE]);
}

static void take(void *self, const struct periph_access *access, cycle_t now) {
  struct ext *x = self;
  if (!soc_bus_mapped(x->bus, access->addr, access->size)) {
    periph_fault(x->periph, access->port, now);
    return;
  }
  if (!x->port.latency) {
    perform(x, access, now, now + 1);
    return;
  }
  struct ext_access *e = &x->queue[x->count++];
  e->access = *access;
  e->address = now + 1;
  e->data = l2_answer(&x->port, 1, e->address);
  if (x->port.shared)
    announce(x);
  engine_wake(x->engine, x->actor, access->write ? e->address : e->data - 1);
}

void ext_init(struct ext *x, struct clocks *clocks, unsigned actor, struct periph *periph,
              const struct soc_bus *bus, struct l2_port port) {
  memset(x, 0, sizeof *x);
  x->clocks = clocks;
  x->engine = clocks->cluster;
  x->actor = actor;
  x->periph = periph;
  x->bus = bus;
  x->port = port;
  periph_attach(periph, PERIPH_EXT, (struct periph_slave){.self = x, .access = take});
  engine_add(x->engine, actor, step, x);
}

static bool finished(struct ext *x, const struct ext_access *e, bool write, cycle_t now) {
  const struct periph_access *a = &e->access;
  if (a->write != write || now < (write ? e->address : e->data - 1))
    return false;
  perform(x, a, now, e->data + 1);
  return true;
}

static void finish(struct ext *x, bool write, cycle_t now) {
  unsigned kept = 0;
  for (unsigned i = 0; i < x->count; i++)
    if (!finished(x, &x->queue[i], write, now))
      x->queue[kept++] = x->queue[i];
  x->count = kept;
}

// The same when the channels are shared: in order, and when it is this port's turn.
static void move(struct ext *x, unsigned channel, cycle_t now) {
  for (unsigned i = 0; i < x->count; i++) {
    struct ext_access e = x->queue[i];
    if (e.access.write != (channel == L2_WRITE))
      continue;
    if (now < (e.access.write ? e.address : e.data) ||
        !l2_take(&x->port, channel, e.access.addr, now))
      return;
    perform(x, &e.access, now, (e.access.write ? now + x->port.latency : now) + 1);
    x->count--;
    for (unsigned k = i; k < x->count; k++)
      x->queue[k] = x->queue[k + 1];
    return;
  }
}

static void step_shared(struct ext *x, cycle_t now) {
  move(x, L2_WRITE, now);
  move(x, L2_READ, now);
  announce(x);
  for (unsigned i = 0; i < x->count; i++) {
    const struct ext_access *e = &x->queue[i];
    cycle_t when = e->access.write ? e->address : e->data;
    engine_wake(x->engine, x->actor, when > now ? when : now + 1);
  }
}

// A load that is answered in the next cycle sees the stores of this one.
static void step(void *self, cycle_t now) {
  struct ext *x = self;
  if (x->port.shared) {
    step_shared(x, now);
    return;
  }
  finish(x, true, now);
  finish(x, false, now);
  for (unsigned i = 0; i < x->count; i++) {
    const struct ext_access *e = &x->queue[i];
    engine_wake(x->engine, x->actor, e->access.write ? e->address : e->data - 1);
  }
}
