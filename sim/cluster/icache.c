#include "cluster/icache.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/icache_units.h"

static engine_step step;

static bool init_tags(struct icache *ic) {
  const struct icache_params *p = &ic->params;
  unsigned private_sets = p->private_size / p->line / p->private_ways;
  unsigned shared_sets = p->shared_size / p->line / p->shared_banks / p->shared_ways;
  if (!private_sets || !shared_sets)
    return false;
  ic->tag_count = (size_t)p->cores * private_sets * p->private_ways +
                  (size_t)p->shared_banks * shared_sets * p->shared_ways;
  uint32_t *next = ic->tags = calloc(ic->tag_count, sizeof *next);
  if (!next)
    return false;
  for (unsigned i = 0; i < p->cores; i++)
    next = icache_tags_init(&ic->core[i].tags, private_sets, p->private_ways, next);
  for (unsigned i = 0; i < p->shared_banks; i++)
    next = icache_tags_init(&ic->bank[i].tags, shared_sets, p->shared_ways, next);
  return true;
}

static void update_cores(struct icache *ic) {
  icache_update_alone(ic);
  for (unsigned i = 0; i < ic->params.cores; i++)
    icache_private_update(ic, i);
}

bool icache_init(struct icache *ic, struct engine *e, unsigned actor,
                 const struct icache_params *params, struct l2_port memory) {
  memset(ic, 0, sizeof *ic);
  ic->engine = e;
  ic->actor = actor;
  ic->params = *params;
  ic->beats = params->line / 8;
  ic->bank_shift = (unsigned)__builtin_ctz(params->shared_banks);
  ic->line_shift = (unsigned)__builtin_ctz(params->line);
  ic->memory = memory;
  ic->posted_at = ic->begun_at = CYCLE_NEVER;
  ic->control.enable = params->enabled;
  ic->control.prefetch = params->prefetch ? (UINT32_C(1) << params->cores) - 1 : 0;
  for (unsigned i = 0; i < params->cores; i++) {
    ic->core[i].state = params->enabled ? PRIVATE_IDLE : PRIVATE_OFF;
    if (params->enabled && params->prefetch) {
      ic->core[i].prefetch.state = PREFETCH_IDLE;
      ic->prefetchers |= UINT32_C(1) << i;
    }
    ic->core[i].prefetch.way = -1;
    ic->core[i].lines.line_shift = (uint8_t)ic->line_shift;
  }
  update_cores(ic);
  for (unsigned i = 0; i < params->shared_banks; i++)
    icache_bank_init(ic, i);
  engine_add(e, actor, step, ic);
  return init_tags(ic);
}

void icache_free(struct icache *ic) {
  free(ic->tags);
}

// The private caches that have taken a fetch in this cycle already.
static uint32_t begun(const struct icache *ic, cycle_t now) {
  return ic->begun_at == now ? ic->begun : 0;
}

static enum icache_answer fetch_at_once(struct icache *ic, unsigned core, uint32_t addr) {
  cycle_t now = ic->engine->now;
  if (icache_private_holds(ic, core, addr)) {
    ic->core[core].requested = false;
    icache_private_update(ic, core);
    return ICACHE_HIT;
  }
  icache_private_begin(ic, core, addr);
  ic->begun = begun(ic, now) | UINT32_C(1) << core;
  ic->begun_at = now;
  engine_wake(ic->engine, ic->actor, now + 1);
  return ICACHE_MISS;
}

// In the cycle in which the line comes that has been written ahead, a fetch is refused. What hits
// asks itself in the next one; for others the states are stepped after all.
static bool is_too_early(struct icache *ic, unsigned core, uint32_t addr) {
  cycle_t now = ic->engine->now;
  if (!icache_written_ahead(&ic->core[core], now + 1))
    return false;
  if (icache_private_holds(ic, core, addr))
    return true;
  icache_private_wait(ic, core, now);
  engine_wake(ic->engine, ic->actor, now);
  return false;
}

enum icache_answer icache_fetch(struct icache *ic, unsigned core, uint32_t addr) {
  struct icache_private *p = &ic->core[core];
  bool alone = ic->alone >> core & 1;
  if (is_too_early(ic, core, addr))
    return ICACHE_REFUSED;
  if (alone && icache_takes_fetch(p))
    return fetch_at_once(ic, core, addr);
  if (begun(ic, ic->engine->now) >> core & 1) {
    assert(addr == p->addr);
    return ICACHE_MISS;
  }
  p->requested = true;
  p->wanted = addr;
  if (alone && p->state >= PRIVATE_IDLE && p->state < PRIVATE_FLUSH)
    return ICACHE_REFUSED; // it waits for what is under way
  icache_private_update(ic, core);
  engine_wake(ic->engine, ic->actor, ic->engine->now);
  return ICACHE_OPEN;
}

