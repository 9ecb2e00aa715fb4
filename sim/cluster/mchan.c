#include "cluster/mchan.h"

#include <string.h>

#include "cluster/event_unit.h"
#include "cluster/mchan_parts.h"
#include "cluster/periph.h"
#include "core/block.h"
#include "core/run.h"

// ---- completion

void mchan_sync_tcdm(struct mchan *d, unsigned id) {
  d->sync[id].tcdm--;
}
void mchan_sync_ext(struct mchan *d, unsigned id) {
  d->sync[id].ext--;
}

static bool pending(const struct mchan_sync *s) {
  return s->tcdm || s->ext;
}

// An event is on the lines one cycle after the counters have become zero; several
// that end together come one by one, the highest identifier first.
static void sync_edge(struct mchan *d) {
  if (d->delivering >= 0)
    d->sync[d->delivering].ended = false;
  d->delivering = -1;
  for (unsigned m = d->live; m; m &= m - 1) {
    struct mchan_sync *s = &d->sync[__builtin_ctz(m)];
    if (!pending(s) && s->was_pending) {
      s->ended = true;
      s->end_event = s->event, s->end_irq = s->irq, s->end_broadcast = s->broadcast;
      s->end_port = s->port;
    }
    s->was_pending = pending(s);
    if (!s->was_pending && !s->ended)
      d->live &= (uint16_t) ~(m & -m);
  }
}

static void raise(struct mchan *d, const struct mchan_sync *s) {
  uint32_t lines = (uint32_t)s->end_event << EVENT_DMA | (uint32_t)s->end_irq << EVENT_DMA_IRQ;
  if (!lines)
    return;
  for (unsigned core = 0; core < d->cores; core++)
    if (s->end_broadcast || core == s->end_port)
      event_unit_raise(d->event_unit, core, lines);
}

static void deliver(struct mchan *d, cycle_t now) {
  unsigned ended = 0;
  for (unsigned m = d->live; m; m &= m - 1)
    if (d->sync[__builtin_ctz(m)].ended)
      ended |= m & -m;
  if (!ended)
    return;
  unsigned id = 31 - (unsigned)__builtin_clz(ended);
  d->delivering = (int)id;
  raise(d, &d->sync[id]);
  if (d->observe)
    d->observe(d->observe_self, id, false, now, 0);
}

static bool sync_active(const struct mchan *d) {
  for (unsigned m = d->live; m; m &= m - 1) {
    const struct mchan_sync *s = &d->sync[__builtin_ctz(m)];
    if (s->ended || s->was_pending != pending(s))
      return true;
  }
  return false;
}

void mchan_fault(struct mchan *d, unsigned id, const char *text, cycle_t now) {
  struct core *c = d->sync[id].owner;
  if (c)
    c->host->trap(c->host->self, c, c->at ? c->at->pc : 0, text, now);
}

// ---- the clock

// Returns whether anything moved.
static bool snapshot(struct mchan_channel *ch) {
  bool moved = ch->queue_was != ch->queue_count;
  for (unsigned i = 0; i < MCHAN_STAGES; i++) {
    struct mchan_fifo *f = &ch->fifo[i];
    moved |= f->moved;
    f->moved = false;
    f->was = f->count;
  }
  ch->queue_was = ch->queue_count;
  return moved;
}

static bool channel_waits_on_tcdm(const struct mchan_channel *ch) {
  return ch->requested[0] || ch->requested[1] || ch->reading[0] || ch->reading[1];
}

// Evaluates the end of cycle `now`; returns whether the next one can be different.
static bool edge(struct mchan *d, cycle_t now) {
  sync_edge(d);
  mchan_ports_edge(d);
  for (unsigned i = 0; i < 2; i++) {
    struct mchan_channel *ch = &d->channel[i];
    mchan_bus_edge(d, ch, now);
    mchan_tcdm_edge(d, ch);
    mchan_align_edge(ch);
    mchan_split_edge(d, ch, now);
  }
  bool again = snapshot(&d->channel[0]);
  again |= snapshot(&d->channel[1]);
  d->queued_was = d->queued;
  return again || mchan_ports_active(d) || sync_active(d);
}

static void step(void *self, cycle_t now) {
  struct mchan *d = self;
  cycle_t next = edge(d, now - 1) ? now + 1 : CYCLE_NEVER;
  deliver(d, now);
  for (unsigned i = 0; i < 2; i++) {
    struct mchan_channel *ch = &d->channel[i];
    mchan_bus_drive(d, ch, now);
    mchan_tcdm_drive(d, ch);
    if (ch->answering || channel_waits_on_tcdm(ch) || ch->fifo[MCHAN_WRITE].count)
      next = now + 1;
    cycle_t answer = mchan_bus_next(ch, now);
    if (answer < next)
      next = answer > now ? answer : now + 1;
  }
  if (next != CYCLE_NEVER)
    engine_wake(d->engine, d->actor, next);
}

// ---- construction, requests

static void announce(void *self, cycle_t when) {
  struct mchan *d = self;
  d->announced = when;
  engine_wake(d->engine, d->port_actor, when);
}

void mchan_init(struct mchan *d, const struct mchan_params *p) {
  memset(d, 0, sizeof *d);
  d->engine = p->engine;
  d->actor = p->actor;
  d->port_actor = p->port_actor;
  d->cores = p->cores;
  d->ports = p->cores + 2;
  d->version = p->version;
  d->tcdm = p->tcdm;
  d->tcdm_base = p->tcdm_base;
  d->tcdm_mask = 1;
  while (d->tcdm_mask < p->tcdm->size)
    d->tcdm_mask *= 2;
  d->tcdm_mask--;
  d->bus = p->bus;
  d->event_unit = p->event_unit;
  d->periph = p->periph;
  d->memory[0] = p->write;
  d->memory[1] = p->read;
  d->channel[1].to_tcdm = true;
  d->delivering = -1;
  engine_add(d->engine, d->actor, step, d);
  engine_add(d->engine, d->port_actor, mchan_ports_step, d);
  mchan_tcdm_attach(d);
  for (unsigned plug = 0; plug < 2; plug++)
    periph_attach(p->periph, PERIPH_DMA + plug,
                  (struct periph_slave){.self = d, .announce = announce});
}

void mchan_request(struct mchan *d, struct core *c) {
  struct mchan_port *p = &d->port[c->index];
  c->wait_cause = CAUSE_PERIPH_WAIT;
  p->core = c;
  p->requested = true;
  d->awake |= UINT32_C(1) << c->index;
  p->write = c->acc.kind == ACCESS_STORE;
  p->addr = c->acc.addr;
  p->data = c->acc.data;
  engine_wake(d->engine, d->port_actor, d->engine->now);
}
