#include "cluster/mchan.h"

#include <string.h>

#include "cluster/event_unit.h"
#include "cluster/mchan_units.h"
#include "cluster/periph.h"
#include "core/ports.h"

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
  if (d->observe && !pending(&d->sync[id]) && d->sync[id].unsplit == 0)
    d->observe(d->observe_self, id, false, now, 0);
}

void mchan_fault(struct mchan *d, unsigned id, const char *text, cycle_t now) {
  struct core *c = d->sync[id].owner;
  if (c) // where it has got to meanwhile
    core_fault(c, text, now);
}

// ---- the clock

static bool waits_for_memory(const struct mchan_channel *ch) {
  return ch->control.flags & (MCHAN_ANSWERS | MCHAN_READING) || ch->requested ||
         ch->control.valid & FIFO(MCHAN_WRITE);
}

static bool rests(const struct mchan_channel *ch) {
  return !ch->control.valid && !ch->queue_count && !ch->splitter.run && !ch->unpacker.run &&
         !(ch->control.flags & MCHAN_BEATS) && !ch->bus_count && !ch->writing_count &&
         !waits_for_memory(ch) && mchan_align_rests(&ch->control);
}

// Something has been counted down.
static __attribute__((noinline)) void ended(struct mchan *d, struct mchan_channel *ch,
                                            mchan_lanes which, uint32_t *flags,
                                            struct mchan_moves *m) {
  for (unsigned lane = LANE_ASK0; lane <= LANE_END1; lane++)
    if (which[lane])
      mchan_tcdm_ended(d, ch, lane, m);
  if (which[LANE_BEATS])
    *flags &= ~(uint32_t)MCHAN_BEATS;
  if (which[LANE_EXT])
    mchan_bus_ended(d, ch, flags);
  if (which[LANE_TAKEN])
    *flags |= MCHAN_LAST_IN;
}

static bool any(mchan_lanes lanes) {
  uint64_t half[2];
  memcpy(half, &lanes, sizeof half);
  return half[0] | half[1];
}

static uint16_t step_if(unsigned queues, enum mchan_stage stage) {
  return queues >> stage & 1 ? UINT16_MAX : 0;
}

static mchan_lanes steps_of(bool to_tcdm, unsigned pushed, unsigned popped) {
  mchan_lanes steps;
  steps[LANE_ASK0] = step_if(popped, MCHAN_BEAT0);
  steps[LANE_ASK1] = step_if(popped, MCHAN_BEAT1);
  steps[LANE_END0] = step_if(popped, MCHAN_READ0);
  steps[LANE_END1] = step_if(popped, MCHAN_READ1);
  steps[LANE_BEATS] = step_if(pushed, MCHAN_BEAT0);
  steps[LANE_EXT] = step_if(popped, to_tcdm ? MCHAN_REPLY : MCHAN_DATA);
  steps[LANE_TAKEN] = step_if(popped, to_tcdm ? MCHAN_DATA : MCHAN_WORD0);
  steps[LANE_GIVEN] = step_if(pushed, to_tcdm ? MCHAN_WORD0 : MCHAN_DATA);
  return steps;
}

static bool is_rare(bool to_tcdm, unsigned moves) {
  unsigned replies = to_tcdm ? 0 : FIFO(MCHAN_REPLY); // to TCDM, those are the words
  return moves & (FIFO_BURSTS | FIFO_DONES | FIFO(MCHAN_ADDRESS) | replies);
}

// What the edge at the end of this cycle does.
static struct mchan_cycle decide(bool to_tcdm, const struct mchan_control *c) {
  struct mchan_cycle y = {.next = *c};
  mchan_bus_decide(to_tcdm, c, &y);
  mchan_tcdm_decide(to_tcdm, c, &y);
  mchan_align_decide(to_tcdm, c, &y);
  fifos_clock(&y.next, y.pushed, y.popped);
  y.rare = is_rare(to_tcdm, y.pushed | y.popped);
  y.steps = steps_of(to_tcdm, y.pushed, y.popped);
  y.offers = (uint8_t)mchan_tcdm_offers(to_tcdm, &y.next);
  return y;
}

