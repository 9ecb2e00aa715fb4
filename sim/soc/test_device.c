#include "soc/test_device.h"

#include <string.h>

#include "core/ports.h"

enum {
  EXIT = 0x00,
  PUT = 0x04,
  MARK = 0x08,
  CYCLE = 0x0c,
  RETIRED = 0x10,
  CORES = 0x14,
  BARRIER = 0x20
};

// All cores are at the barrier.
static void step(void *self, cycle_t now) {
  struct test_device *t = self;
  t->count = 0;
  for (unsigned i = 0; i < t->cores; i++) {
    core_port(t->waiting[i])->acc.data = 0;
    core_grant(t->waiting[i], now, now + 1);
  }
}

void test_device_init(struct test_device *t, struct engine *e, unsigned actor, unsigned cores,
                      struct soc_hooks hooks) {
  memset(t, 0, sizeof *t);
  t->engine = e;
  t->actor = actor;
  t->cores = cores;
  t->hooks = hooks;
  engine_add(e, actor, step, t);
}

static void store(struct test_device *t, struct core *c, cycle_t now) {
  struct core_port *k = core_port(c);
  struct soc_hooks *h = &t->hooks;
  switch (k->acc.addr & 0xfff) {
  case EXIT:
    h->core_exit(h->self, c, (int)k->acc.data, now);
    break;
  case PUT:
    h->put(h->self, k->hartid, (char)k->acc.data);
    break;
  case MARK:
    h->mark(h->self, c, k->acc.data, now);
    break;
  default:
    break;
  }
}

static uint32_t load(struct test_device *t, struct core *c, cycle_t now) {
  switch (core_port(c)->acc.addr & 0xfff) {
  case CYCLE:
    return (uint32_t)now;
  case RETIRED:
    return (uint32_t)t->hooks.instructions(t->hooks.self, c, now);
  case CORES:
    return t->cores;
  default:
    return 0;
  }
}

static void arrive(struct test_device *t, struct core *c, cycle_t now) {
  core_port(c)->wait_cause = CAUSE_BARRIER;
  t->waiting[t->count++] = c;
  if (t->count == t->cores)
    engine_wake(t->engine, t->actor, now);
}

void test_device_request(struct test_device *t, struct core *c, cycle_t now) {
  struct core_port *k = core_port(c);
  if (k->acc.kind == ACCESS_STORE) {
    store(t, c, now);
    if (k->phase == CORE_HALTED)
      return;
  } else if ((k->acc.addr & 0xfff) == BARRIER) {
    arrive(t, c, now);
    return;
  } else {
    k->acc.data = load(t, c, now);
  }
  core_grant(c, now, now + 1);
}
