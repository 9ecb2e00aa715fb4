#include "cluster/ext.h"

#include <string.h>

static engine_step step;

// Returns what is read.
static uint32_t access_memory(struct ext *x, const struct periph_access *a, cycle_t now) {
  cycle_t there = clocks_enter_soc(x->clocks, now);
  if (!a->write)
    return soc_bus_read(x->bus, a->addr, a->size, a->core, there);
  soc_bus_write(x->bus, a->addr, a->size, a->data, a->core, there);
  return 0;
}

static void perform(struct ext *x, const struct periph_access *a, cycle_t now, cycle_t valid) {
  uint32_t data = access_memory(x, a, now);
  periph_respond(x->periph, a->port, data, valid);
}

// First cycle in which something of the access may pass a shared channel.
static cycle_t next_transfer(const struct ext_access *e) {
  return e->access.write && !e->written ? e->address + 1 : e->data;
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
  e->written = false;
  e->address = now + 1;
  e->data = l2_answer(&x->port, 1, e->address);
  l2_send(&x->port, access->write ? L2_WRITE : L2_READ, 1, e->address);
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

// ---- the same when the channels are shared: in order, and when it is this port's turn

// The oldest load, store to be sent, or store sent; NULL: there is none.
static struct ext_access *oldest(struct ext *x, bool write, bool written) {
  for (unsigned i = 0; i < x->count; i++)
    if (x->queue[i].access.write == write && x->queue[i].written == written)
      return &x->queue[i];
  return NULL;
}

static void answer(struct ext *x, struct ext_access *e, uint32_t data, cycle_t now) {
  periph_respond(x->periph, e->access.port, data, now + 1);
  x->count--;
  memmove(e, e + 1, (size_t)(x->queue + x->count - e) * sizeof *e);
}

static bool takes(const struct ext *x, const struct ext_access *e, unsigned channel, cycle_t now) {
  return e && now >= next_transfer(e) && l2_take(&x->port, channel, e->access.addr, now);
}

static void move_write(struct ext *x, cycle_t now) {
  struct ext_access *e = oldest(x, true, false);
  if (!takes(x, e, L2_WRITE, now))
    return;
  access_memory(x, &e->access, now);
  e->written = true;
  e->data = now + x->port.latency;
}

// One answer per cycle reaches the cores, a load's before a store's (per2axi_res_channel.sv).
static void move_answer(struct ext *x, cycle_t now) {
  struct ext_access *load = oldest(x, false, false), *store = oldest(x, true, true);
  if (takes(x, load, L2_READ, now))
    answer(x, load, access_memory(x, &load->access, now), now);
  else if (store && now >= store->data)
    answer(x, store, 0, now);
}

static void step_shared(struct ext *x, cycle_t now) {
  move_write(x, now);
  move_answer(x, now);
  for (unsigned i = 0; i < x->count; i++) {
    cycle_t when = next_transfer(&x->queue[i]);
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