// The clock edge between `now` and the cycle before, and what the channel drives in `now`. Returns
// whether anything has moved.
static bool channel_step(struct mchan *d, struct mchan_channel *ch, cycle_t now) {
  const struct mchan_cycle y = decide(mchan_to_tcdm(d, ch), &ch->control);
  struct mchan_moves m = {0};
  uint32_t flags = y.next.flags;
  if (y.rare) {
    mchan_bus_move_rarely(d, ch, &y, &flags, now - 1);
    mchan_tcdm_move_rarely(d, ch, &y);
  }
  mchan_tcdm_move(&y, ch);
  mchan_align_move(d, ch, &y);
  ch->place -= y.steps;
  ch->count += y.steps;
  mchan_lanes none = (mchan_lanes)(ch->count == 0) & y.steps;
  if (any(none))
    ended(d, ch, none, &flags, &m);
  if (y.popped & FIFO(MCHAN_BURST_ALIGN))
    mchan_align_start(d, ch, &flags);
  mchan_split_edge(d, ch, &m, now - 1);
  ch->control = (struct mchan_control){y.next.valid, y.next.full, flags};
  ch->first ^= y.popped;
  bool moved = y.pushed | y.popped;
  if (m.pushed | m.popped || ch->queue_was != ch->queue_count) {
    fifos_clock(&ch->control, m.pushed, m.popped);
    ch->first ^= (uint16_t)m.popped;
    ch->queue_was = ch->queue_count;
    moved = true;
  }
  if (!moved && rests(ch)) {
    ch->awake = false;
    return false;
  }
  mchan_bus_drive(d, ch, now);
  mchan_tcdm_drive(d, ch, y.offers);
  return moved;
}

// The next cycle in which memory may answer.
static cycle_t next_answer(const struct mchan_channel *ch, cycle_t now) {
  cycle_t answer = waits_for_memory(ch) ? now : mchan_bus_next(ch, now);
  return answer > now ? answer : now + 1;
}

static cycle_t earlier(cycle_t a, cycle_t b) {
  return a < b ? a : b;
}

// When nothing has moved.
static cycle_t next_step(const struct mchan *d, cycle_t now) {
  if (d->live || mchan_ports_active(d))
    return now + 1;
  cycle_t next = CYCLE_NEVER;
  for (unsigned i = 0; i < 2; i++)
    if (d->channel[i].awake)
      next = earlier(next, next_answer(&d->channel[i], now));
  return next;
}

// The clock edge between `now` and the cycle before, and what is driven in `now`. Flattened, so
// that the compiler sees which channel each call is for.
__attribute__((flatten)) static void step(void *self, cycle_t now) {
  struct mchan *d = self;
  bool moved = false;
  if (d->live)
    sync_edge(d);
  if (d->awake)
    mchan_ports_edge(d, now);
  if (d->channel[0].awake)
    moved |= channel_step(d, &d->channel[0], now);
  if (d->channel[1].awake)
    moved |= channel_step(d, &d->channel[1], now);
  d->queued_was = d->queued;
  if (d->live)
    deliver(d, now);
  cycle_t next = moved ? now + 1 : next_step(d, now);
  if (next != CYCLE_NEVER)
    engine_schedule(d->engine, d->actor, next);
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
  d->ids = (uint16_t)((1u << p->transfers) - 1);
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
  struct core_port *k = core_port(c);
  struct mchan_port *p = &d->port[k->index];
  k->wait_cause = CAUSE_PERIPH_WAIT;
  p->core = c;
  p->requested = true;
  d->awake |= UINT32_C(1) << k->index;
  p->write = k->acc.kind == ACCESS_STORE;
  p->addr = k->acc.addr;
  p->data = k->acc.data;
  engine_wake(d->engine, d->port_actor, d->engine->now);
}
