#include "cluster/periph.h"

#include <string.h>

#include "cluster/rr_tree.h"
#include "core/ports.h"

// The interconnect's register, the slave, and its answer's: what a core asks for is granted so much
// later, or even later.
enum { PERIPH_CYCLES = 3 };

static engine_step step;

static void error_access(void *self, const struct periph_access *access, cycle_t now) {
  periph_respond(self, access->port, 0, now + 1);
}

void periph_init(struct periph *p, struct engine *e, unsigned actor, unsigned cores,
                 uint32_t window) {
  memset(p, 0, sizeof *p);
  p->engine = e;
  p->actor = actor;
  p->cores = cores;
  p->window = window;
  for (unsigned s = 0; s < PERIPH_SLAVES; s++)
    p->slave[s] = (struct periph_slave){.self = p, .access = error_access};
  for (unsigned i = 0; i < PERIPH_PORTS; i++)
    p->enter[i] = p->grant[i] = CYCLE_NEVER;
  engine_add(e, actor, step, p);
}

void periph_attach(struct periph *p, enum periph_slave_id id, struct periph_slave slave) {
  p->slave[id] = slave;
}

static unsigned slave_of(const struct periph *p, uint32_t addr) {
  uint32_t cluster = p->window - 0x200000;
  bool alias = addr < 0x400000;
  if (!alias && addr - cluster >= 0x400000)
    return PERIPH_EXT;
  unsigned id = addr >> 10 & 0x3ff;
  if (id == PERIPH_EVENT_UNIT_HIGH)
    return PERIPH_EVENT_UNIT;
  if ((addr >> 20 & 3) != 2 || id >= PERIPH_EXT)
    return PERIPH_ERROR;
  return id;
}

static void enter(struct periph *p, unsigned port) {
  p->enter[port] = p->engine->now + 1;
  p->grant[port] = CYCLE_NEVER;
  p->waiting |= UINT32_C(1) << port;
  engine_wake(p->engine, p->actor, p->enter[port]);
  struct periph_slave *s = &p->slave[slave_of(p, p->access[port].addr)];
  if (s->announce)
    s->announce(s->self, p->enter[port]);
}

void periph_request(struct periph *p, struct core *c) {
  struct core_port *k = core_port(c);
  unsigned port = k->index;
  bool outside = slave_of(p, k->acc.addr) == PERIPH_EXT;
  k->wait_cause = outside ? CAUSE_L2_WAIT : CAUSE_PERIPH_WAIT;
  if (outside)
    k->acc.until = p->engine->now + PERIPH_CYCLES;
  p->access[port] = (struct periph_access){.addr = k->acc.addr,
                                           .data = k->acc.data,
                                           .size = k->acc.size,
                                           .write = k->acc.kind == ACCESS_STORE,
                                           .port = (uint8_t)port,
                                           .core = c};
  enter(p, port);
}

void periph_request_outside(struct periph *p, const struct periph_access *access) {
  p->access[p->cores] = *access;
  p->access[p->cores].port = (uint8_t)p->cores;
  p->access[p->cores].core = NULL;
  enter(p, p->cores);
}

void periph_respond(struct periph *p, unsigned port, uint32_t data, cycle_t valid) {
  p->data[port] = data;
  p->grant[port] = port == p->cores ? valid : valid + 1;
  engine_wake(p->engine, p->actor, p->grant[port]);
}

void periph_fault(struct periph *p, unsigned port, cycle_t now) {
  p->waiting &= ~(UINT32_C(1) << port);
  if (p->access[port].core)
    core_access_fault(p->access[port].core, now);
}

// Ports that ask for a slave in this cycle, whether or not this unit has been stepped in it.
static uint32_t asking(const struct periph *p, unsigned s, cycle_t now) {
  uint32_t ports = p->requests[s];
  for (uint32_t m = p->waiting; m; m &= m - 1) {
    unsigned i = (unsigned)__builtin_ctz(m);
    if (p->enter[i] == now && slave_of(p, p->access[i].addr) == s)
      ports |= UINT32_C(1) << i;
  }
  return ports;
}

const struct periph_access *periph_offered(const struct periph *p, enum periph_slave_id id,
                                           cycle_t now) {
  uint32_t ports = asking(p, id, now);
  return ports ? &p->access[rr_winner(ports, p->pointer[id])] : NULL;
}

void periph_take(struct periph *p, enum periph_slave_id id, cycle_t now) {
  uint32_t ports = asking(p, id, now);
  unsigned port = rr_winner(ports, p->pointer[id]);
  p->pointer[id] = (uint8_t)rr_fair_next(ports, p->pointer[id]);
  p->requests[id] &= ~(UINT32_C(1) << port);
  p->enter[port] = CYCLE_NEVER;
}

static void arbitrate(struct periph *p, unsigned s, cycle_t now) {
  uint32_t requests = p->requests[s];
  unsigned port = rr_winner(requests, p->pointer[s]);
  if (p->slave[s].ready && !p->slave[s].ready(p->slave[s].self, port, now))
    return;
  p->pointer[s] = (uint8_t)rr_fair_next(requests, p->pointer[s]);
  p->requests[s] &= ~(UINT32_C(1) << port);
  if (!p->requests[s])
    p->requested &= ~(UINT32_C(1) << s);
  p->slave[s].access(p->slave[s].self, &p->access[port], now);
}

static void complete(struct periph *p, unsigned port, cycle_t now) {
  p->waiting &= ~(UINT32_C(1) << port);
  p->grant[port] = CYCLE_NEVER;
  struct core *c = p->access[port].core;
  if (!c) {
    if (p->outside)
      p->outside(p->outside_self, p->data[port], now);
    return;
  }
  if (core_port(c)->acc.kind != ACCESS_STORE)
    core_port(c)->acc.data = p->data[port];
  core_grant(c, now, now + 1);
}

static cycle_t next_step(const struct periph *p, cycle_t now) {
  cycle_t next = CYCLE_NEVER;
  if (p->requested)
    return now + 1;
  for (uint32_t m = p->waiting; m; m &= m - 1) {
    unsigned i = (unsigned)__builtin_ctz(m);
    if (p->enter[i] < next)
      next = p->enter[i];
    if (p->grant[i] < next)
      next = p->grant[i];
  }
  return next;
}

static void step(void *self, cycle_t now) {
  struct periph *p = self;
  uint32_t done = 0;
  for (uint32_t m = p->waiting; m; m &= m - 1) {
    unsigned i = (unsigned)__builtin_ctz(m);
    if (p->grant[i] == now)
      done |= UINT32_C(1) << i;
    if (p->enter[i] != now)
      continue;
    p->enter[i] = CYCLE_NEVER;
    unsigned s = slave_of(p, p->access[i].addr);
    p->requests[s] |= UINT32_C(1) << i;
    if (!p->slave[s].announce)
      p->requested |= UINT32_C(1) << s;
  }
  for (uint32_t m = p->requested; m; m &= m - 1)
    arbitrate(p, (unsigned)__builtin_ctz(m), now);
  for (uint32_t m = done; m; m &= m - 1)
    complete(p, (unsigned)__builtin_ctz(m), now);
  cycle_t next = next_step(p, now);
  if (next != CYCLE_NEVER)
    engine_wake(p->engine, p->actor, next);
}
