#include "cluster/event_unit.h"

#include <string.h>

#include "cluster/event_regs.h"
#include "cluster/periph.h"
#include "core/ports.h"

// What happens within one cycle, before it is committed.
struct cycle {
  struct event_core next[EVENT_CORES];
  struct barrier barrier[EVENT_BARRIERS]; // masks as written in this cycle
  uint32_t triggers[EVENT_BARRIERS];
  uint32_t lines[EVENT_CORES];
  uint32_t buffer_clear[EVENT_CORES];
  uint32_t granted; // private ports
  uint32_t writing; // private ports whose access is a store
  uint32_t lock;
  bool unlock;
  uint32_t message;
  struct dispatch_inputs dispatch;
  uint32_t barrier_writer; // barriers that a private port writes to in this cycle
  bool plug_granted;
  bool again; // something goes on in the next cycle
};

static engine_step step;

void event_unit_init(struct event_unit *eu, struct engine *e, unsigned actor, unsigned cores,
                     unsigned barriers) {
  memset(eu, 0, sizeof *eu);
  eu->engine = e;
  eu->actor = actor;
  eu->cores = cores;
  eu->barriers = barriers;
  engine_add(e, actor, step, eu);
}

static void wake(struct event_unit *eu) {
  engine_wake(eu->engine, eu->actor, eu->engine->now);
}

// The cause of a wait that the access of core `c` stands for, from what the core waits on
// (cause.h).
static uint8_t cause_of(const struct event_unit *eu, struct core *c) {
  struct core_port *k = core_port(c);
  uint32_t offset = k->acc.addr & EVENT_OFFSET_MASK;
  const uint32_t dma = 3u << EVENT_DMA;
  uint32_t mask = eu->core[k->index].mask;
  if (k->acc.kind == ACCESS_STORE || !event_is_wait(offset))
    return CAUSE_PERIPH_WAIT;
  if (event_is_barrier(offset))
    return CAUSE_BARRIER;
  if (mask && !(mask & ~dma))
    return CAUSE_DMA_WAIT;
  if (mask == 1u << EVENT_BARRIER && event_is_core(offset))
    return CAUSE_BARRIER;
  return CAUSE_SLEEP;
}

void event_unit_request(struct event_unit *eu, struct core *c) {
  struct core_port *k = core_port(c);
  eu->request[k->index] = c;
  eu->requests |= UINT32_C(1) << k->index;
  k->wait_cause = cause_of(eu, c);
  wake(eu);
}

void event_unit_raise(struct event_unit *eu, unsigned core, uint32_t lines) {
  eu->lines[core] |= lines;
  wake(eu);
}

bool event_unit_soc_event(struct event_unit *eu, uint8_t id) {
  if (eu->soc_count == EVENT_SOC_QUEUE)
    return false;
  eu->soc_queue[(eu->soc_first + eu->soc_count++) % EVENT_SOC_QUEUE] = id;
  wake(eu);
  return true;
}

// The plug has a queue of two. A pop in this cycle makes room only for the next one.
static bool plug_ready(const void *self, unsigned port, cycle_t now) {
  const struct event_unit *eu = self;
  (void)port;
  return eu->plug_count + (eu->plug_popped == now) < 2;
}

static void plug_push(void *self, const struct periph_access *access, cycle_t now) {
  struct event_unit *eu = self;
  eu->plug[eu->plug_count++] = (struct event_plug){.offset = (access->addr - 0x800) & 0x7fc,
                                                   .data = access->data,
                                                   .write = access->write,
                                                   .port = access->port,
                                                   .pushed = now};
  engine_wake(eu->engine, eu->actor, now + 1);
}

void event_unit_connect(struct event_unit *eu, struct periph *periph) {
  eu->periph = periph;
  periph_attach(periph, PERIPH_EVENT_UNIT,
                (struct periph_slave){.self = eu, .ready = plug_ready, .access = plug_push});
}

// ---------------------------------------------------------------- requests of one cycle

static uint32_t all_cores(const struct event_unit *eu) {
  return (UINT32_C(1) << eu->cores) - 1;
}

static void software_event(const struct event_unit *eu, struct cycle *w, unsigned event,
                           uint32_t cores) {
  cores &= all_cores(eu);
  if (!cores)
    cores = all_cores(eu);
  for (uint32_t m = cores; m; m &= m - 1)
    w->lines[__builtin_ctz(m)] |= UINT32_C(1) << (EVENT_SW + event);
}

