#include "cluster/timer.h"

#include <string.h>

enum {
  ENABLE = 1 << 0,
  RESET = 1 << 1,
  EVENT = 1 << 2,
  CLEAR = 1 << 4,
  ONE_SHOT = 1 << 5,
  PRESCALE = 1 << 6,
  REFERENCE = 1 << 7,
};
#define WIDE (UINT32_C(1) << 31)

static engine_step step;

static bool wide(const struct timer *t) {
  return t->counter[0].config & WIDE;
}

// Cycles from one count to the next; 0: does not count.
static uint64_t period(const struct timer *t, const struct timer_counter *c) {
  if (!(c->config & ENABLE))
    return 0;
  uint64_t n = c->config & REFERENCE ? t->reference_period : 1;
  return c->config & PRESCALE ? n * ((c->config >> 8 & 255) + 1) : n;
}

static uint64_t range(const struct timer *t) {
  return wide(t) ? UINT64_MAX : UINT32_MAX;
}

static uint64_t value_at(const struct timer *t, const struct timer_counter *c, cycle_t when) {
  uint64_t n = period(t, c);
  uint64_t counts = n && when > c->since ? (when - c->since) / n : 0;
  return (c->base + counts) & range(t);
}

static uint64_t target(const struct timer *t, const struct timer_counter *c) {
  return wide(t) ? (uint64_t)t->counter[1].compare << 32 | c->compare : c->compare;
}

// Cycle from `now` on in which the counter first holds the compare value.
static cycle_t next_match(const struct timer *t, const struct timer_counter *c, cycle_t now) {
  uint64_t n = period(t, c);
  uint64_t goal = target(t, c);
  if (value_at(t, c, now) == goal)
    return c->fired == now ? CYCLE_NEVER : now;
  if (!n)
    return CYCLE_NEVER;
  uint64_t counts = (goal - c->base) & range(t);
  if (counts > (CYCLE_NEVER - c->since) / n - 1)
    return CYCLE_NEVER;
  cycle_t when = c->since + counts * n;
  return when >= now ? when : when + (range(t) + 1) * n;
}

static void schedule(struct timer *t, cycle_t from) {
  cycle_t next = CYCLE_NEVER;
  for (unsigned i = 0; i < (wide(t) ? 1u : 2u); i++) {
    struct timer_counter *c = &t->counter[i];
    if (!(c->config & (EVENT | CLEAR | ONE_SHOT)))
      continue;
    cycle_t when = next_match(t, c, from);
    if (when < next)
      next = when;
  }
  engine_move(t->engine, t->actor, next);
}

void timer_init(struct timer *t, struct engine *e, unsigned actor, unsigned reference_period) {
  memset(t, 0, sizeof *t);
  t->engine = e;
  t->actor = actor;
  t->reference_period = reference_period;
  for (unsigned i = 0; i < 2; i++)
    t->counter[i].fired = CYCLE_NEVER;
  engine_add(e, actor, step, t);
}

// The counter holds `value` in cycle `when`, at the beginning of a prescaler period.
static void rebase(struct timer_counter *c, uint64_t value, cycle_t when) {
  c->base = value;
  c->since = when;
}

// The counter holds its compare value in this cycle.
static void match(struct timer *t, unsigned i, cycle_t now) {
  struct timer_counter *c = &t->counter[i];
  bool every_cycle = period(t, c) == 1;
  uint64_t value = value_at(t, c, now);
  c->fired = now;
  if (c->config & EVENT && t->event)
    t->event(t->event_self, i, now);
  if (c->config & CLEAR)
    rebase(c, 0, now + every_cycle);
  if (c->config & ONE_SHOT) {
    if (!(c->config & CLEAR))
      rebase(c, value + every_cycle, now + 1);
    c->config &= ~(uint32_t)ENABLE;
    if (wide(t))
      t->counter[1].config &= ~(uint32_t)ENABLE;
  }
}

static void step(void *self, cycle_t now) {
  struct timer *t = self;
  for (unsigned i = 0; i < (wide(t) ? 1u : 2u); i++) {
    struct timer_counter *c = &t->counter[i];
    if (c->config & (EVENT | CLEAR | ONE_SHOT) && next_match(t, c, now) == now)
      match(t, i, now);
  }
  schedule(t, now + 1);
}

uint32_t timer_read(struct timer *t, uint32_t offset, cycle_t when) {
  struct timer_counter *c = &t->counter[offset >> 2 & 1];
  switch (offset & ~4u) {
  case 0x00:
    return c->config;
  case 0x08:
    if (wide(t))
      return (uint32_t)(value_at(t, &t->counter[0], when) >> (offset & 4 ? 32 : 0));
    return (uint32_t)value_at(t, c, when);
  case 0x10:
    return c->compare;
  default:
    return 0;
  }
}

static void write_config(struct timer *t, struct timer_counter *c, uint32_t config, cycle_t next) {
  const uint32_t rate = ENABLE | PRESCALE | REFERENCE | 0xff00u | WIDE;
  uint64_t value = value_at(t, c, next);
  if ((config ^ c->config) & rate)
    rebase(c, value, next);
  c->config = config & ~(uint32_t)RESET;
  if (config & RESET)
    rebase(c, 0, next + 1);
}

static void write_value(struct timer *t, unsigned i, uint32_t value, cycle_t next) {
  if (!wide(t)) {
    rebase(&t->counter[i], value, next);
    return;
  }
  uint64_t now = value_at(t, &t->counter[0], next);
  now = i ? (now & UINT32_MAX) | (uint64_t)value << 32 : (now & ~(uint64_t)UINT32_MAX) | value;
  rebase(&t->counter[0], now, next);
}

void timer_write(struct timer *t, uint32_t offset, uint32_t value, cycle_t when) {
  unsigned i = offset >> 2 & 1;
  struct timer_counter *c = &t->counter[i];
  cycle_t next = when + 1;
  switch (offset & ~4u) {
  case 0x00:
    write_config(t, c, value, next);
    break;
  case 0x08:
    write_value(t, i, value, next);
    break;
  case 0x10:
    c->compare = value;
    break;
  case 0x18:
    write_config(t, c, c->config | ENABLE, next);
    break;
  case 0x20:
    rebase(c, 0, next);
    break;
  default:
    break;
  }
  schedule(t, next);
}

static void access(void *self, const struct periph_access *a, cycle_t now) {
  struct timer *t = self;
  uint32_t data = 0, offset = a->addr & 0x3c;
  if (a->write)
    timer_write(t, offset, a->data, now);
  else
    data = timer_read(t, offset, now + 1);
  periph_respond(t->periph, a->port, data, now + 1);
}

void timer_connect(struct timer *t, struct periph *periph, enum periph_slave_id id) {
  t->periph = periph;
  periph_attach(periph, id, (struct periph_slave){.self = t, .access = access});
}
