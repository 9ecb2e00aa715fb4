// The control registers (hier_icache_ctrl_unit).
#include "cluster/icache_units.h"

enum {
  ENABLE = 0x00,
  FLUSH = 0x04,
  FLUSH_PRIVATE = 0x08,
  FLUSH_SET = 0x0c,
  CLEAR = 0x10,
  COUNT = 0x14,
  PREFETCH = 0x1c,
  COUNTERS = 0x30,
};

static uint32_t all_cores(const struct icache *ic) {
  return (UINT32_C(1) << ic->params.cores) - 1;
}
static uint32_t all_banks(const struct icache *ic) {
  return (UINT32_C(1) << ic->params.shared_banks) - 1;
}

void icache_control_drive(const struct icache *ic, struct icache_wires *w) {
  const struct icache_control *c = &ic->control;
  w->bypass = !c->enable;
  if (c->state == ICACHE_CONTROL_FLUSH) {
    w->flush_private = all_cores(ic) & ~c->private_mask;
    w->flush_bank = all_banks(ic) & ~c->bank_mask;
  } else if (c->state == ICACHE_CONTROL_FLUSH_SET) {
    w->flush_set_private = all_cores(ic) & ~c->private_mask;
    w->flush_set_bank = all_banks(ic) & ~c->bank_mask;
  }
}

static void done(struct icache *ic, uint32_t data, cycle_t now) {
  ic->control.state = ICACHE_CONTROL_IDLE;
  ic->control_free = now + 1;
  periph_respond(ic->periph, ic->control.port, data, now + 1);
}

static bool complete(const struct icache *ic) {
  const struct icache_control *c = &ic->control;
  return c->private_mask == all_cores(ic) && c->bank_mask == all_banks(ic);
}

void icache_control_edge(struct icache *ic, const struct icache_wires *w, cycle_t now) {
  struct icache_control *c = &ic->control;
  uint32_t banks = all_banks(ic);
  bool is_complete = complete(ic);
  switch (c->state) {
  case ICACHE_CONTROL_ENABLE:
    if (!(w->bypassed | c->private_mask) && (w->bank_enabled | c->bank_mask) == banks)
      done(ic, 0, now);
    c->private_mask &= w->bypassed;
    c->bank_mask |= w->bank_enabled;
    break;
  case ICACHE_CONTROL_DISABLE:
    c->private_mask |= w->bypassed;
    c->bank_mask |= w->bank_disabled;
    if (complete(ic))
      done(ic, 0, now);
    break;
  case ICACHE_CONTROL_FLUSH:
    if (is_complete)
      done(ic, 0, now);
    c->private_mask |= w->flushed;
    c->bank_mask |= w->bank_flushed;
    break;
  case ICACHE_CONTROL_FLUSH_SET:
    if (is_complete)
      done(ic, c->answer, now);
    c->private_mask |= w->set_flushed;
    c->bank_mask |= w->bank_set_flushed;
    break;
  case ICACHE_CONTROL_COUNTERS:
    done(ic, 0, now);
    break;
  default:
    break;
  }
}

static uint32_t read_counter(const struct icache *ic, uint32_t index) {
  struct icache_counters sum = {0, 0, 0};
  bool private = index < 4;
  unsigned units = private ? ic->params.cores : ic->params.shared_banks;
  for (unsigned i = 0; i < units; i++) {
    const struct icache_counters *c = private ? &ic->core[i].count : &ic->bank[i].count;
    sum.fetches += c->fetches, sum.hits += c->hits, sum.misses += c->misses;
  }
  switch (index % 4) {
  case 0:
    return sum.hits;
  case 1:
    return sum.fetches;
  case 2:
    return sum.misses;
  default:
    return 0;
  }
}

static uint32_t read(const struct icache *ic, uint32_t offset) {
  const struct icache_control *c = &ic->control;
  switch (offset) {
  case ENABLE:
    return c->enable ? all_cores(ic) | all_banks(ic) << ic->params.cores : 0;
  case FLUSH:
    return 0;
  case FLUSH_SET:
    return c->flush_address;
  case COUNT:
    return c->counting ? all_cores(ic) | all_banks(ic) << ic->params.cores : 0;
  case PREFETCH:
    return c->prefetch;
  default:
    break;
  }
  if (offset >= COUNTERS && offset < COUNTERS + 32)
    return read_counter(ic, (offset - COUNTERS) / 4);
  return 0xdeadca5e; // what the RTL answers
}

static void clear_counters(struct icache *ic) {
  for (unsigned i = 0; i < ic->params.cores; i++)
    ic->core[i].count = (struct icache_counters){0, 0, 0};
  for (unsigned i = 0; i < ic->params.shared_banks; i++)
    ic->bank[i].count = (struct icache_counters){0, 0, 0};
}

