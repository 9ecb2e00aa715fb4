// The ports of the DMA: they collect the words of commands, hand out identifiers, and pass commands
// on through an arbiter (mchan `ctrl_fsm`, `ctrl_if`, `trans_allocator`, `trans_arbiter_wrap`).
#include <string.h>

#include "cluster/mchan_units.h"
#include "cluster/periph.h"
#include "cluster/rr_tree.h"
#include "core/ports.h"

enum { PORT_COMMAND = 0, PORT_STATUS = 4, ALL_SLOTS = (1 << MCHAN_SLOTS) - 1 };

// ---- arbitration among ports: a tree whose pointer counts grants

// Winner among `requests`, or -1; the pointer has as many bits as the tree has levels.
static int arbitrate(const struct mchan *d, uint32_t requests, uint8_t *pointer) {
  if (!requests)
    return -1;
  unsigned winner = rr_winner(requests, *pointer);
  *pointer = (uint8_t)((*pointer + 1u) & (rr_leaves(d->ports) - 1));
  return (int)winner;
}

// ---- commands

static struct mchan_command decode(const struct mchan *d, uint32_t word) {
  unsigned bits = d->version == 7 ? 17 : 16;
  uint32_t flags = word >> bits;
  return (struct mchan_command){.len = ((word & ((1u << bits) - 1)) - 1) & 0x1ffff,
                                .to_tcdm = flags & 1,
                                .increment = flags >> 1 & 1,
                                .ext_2d = flags >> 2 & 1,
                                .event = flags >> 3 & 1,
                                .irq = flags >> 4 & 1,
                                .broadcast = flags >> 5 & 1,
                                .tcdm_2d = d->version == 7 && (flags >> 6 & 1)};
}

static bool writes_word(const struct mchan_port *p) {
  return p->write && (p->addr & 0xc) == 0;
}

static bool begins_command(const struct mchan_port *p) {
  if (!p->requested || !p->write || p->words.had_commands == 2)
    return false;
  if (p->state == MCHAN_IDLE)
    return (p->addr & 0xf) == PORT_COMMAND;
  return p->state == MCHAN_COMMAND && writes_word(p);
}

static bool reads_id(const struct mchan_port *p) {
  return p->requested && !p->write && p->state == MCHAN_IDLE && (p->addr & 0xf) == PORT_COMMAND;
}

static unsigned lowest_free(unsigned busy) {
  return (unsigned)__builtin_ctz(~busy);
}

struct round { // who may have what in this cycle
  int id, ext_slot, tcdm_slot;
};

static struct round arbitrate_resources(struct mchan *d) {
  uint32_t ids = 0, ext = 0, tcdm = 0;
  for (unsigned i = 0; i < d->ports; i++) {
    const struct mchan_port *p = &d->port[i];
    if (reads_id(p))
      ids |= UINT32_C(1) << i;
    if (!begins_command(p))
      continue;
    struct mchan_command c = decode(d, p->data);
    if (c.ext_2d)
      ext |= UINT32_C(1) << i;
    if (c.tcdm_2d)
      tcdm |= UINT32_C(1) << i;
  }
  struct round r = {-1, -1, -1};
  if (d->allocated != d->ids)
    r.id = arbitrate(d, ids, &d->id_pointer);
  if (d->ext_slots.busy != ALL_SLOTS)
    r.ext_slot = arbitrate(d, ext, &d->ext_slots.pointer);
  if (d->tcdm_slots.busy != ALL_SLOTS)
    r.tcdm_slot = arbitrate(d, tcdm, &d->tcdm_slots.pointer);
  return r;
}

static uint8_t take_slot(struct mchan_slots *s) {
  unsigned slot = lowest_free(s->busy);
  s->busy |= (uint8_t)(1u << slot);
  return (uint8_t)slot;
}

static bool take_command(struct mchan *d, unsigned i, const struct round *r) {
  struct mchan_port *p = &d->port[i];
  struct mchan_command c = decode(d, p->data);
  if (c.ext_2d && r->ext_slot == (int)i)
    p->ext_slot = take_slot(&d->ext_slots);
  if (c.tcdm_2d && r->tcdm_slot == (int)i)
    p->tcdm_slot = take_slot(&d->tcdm_slots);
  if ((c.ext_2d && r->ext_slot != (int)i) || (c.tcdm_2d && r->tcdm_slot != (int)i)) {
    bool loses = r->ext_slot == (int)i || r->tcdm_slot == (int)i; // the one place that it got
    p->moved = p->state != MCHAN_IDLE || loses;
    p->state = MCHAN_IDLE;
    return false;
  }
  c.ext_slot = p->ext_slot;
  c.tcdm_slot = p->tcdm_slot;
  c.id = p->id;
  c.port = (uint8_t)i;
  p->words.command[p->words.commands++] = c;
  p->needs_ext_2d |= c.ext_2d;
  p->needs_tcdm_2d |= c.tcdm_2d;
  p->barrier = true;
  p->owner = p->core;
  p->state = MCHAN_TCDM;
  return true;
}