static void direct_store(struct event_unit *eu, struct cycle *w, unsigned i, uint32_t offset,
                         uint32_t value) {
  unsigned reg = offset >> 2 & 15;
  switch (offset >> 6) {
  case 0:
    w->buffer_clear[i] |= event_write(&w->next[i], reg, value, all_cores(eu));
    break;
  case 2:
    if ((reg & 3) == 0)
      w->dispatch.push = true, w->dispatch.push_value |= value;
    if ((reg & 3) == 1)
      w->dispatch.set_team = true, w->dispatch.team_value |= value & all_cores(eu);
    break;
  case 3:
    if (reg == 0)
      w->unlock = true, w->message |= value;
    break;
  case 4:
    software_event(eu, w, reg & 7, value);
    break;
  default:
    break;
  }
}

// What a load sets off in the first cycle of its request.
static void direct_trigger(struct event_unit *eu, struct cycle *w, unsigned i, uint32_t offset) {
  uint32_t bit = UINT32_C(1) << i;
  if (event_is_barrier(offset)) {
    unsigned b = offset >> 5 & 15;
    if (b < eu->barriers && (offset & 0x1c) >= BARRIER_TRIGGER_SELF)
      w->triggers[b] |= bit;
    return;
  }
  unsigned group = offset >> 6;
  if (group == 3 && (offset & 0x3c) == 0)
    w->lock |= bit;
  if (group == 2 && (offset & 0x3c) == 0)
    w->dispatch.pop |= bit;
  if (group == 5 || group == 6)
    software_event(eu, w, offset >> 2 & 7, eu->core[i].sw_mask);
}

// The clock goes two cycles behind the last fetch and comes with the event (event_unit_core.sv
// core_clock_CS; riscv_core.sv core_busy_q).
static void sleep_on(struct event_unit *eu, struct cycle *w, unsigned i, cycle_t now) {
  struct event_core *next = &w->next[i];
  next->busy = core_fetches(eu->request[i]);
  if (!next->busy && !next->sleeps)
    next->sleeps = now + 2;
}

static void wake_up(struct event_unit *eu, struct cycle *w, unsigned i, cycle_t now) {
  cycle_t since = w->next[i].sleeps;
  if (since && since < now)
    core_slept(eu->request[i], now - since);
  w->next[i].sleeps = 0;
}

static void direct_load(struct event_unit *eu, struct cycle *w, unsigned i, uint32_t offset,
                        cycle_t now) {
  const struct event_core *c = &eu->core[i];
  uint32_t bit = UINT32_C(1) << i;
  if (!c->triggered)
    direct_trigger(eu, w, i, offset);
  if (!event_is_wait(offset)) {
    if (!c->clearing)
      w->granted |= bit;
    return;
  }
  bool interrupt = (c->buffer & c->irq_mask) != 0;
  if (interrupt) {
    w->next[i].interrupted = w->next[i].triggered = true;
    wake_up(eu, w, i, now);
    if (c->interrupted && !c->clearing)
      w->granted |= bit;
    return;
  }
  bool wakes = (c->buffer & c->mask) != 0;
  w->next[i].triggered = !wakes;
  w->next[i].interrupted = c->interrupted && !wakes && c->busy;
  if (!wakes) {
    sleep_on(eu, w, i, now);
    return;
  }
  wake_up(eu, w, i, now);
  w->dispatch.ack |= bit;
  w->next[i].clearing = event_is_clear(offset);
  if (!c->clearing)
    w->granted |= bit;
}

static void direct_access(struct event_unit *eu, struct cycle *w, unsigned i, cycle_t now) {
  const struct access *acc = &core_port(eu->request[i])->acc;
  uint32_t offset = acc->addr & EVENT_OFFSET_MASK;
  if (event_is_barrier_unit(offset))
    return; // see barrier_ports()
  if (acc->kind != ACCESS_STORE) {
    direct_load(eu, w, i, offset, now);
    return;
  }
  w->writing |= UINT32_C(1) << i;
  if (eu->core[i].clearing)
    return;
  direct_store(eu, w, i, offset, acc->data);
  w->granted |= UINT32_C(1) << i;
}

// Registers inside the barriers: each barrier serves one private port per cycle, the lowest.
static void barrier_ports(struct event_unit *eu, struct cycle *w) {
  uint32_t served = 0;
  for (uint32_t m = eu->requests; m; m &= m - 1) {
    unsigned i = (unsigned)__builtin_ctz(m);
    const struct access *acc = &core_port(eu->request[i])->acc;
    uint32_t offset = acc->addr & EVENT_OFFSET_MASK;
    unsigned b = offset >> 5 & 15;
    if (!event_is_barrier_unit(offset) || served >> b & 1)
      continue;
    served |= UINT32_C(1) << b;
    w->granted |= UINT32_C(1) << i;
    if (acc->kind != ACCESS_STORE || b >= eu->barriers)
      continue;
    w->barrier_writer |= UINT32_C(1) << b;
    w->triggers[b] |= barrier_write(&w->barrier[b], offset & 0x1c, acc->data & all_cores(eu));
  }
}

