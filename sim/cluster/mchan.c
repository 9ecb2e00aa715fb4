#include "cluster/mchan.h"

#include <string.h>

#include "cluster/event_unit.h"
#include "cluster/mchan_parts.h"
#include "cluster/periph.h"
#include "core/block.h"
#include "core/run.h"

// ---- completion

void mchan_sync_begin(struct mchan *d, unsigned id, unsigned bursts) {
  d->live |= (uint16_t)(1u << id);
  d->sync[id].tcdm = (uint16_t)(d->sync[id].tcdm + bursts);
  d->sync[id].ext = (uint16_t)(d->sync[id].ext + bursts);
}
void mchan_sync_tcdm(struct mchan *d, unsigned id) {
  d->live |= (uint16_t)(1u << id);
  d->sync[id].tcdm--;
}
void mchan_sync_ext(struct mchan *d, unsigned id) {
  d->live |= (uint16_t)(1u << id);
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
    if (!s->ended)
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

void mchan_fault(struct mchan *d, unsigned id, const char *text, cycle_t now) {
  struct core *c = d->sync[id].owner;
  if (c)
    c->host->trap(c->host->self, c, c->at ? c->at->pc : 0, text, now);
}

// ---- the clock

static bool waits_for_memory(const struct mchan_channel *ch) {
  return ch->answering || ch->requested || ch->reading || ch->fifos.valid & FIFO(MCHAN_WRITE);
}

static bool rests(const struct mchan_channel *ch) {
  return !ch->fifos.valid && !ch->queue_count && !ch->splitter.run && !ch->unpacker.run &&
         !ch->beats.run && !ch->bus_count && !ch->writing_count && !waits_for_memory(ch) &&
         mchan_align_rests(ch);
}

// Returns whether anything has moved.
static bool channel_edge(struct mchan *d, struct mchan_channel *ch, cycle_t now) {
  struct mchan_moves m = {0};
  mchan_bus_edge(d, ch, &m, now);
  mchan_tcdm_edge(d, ch, &m);
  mchan_align_edge(d, ch, &m);
  mchan_split_edge(d, ch, &m, now);
  fifos_clock(&ch->fifos, &m);
  bool moved = m.pushed || m.popped || ch->queue_was != ch->queue_count;
  ch->queue_was = ch->queue_count;
  ch->awake = moved || !rests(ch);
  return moved;
}

// Evaluates the end of cycle `now`; returns whether the next one can be different.
static bool edge(struct mchan *d, cycle_t now) {
  if (d->live)
    sync_edge(d);
  mchan_ports_edge(d);
  bool moved = false;
  if (d->channel[0].awake)
    moved |= channel_edge(d, &d->channel[0], now);
  if (d->channel[1].awake)
    moved |= channel_edge(d, &d->channel[1], now);
  d->queued_was = d->queued;
  return moved || mchan_ports_active(d) || d->live;
}

// Drives the channel's outputs for this cycle. Returns the next one in which memory may answer.
static cycle_t channel_drive(struct mchan *d, struct mchan_channel *ch, cycle_t now) {
  mchan_bus_drive(d, ch, now);
  mchan_tcdm_drive(d, ch);
  cycle_t answer = waits_for_memory(ch) ? now : mchan_bus_next(ch, now);
  return answer > now ? answer : now + 1;
}

static cycle_t earlier(cycle_t a, cycle_t b) {
  return a < b ? a : b;
}

// Flattened, so that the compiler sees which channel each call is for.
__attribute__((flatten)) static void step(void *self, cycle_t now) {
  struct mchan *d = self;
  cycle_t next = edge(d, now - 1) ? now + 1 : CYCLE_NEVER;
  if (d->live)
    deliver(d, now);
  if (d->channel[0].awake)
    next = earlier(next, channel_drive(d, &d->channel[0], now));
  if (d->channel[1].awake)
    next = earlier(next, channel_drive(d, &d->channel[1], now));
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
  d->l1 = p->l1;
  d->tcdm_mask = 1;
  while (d->tcdm_mask < p->tcdm->size)
    d->tcdm_mask *= 2;
  d->tcdm_mask--;
  d->bus = p->bus;
  d->event_unit = p->event_unit;
  d->periph = p->periph;
  d->memory[0] = p->write;
  d->memory[1] = p->read;
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