// ---- words behind the command

static void write_row(struct mchan_slots *s, unsigned slot, uint32_t count, uint32_t stride) {
  s->row[slot] = (struct mchan_row){count & 0x1ffff, stride};
}

static bool take_count(struct mchan *d, struct mchan_port *p, bool ext) {
  if (ext && d->version == 6) { // one word holds both
    write_row(&d->ext_slots, p->ext_slot, p->data & 0xffff, p->data >> 16);
    p->ext_described = true;
    p->state = MCHAN_EXT_STRIDE_TAKEN;
    return true;
  }
  p->count = p->data;
  p->state = ext ? MCHAN_EXT_STRIDE : MCHAN_TCDM_STRIDE;
  return true;
}

static bool take_ext_stride(struct mchan *d, struct mchan_port *p) {
  write_row(&d->ext_slots, p->ext_slot, p->count, p->data);
  p->ext_described = true;
  p->state = MCHAN_EXT_STRIDE_TAKEN;
  return true;
}

static bool take_tcdm_stride(struct mchan *d, struct mchan_port *p) {
  write_row(&d->tcdm_slots, p->tcdm_slot, p->count, p->data);
  p->tcdm_described = true;
  p->state = MCHAN_LAST_TAKEN;
  return true;
}

static bool take_address(struct mchan *d, struct mchan_port *p) {
  struct mchan_words *w = &p->words;
  if (p->state == MCHAN_TCDM) {
    w->tcdm[w->tcdms++] = p->data & d->tcdm_mask;
    p->state = MCHAN_EXT;
  } else {
    w->ext[w->exts++] = p->data;
    p->state = MCHAN_EXT_TAKEN;
  }
  return true;
}

// A word that does not belong there ends the command.
static bool refuse(struct mchan_port *p, uint8_t state) {
  p->state = state;
  p->moved = true;
  return false;
}

static bool take_word(struct mchan *d, unsigned i, const struct round *r) {
  struct mchan_port *p = &d->port[i];
  bool word = writes_word(p);
  switch (p->state) {
  case MCHAN_COMMAND:
    if (p->words.had_commands == 2)
      return false;
    return word ? take_command(d, i, r) : refuse(p, MCHAN_IDLE);
  case MCHAN_TCDM:
    if (p->words.had_tcdms == 2)
      return false;
    return word ? take_address(d, p) : refuse(p, MCHAN_IDLE);
  case MCHAN_EXT:
    if (p->words.had_exts == 2)
      return false;
    return word ? take_address(d, p) : refuse(p, MCHAN_IDLE);
  case MCHAN_EXT_TAKEN:
    if (!word || (!p->needs_ext_2d && !p->needs_tcdm_2d))
      return refuse(p, MCHAN_BUSY);
    return take_count(d, p, p->needs_ext_2d);
  case MCHAN_EXT_STRIDE_TAKEN:
    return word && p->needs_tcdm_2d ? take_count(d, p, false) : refuse(p, MCHAN_BUSY);
  case MCHAN_EXT_COUNT:
    return word ? take_count(d, p, true) : refuse(p, MCHAN_IDLE);
  case MCHAN_EXT_STRIDE:
    return word ? take_ext_stride(d, p) : refuse(p, MCHAN_IDLE);
  case MCHAN_TCDM_COUNT:
    return word ? take_count(d, p, false) : refuse(p, MCHAN_IDLE);
  case MCHAN_TCDM_STRIDE:
    return word ? take_tcdm_stride(d, p) : refuse(p, MCHAN_BUSY);
  default:
    return false;
  }
}

// ---- a port that is idle

static bool take_idle(struct mchan *d, unsigned i, const struct round *r) {
  struct mchan_port *p = &d->port[i];
  if ((p->addr & 0xf) == PORT_STATUS) {
    if (p->write)
      d->freed |= (uint16_t)p->data;
    p->state = MCHAN_ANSWER;
    return true;
  }
  if (p->write)
    return p->words.had_commands < 2 && take_command(d, i, r);
  if (r->id != (int)i)
    return false;
  p->id = (uint8_t)lowest_free(d->allocated);
  d->allocated |= (uint16_t)(1u << p->id);
  p->state = MCHAN_COMMAND;
  return true;
}