// ---------------------------------------------------------------- plug

static void plug_store(struct event_unit *eu, struct cycle *w, const struct event_plug *p) {
  unsigned i = p->offset >> 6 & 15, b = p->offset >> 5 & 15;
  switch (p->offset >> 9) {
  case 0:
  case 1:
    if (i < eu->cores)
      w->buffer_clear[i] |= event_write(&w->next[i], p->offset >> 2 & 15, p->data, all_cores(eu));
    break;
  case 2:
    if (b < eu->barriers)
      w->triggers[b] |= barrier_write(&w->barrier[b], p->offset & 0x1c, p->data & all_cores(eu));
    break;
  default:
    if (!(p->offset & 0x100))
      software_event(eu, w, p->offset >> 2 & 7, p->data);
  }
}

// A store that meets a store of the private port to the same unit waits.
static bool plug_conflict(const struct cycle *w, const struct event_plug *p) {
  if (!p->write)
    return false;
  if (p->offset < 0x400)
    return w->writing >> (p->offset >> 6 & 15) & 1;
  return p->offset < 0x600 && (w->barrier_writer >> (p->offset >> 5 & 15) & 1);
}

static void plug_access(struct event_unit *eu, struct cycle *w, cycle_t now) {
  const struct event_plug *p = &eu->plug[0];
  if (!eu->plug_count || p->pushed >= now)
    return;
  if (plug_conflict(w, p)) {
    w->again = true;
    return;
  }
  w->plug_granted = true;
  if (p->write)
    plug_store(eu, w, p);
}

static uint32_t soc_queue_pop(struct event_unit *eu) {
  if (!eu->soc_count)
    return 0;
  uint32_t value = UINT32_C(1) << 31 | eu->soc_queue[eu->soc_first];
  eu->soc_first = (eu->soc_first + 1) % EVENT_SOC_QUEUE;
  eu->soc_count--;
  return value;
}

static uint32_t plug_read(struct event_unit *eu, const struct event_plug *p) {
  unsigned i = p->offset >> 6 & 15, b = p->offset >> 5 & 15;
  if (p->offset < 0x400) {
    if ((p->offset & 0x3c) == 0x18 && eu->requests >> i & 1)
      return 0; // asleep, or about to be
    return i < eu->cores ? event_read(&eu->core[i], p->offset >> 2 & 15) : 0;
  }
  if (p->offset < 0x600)
    return b < eu->barriers ? barrier_read(&eu->barrier[b], p->offset & 0x1c) : 0;
  return (p->offset & ~0x7fu) == 0x700 ? soc_queue_pop(eu) : 0;
}

static void plug_answer(struct event_unit *eu, cycle_t now) {
  struct event_plug p = eu->plug[0];
  eu->plug[0] = eu->plug[1];
  eu->plug_count--;
  eu->plug_popped = now;
  periph_respond(eu->periph, p.port, p.write ? 0 : plug_read(eu, &p), now + 1);
}

// ---------------------------------------------------------------- the clock edge

static void collect_events(struct event_unit *eu, struct cycle *w) {
  memcpy(w->lines, eu->lines, eu->cores * sizeof *w->lines);
  memset(eu->lines, 0, eu->cores * sizeof *eu->lines);
  for (unsigned b = 0; b < eu->barriers; b++) {
    if (!barrier_matched(&eu->barrier[b]))
      continue;
    w->again = true;
    for (uint32_t m = eu->barrier[b].target; m; m &= m - 1)
      w->lines[__builtin_ctz(m)] |= UINT32_C(1) << EVENT_BARRIER;
  }
  if (eu->soc_count)
    for (unsigned i = 0; i < eu->cores; i++)
      w->lines[i] |= UINT32_C(1) << EVENT_SOC;
}

static void commit_primitives(struct event_unit *eu, struct cycle *w) {
  for (unsigned b = 0; b < eu->barriers; b++) {
    barrier_edge(&eu->barrier[b], w->triggers[b]);
    eu->barrier[b].trigger = w->barrier[b].trigger;
    eu->barrier[b].target = w->barrier[b].target;
    if (barrier_matched(&eu->barrier[b]))
      w->again = true;
  }
  uint32_t owner = mutex_edge(&eu->mutex, w->lock, w->unlock, w->message);
  if (owner)
    w->lines[__builtin_ctz(owner)] |= UINT32_C(1) << EVENT_MUTEX;
  bool busy;
  uint32_t events = dispatch_edge(&eu->dispatch, &w->dispatch, &busy);
  if (busy)
    w->again = true;
  for (uint32_t m = events; m; m &= m - 1)
    w->lines[__builtin_ctz(m)] |= UINT32_C(1) << EVENT_DISPATCH;
}