// The control unit begins to act in this cycle: what hit in the one before is being answered.
static void answer_hits(struct icache *ic, cycle_t now) {
  for (unsigned i = 0; i < ic->params.cores; i++) {
    struct icache_private *p = &ic->core[i];
    if (p->state != PRIVATE_IDLE || !ic->answered(ic->self, i, now))
      continue;
    p->state = PRIVATE_LOOKUP;
    p->busy = p->valid = true;
  }
}

// The next cycle in which anything changes by itself.
static cycle_t next_change(const struct icache *ic, cycle_t now) {
  if (ic->control.state != ICACHE_CONTROL_IDLE || ic->posted_at != CYCLE_NEVER)
    return now + 1;
  if (ic->active || ic->busy_banks)
    return now + 1;
  if (!ic->transfers)
    return CYCLE_NEVER;
  cycle_t t = ic->transfer[0].first + ic->transfer[0].beat;
  return t > now ? t : now + 1;
}

static void tell_cores(struct icache *ic, const struct icache_wires *w, cycle_t now) {
  for (uint32_t m = w->fetch_granted; m; m &= m - 1)
    ic->granted(ic->self, (unsigned)__builtin_ctz(m), now);
  for (uint32_t m = w->valid; m; m &= m - 1) {
    unsigned i = (unsigned)__builtin_ctz(m);
    ic->valid(ic->self, i, ic->core[i].addr, now + 1);
  }
}

static uint32_t all_units(unsigned units) {
  return (UINT32_C(1) << units) - 1;
}

static void step_banks(struct icache *ic, struct icache_wires *w) {
  uint32_t banks = ic->busy_banks;
  if (w->controlled)
    banks = all_units(ic->params.shared_banks);
  for (uint32_t m = banks; m; m &= m - 1)
    icache_bank_cycle(ic, (unsigned)__builtin_ctz(m), w);
}

// The control unit acts, or begins to do so.
static bool is_controlled(const struct icache *ic, cycle_t now) {
  return ic->control.state != ICACHE_CONTROL_IDLE || ic->posted_at < now;
}

static void begin_control(struct icache *ic, struct icache_wires *w, cycle_t now) {
  if (ic->posted_at < now)
    answer_hits(ic, now);
  icache_control_begin(ic, now);
  icache_control_drive(ic, w);
}

// The private caches in which something may happen in this cycle, whatever the banks do.
static uint32_t cores_to_step(const struct icache *ic, bool controlled, cycle_t now) {
  if (controlled)
    return all_units(ic->params.cores);
  return (ic->active | ic->prefetchers) & ~begun(ic, now);
}

static void end_cycle(struct icache *ic, struct icache_wires *w, cycle_t now) {
  if (w->controlled) {
    icache_control_edge(ic, w, now);
    update_cores(ic);
  }
  if (ic->arrived >= 0) {
    ic->bank[ic->arrived].line_ready = true;
    icache_bank_update(ic, (unsigned)ic->arrived);
  }
  tell_cores(ic, w, now);
}

static void step_cycle(struct icache *ic, struct icache_wires *w, uint32_t cores, cycle_t now) {
  for (uint32_t m = cores; m; m &= m - 1)
    icache_private_request(ic, (unsigned)__builtin_ctz(m), w);
  icache_bus_cycle(ic, now);
  step_banks(ic, w);
  cores |= w->granted;
  for (uint32_t m = cores; m; m &= m - 1)
    icache_private_edge(ic, (unsigned)__builtin_ctz(m), w);
  for (uint32_t m = w->answered & ~cores; m; m &= m - 1)
    icache_private_answered(ic, (unsigned)__builtin_ctz(m), w);
  end_cycle(ic, w, now);
}

__attribute__((flatten)) static void step(void *self, cycle_t now) {
  struct icache *ic = self;
  struct icache_wires w = {.controlled = is_controlled(ic, now), .bypass = !ic->control.enable};
  if (w.controlled)
    begin_control(ic, &w, now);
  uint32_t cores = cores_to_step(ic, w.controlled, now);
  if (cores || ic->busy_banks || ic->transfers) // who was to be served may have been so already
    step_cycle(ic, &w, cores, now);
  cycle_t next = next_change(ic, now);
  if (next != CYCLE_NEVER)
    engine_wake(ic->engine, ic->actor, next);
}