static uint32_t status(const struct mchan *d) {
  uint32_t running = 0;
  for (unsigned id = 0; id < MCHAN_IDS; id++) {
    const struct mchan_sync *s = &d->sync[id];
    if (s->tcdm || s->ext || mchan_registers(d, id))
      running |= UINT32_C(1) << id;
  }
  return running | (uint32_t)d->allocated << 16;
}

static void answer(struct mchan *d, unsigned i, bool read_status, cycle_t now) {
  struct mchan_port *p = &d->port[i];
  uint32_t data = read_status ? status(d) : p->id;
  p->requested = false;
  if (i >= d->cores) {
    periph_respond(d->periph, p->plug, p->write ? 0 : data, now + 1);
    return;
  }
  if (!p->write)
    core_port(p->core)->acc.data = data;
  core_grant(p->core, now, now + 1);
}

static void look_at_plug(struct mchan *d, unsigned plug, cycle_t now) {
  struct mchan_port *p = &d->port[d->cores + plug];
  const struct periph_access *a = periph_offered(d->periph, PERIPH_DMA + plug, now);
  p->requested = a != NULL;
  if (!a)
    return;
  d->awake |= UINT32_C(1) << (d->cores + plug);
  p->addr = a->addr;
  p->data = a->data;
  p->write = a->write;
  p->plug = a->port;
  p->core = a->core;
}

static bool any_moved(const struct mchan *d) {
  for (uint32_t m = d->awake; m; m &= m - 1)
    if (d->port[__builtin_ctz(m)].moved)
      return true;
  return false;
}

// No transfer is under way, and none is about to be: whoever waits does so until another request
// comes.
static bool all_rest(const struct mchan *d) {
  return !d->channel[0].awake && !d->channel[1].awake && !d->queued && !d->queued_was && !d->live &&
         !any_moved(d) && !mchan_ports_active(d);
}

const char *mchan_stuck(const struct mchan *d) {
  for (unsigned i = 0; i < d->ports; i++) {
    const struct mchan_port *p = &d->port[i];
    if (reads_id(p) && d->allocated == d->ids && all_rest(d))
      return "a core waits for a transfer of the DMA, and nobody frees one (store its bit to +4); "
             "cluster.dma.transfers says how many there are";
    if (!begins_command(p) || !all_rest(d))
      continue;
    struct mchan_command c = decode(d, p->data);
    if ((c.ext_2d && d->ext_slots.busy == ALL_SLOTS) ||
        (c.tcdm_2d && d->tcdm_slots.busy == ALL_SLOTS))
      return "the DMA has lost its memory for 2D transfers, as the hardware does when ports ask at "
             "once for transfers that are 2D on both sides; let one core at a time start those";
  }
  return NULL;
}

void mchan_ports_step(void *self, cycle_t now) {
  struct mchan *d = self;
  look_at_plug(d, 0, now);
  look_at_plug(d, 1, now);
  struct round r = arbitrate_resources(d);
  uint32_t taken = 0, reads_status = 0;
  bool waiting = d->announced > now;
  for (unsigned i = 0; i < d->ports; i++) {
    struct mchan_port *p = &d->port[i];
    if (!p->requested)
      continue;
    bool idle = p->state == MCHAN_IDLE;
    if (idle && !p->write && (p->addr & 0xf) == PORT_STATUS)
      reads_status |= UINT32_C(1) << i;
    if (idle ? take_idle(d, i, &r) : take_word(d, i, &r)) {
      taken |= UINT32_C(1) << i;
      p->moved = true;
      if (i >= d->cores)
        periph_take(d->periph, PERIPH_DMA + i - d->cores, now);
    } else {
      waiting = true;
    }
  }
  bool freed = d->freed;
  d->allocated &= (uint16_t)~d->freed;
  d->freed = 0;
  for (unsigned plug = 0; plug < 2; plug++)
    if (periph_offered(d->periph, PERIPH_DMA + plug, now))
      waiting = true;
  if (waiting && (freed || d->announced > now || !all_rest(d)))
    engine_wake(d->engine, d->port_actor, now + 1);
  engine_wake(d->engine, d->actor, now + 1);
  for (uint32_t m = taken; m; m &= m - 1) {
    unsigned i = (unsigned)__builtin_ctz(m);
    answer(d, i, reads_status >> i & 1, now);
  }
}

// ---- the clock edge