static void commit_core(struct event_unit *eu, struct cycle *w, unsigned i) {
  struct event_core *c = &eu->core[i], *n = &w->next[i];
  n->buffer = c->buffer | w->lines[i];
  if (c->clearing)
    n->buffer &= ~c->mask;
  else if (w->buffer_clear[i])
    n->buffer = (c->buffer & ~w->buffer_clear[i]) | w->lines[i];
  bool asked = (c->buffer & c->irq_mask) != 0;
  *c = *n;
  bool waits = eu->requests >> i & 1 && !(w->granted >> i & 1);
  if (c->clearing ||
      (waits && (c->interrupted || !c->sleeps || (c->buffer & (c->mask | c->irq_mask)))))
    w->again = true;
  uint32_t pending = c->buffer & c->irq_mask;
  uint32_t line = pending ? UINT32_C(1) << (31 - __builtin_clz(pending)) : 0;
  eu->irq[i] = asked ? line : 0; // the request goes through a register
  if (eu->irq[i] != line)
    w->again = true;
}

static void drive_interrupts(const struct event_unit *eu, cycle_t now) {
  if (!eu->interrupt)
    return;
  for (unsigned i = 0; i < eu->cores; i++)
    eu->interrupt(eu->interrupt_self, i, eu->irq[i], now + 1);
}

void event_unit_acknowledge(struct event_unit *eu, unsigned core, unsigned id, cycle_t now) {
  eu->core[core].buffer &= ~(UINT32_C(1) << id);
  engine_wake(eu->engine, eu->actor, now + 1);
}

static uint32_t direct_read(const struct event_unit *eu, unsigned i, uint32_t offset) {
  const struct event_core *c = &eu->core[i];
  unsigned b = offset >> 5 & 15;
  if (event_is_barrier_unit(offset))
    return b < eu->barriers ? barrier_read(&eu->barrier[b], offset & 0x1c) : 0;
  switch (offset >> 6) {
  case 0:
    return event_read(c, offset >> 2 & 15);
  case 2:
    return (offset & 0xc) ? 0 : dispatch_value(&eu->dispatch, i);
  case 3:
    return (offset & 0x3c) ? 0 : eu->mutex.message;
  default:
    return c->buffer & c->mask;
  }
}

static void answer(struct event_unit *eu, uint32_t granted, cycle_t now) {
  for (uint32_t m = granted; m; m &= m - 1) {
    unsigned i = (unsigned)__builtin_ctz(m);
    struct core *c = eu->request[i];
    if (core_port(c)->acc.kind != ACCESS_STORE)
      core_port(c)->acc.data = direct_read(eu, i, core_port(c)->acc.addr & EVENT_OFFSET_MASK);
    core_grant(c, now, now + 1);
  }
}

static void step(void *self, cycle_t now) {
  struct event_unit *eu = self;
  struct cycle w;
  memset(&w, 0, sizeof w);
  memcpy(w.next, eu->core, eu->cores * sizeof *eu->core);
  memcpy(w.barrier, eu->barrier, eu->barriers * sizeof *eu->barrier);
  for (unsigned i = 0; i < eu->cores; i++)
    w.next[i].clearing = false, w.next[i].busy = true;
  collect_events(eu, &w);
  for (uint32_t m = eu->requests; m; m &= m - 1)
    direct_access(eu, &w, (unsigned)__builtin_ctz(m), now);
  barrier_ports(eu, &w);
  plug_access(eu, &w, now);
  commit_primitives(eu, &w);
  for (unsigned i = 0; i < eu->cores; i++)
    commit_core(eu, &w, i);
  drive_interrupts(eu, now);
  eu->requests &= ~w.granted;
  if (w.plug_granted)
    plug_answer(eu, now);
  for (uint32_t m = eu->requests; m && !w.again; m &= m - 1) {
    uint32_t offset = core_port(eu->request[__builtin_ctz(m)])->acc.addr & EVENT_OFFSET_MASK;
    w.again = !event_is_wait(offset);
  }
  if (w.again || eu->plug_count)
    engine_wake(eu->engine, eu->actor, now + 1);
  answer(eu, w.granted, now);
}