static void start_flush(struct icache *ic, bool private, bool banks, bool one_set) {
  struct icache_control *c = &ic->control;
  c->state = one_set ? ICACHE_CONTROL_FLUSH_SET : ICACHE_CONTROL_FLUSH;
  c->answer = 0;
  c->private_mask = private ? 0 : all_cores(ic);
  c->bank_mask = banks ? 0 : all_banks(ic);
}

static void write(struct icache *ic, uint32_t offset, uint32_t data, cycle_t now) {
  struct icache_control *c = &ic->control;
  bool bit = data & 1;
  switch (offset) {
  case ENABLE:
    c->private_mask = c->enable ? 0 : all_cores(ic);
    c->bank_mask = c->enable == bit ? all_banks(ic) : 0;
    c->state = bit ? ICACHE_CONTROL_ENABLE : ICACHE_CONTROL_DISABLE;
    c->enable = bit;
    return;
  case FLUSH:
    start_flush(ic, bit, bit, false);
    return;
  case FLUSH_PRIVATE:
    start_flush(ic, bit, false, false);
    return;
  case FLUSH_SET:
    c->flush_address = data;
    start_flush(ic, true, true, true);
    return;
  case CLEAR:
    clear_counters(ic);
    c->state = ICACHE_CONTROL_COUNTERS;
    return;
  case COUNT:
    c->counting = bit;
    for (unsigned i = 0; i < ic->params.cores; i++)
      ic->core[i].lines.epoch += CODE_EPOCH;
    c->state = ICACHE_CONTROL_COUNTERS;
    return;
  case PREFETCH:
    c->prefetch = data & all_cores(ic);
    for (unsigned i = 0; i < ic->params.cores; i++)
      ic->core[i].lines.epoch += CODE_EPOCH;
    ic->control_free = now + 1;
    periph_respond(ic->periph, c->port, 0, now + 1);
    return;
  default:
    ic->control_free = now + 1;
    periph_fault(ic->periph, c->port, now);
    return;
  }
}

// What switches the prefetchers is answered at once, and does not keep the next one waiting.
static bool answered_at_once(const struct icache *ic, cycle_t now) {
  return ic->posted_at < now && (ic->posted.addr & 0xfc) == PREFETCH;
}

// In the cycle in which the flush of a set is complete, the next access is granted, too.
static bool takes_answer(const struct icache *ic) {
  return ic->control.state == ICACHE_CONTROL_FLUSH_SET && complete(ic);
}

static bool ready(const void *self, unsigned port, cycle_t now) {
  (void)port;
  const struct icache *ic = self;
  return now >= ic->control_free || answered_at_once(ic, now) || takes_answer(ic);
}

// Whether a store may change what a fetch meets, or whether it is counted.
static bool upsets(const struct icache *ic, uint32_t offset, uint32_t data) {
  const struct icache_control *c = &ic->control;
  switch (offset) {
  case ENABLE:
    return c->enable && !(data & 1);
  case FLUSH:
  case FLUSH_PRIVATE:
    return data & 1;
  case COUNT:
    return c->counting != (data & 1);
  case PREFETCH:
    return c->prefetch != (data & all_cores(ic));
  default:
    return offset == FLUSH_SET;
  }
}

// Granted in `now`; what it changes is seen from the next cycle on.
static void access(void *self, const struct periph_access *a, cycle_t now) {
  struct icache *ic = self;
  if (takes_answer(ic)) { // nothing is done of it, and who has flushed is never answered
    ic->control.port = a->port;
    ic->control.answer = a->write ? 0 : read(ic, a->addr & 0xfc);
    ic->control.lost_answer = true;
    return;
  }
  icache_control_begin(ic, now);
  if (!a->write) {
    periph_respond(ic->periph, a->port, read(ic, a->addr & 0xfc), now + 1);
    return;
  }
  if (ic->upsets && upsets(ic, a->addr & 0xfc, a->data))
    ic->upsets(ic->self, now);
  ic->posted = *a;
  ic->posted_at = now;
  ic->alone = 0;
  for (unsigned i = 0; i < ic->params.cores; i++)
    icache_private_wait(ic, i, now + 1);
  ic->control_free = CYCLE_NEVER;
  engine_wake(ic->engine, ic->actor, now + 1);
}

// A store granted in the cycle before takes effect.
void icache_control_begin(struct icache *ic, cycle_t now) {
  if (ic->posted_at == CYCLE_NEVER || ic->posted_at >= now)
    return;
  ic->posted_at = CYCLE_NEVER;
  ic->control.port = ic->posted.port;
  write(ic, ic->posted.addr & 0xfc, ic->posted.data, now - 1);
}

const char *icache_stuck(const struct icache *ic) {
  return ic->control.lost_answer
             ? "the instruction cache's control unit has given the answer to a flush of a set to "
               "another core, as the hardware does when it is asked for anything meanwhile; let "
               "one "
               "core flush, and the others wait"
             : NULL;
}

void icache_connect(struct icache *ic, struct periph *periph) {
  ic->periph = periph;
  periph_attach(periph, PERIPH_ICACHE,
                (struct periph_slave){.self = ic, .ready = ready, .access = access});
}