// Where a port goes that took no word in this cycle.
static uint8_t idle_transition(const struct mchan *d, const struct mchan_port *p) {
  switch (p->state) {
  case MCHAN_ANSWER:
    return MCHAN_IDLE;
  case MCHAN_EXT_TAKEN:
    if (p->needs_ext_2d)
      return MCHAN_EXT_COUNT;
    return p->needs_tcdm_2d ? MCHAN_TCDM_COUNT : MCHAN_BUSY;
  case MCHAN_EXT_STRIDE_TAKEN:
    return p->needs_tcdm_2d ? MCHAN_TCDM_COUNT : MCHAN_BUSY;
  case MCHAN_LAST_TAKEN:
    return MCHAN_BUSY;
  case MCHAN_BUSY:
    return p->barrier ? MCHAN_BUSY : MCHAN_BUSY2;
  case MCHAN_BUSY2:
    return mchan_registers(d, p->id) ? MCHAN_IDLE : MCHAN_BUSY2;
  default:
    return p->state;
  }
}

static bool offers_command(const struct mchan_port *p) {
  const struct mchan_words *w = &p->words;
  if (!w->had_commands || !w->had_tcdms || !w->had_exts)
    return false;
  if (p->needs_tcdm_2d)
    return p->tcdm_described;
  return !p->needs_ext_2d || p->ext_described;
}

static struct mchan_command pop_command(struct mchan_words *w) {
  struct mchan_command c = w->command[0];
  c.tcdm = w->tcdm[0];
  c.ext = w->ext[0];
  w->command[0] = w->command[1];
  w->tcdm[0] = w->tcdm[1];
  w->ext[0] = w->ext[1];
  w->commands--, w->tcdms--, w->exts--;
  return c;
}

static void tell(const struct mchan *d, const struct mchan_command *c, cycle_t now) {
  const struct mchan_row ext = mchan_ext_row(d, c), tcdm = mchan_tcdm_row(d, c);
  if (d->observe_command)
    d->observe_command(d->observe_self, c, &ext, &tcdm, now);
}

static void pass_command(struct mchan *d, cycle_t now) {
  uint32_t offers = 0;
  for (uint32_t m = d->awake; m; m &= m - 1)
    if (offers_command(&d->port[__builtin_ctz(m)]))
      offers |= m & -m;
  if (!offers || d->queued_was == (unsigned)__builtin_popcount(d->ids))
    return;
  int i = arbitrate(d, offers, &d->command_pointer);
  struct mchan_port *p = &d->port[i];
  struct mchan_command c = pop_command(&p->words);
  struct mchan_channel *ch = &d->channel[c.to_tcdm];
  ch->queue[(ch->queue_first + ch->queue_count++) % MCHAN_QUEUE] = c;
  ch->awake = true;
  d->queued++;
  struct mchan_sync *s = &d->sync[c.id];
  s->event = c.event, s->irq = c.irq, s->broadcast = c.broadcast, s->port = (uint8_t)i;
  s->owner = p->owner;
  s->unsplit += c.len + 1;
  tell(d, &c, now);
  for (unsigned k = 0; k < d->ports; k++)
    if (d->port[k].id == c.id)
      d->port[k].barrier = false;
}

// Nothing but a request can change anything in this port.
static bool port_rests(const struct mchan_port *p) {
  const struct mchan_words *w = &p->words;
  return p->state == MCHAN_IDLE && !p->requested && !p->needs_ext_2d && !p->needs_tcdm_2d &&
         !w->commands && !w->tcdms && !w->exts;
}

static void end_cycle(struct mchan_port *p) {
  if (p->ext_described)
    p->needs_ext_2d = false;
  if (p->tcdm_described)
    p->needs_tcdm_2d = false;
  p->ext_described = p->tcdm_described = false;
  p->words.had_commands = p->words.commands;
  p->words.had_tcdms = p->words.tcdms;
  p->words.had_exts = p->words.exts;
}

void mchan_ports_edge(struct mchan *d, cycle_t now) {
  for (uint32_t m = d->awake; m; m &= m - 1) {
    struct mchan_port *p = &d->port[__builtin_ctz(m)];
    if (!p->moved)
      p->state = idle_transition(d, p);
    p->moved = false;
  }
  if (d->awake)
    pass_command(d, now);
  for (uint32_t m = d->awake; m; m &= m - 1) {
    struct mchan_port *p = &d->port[__builtin_ctz(m)];
    end_cycle(p);
    if (port_rests(p))
      d->awake &= ~(m & -m);
  }
}

bool mchan_ports_active(const struct mchan *d) {
  for (uint32_t m = d->awake; m; m &= m - 1) {
    const struct mchan_port *p = &d->port[__builtin_ctz(m)];
    uint8_t s = p->state;
    if (offers_command(p) || s == MCHAN_ANSWER || s >= MCHAN_LAST_TAKEN || s == MCHAN_EXT_TAKEN ||
        s == MCHAN_EXT_STRIDE_TAKEN)
      return true;
  }
  return d->queued != 0;
}
