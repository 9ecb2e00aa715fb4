#include "core/core_group.h"

#include "cluster/tcdm.h"
#include "core/exec.h"
#include "core/exec_slow.h"
#include "core/run.h"

// Sets of the group's cores: bit i is core[i], which is port i of the TCDM.
typedef uint32_t members;

static inline members members_of(uint64_t actors) {
  return (members)(actors >> ENGINE_CORES);
}

static inline unsigned first_of(members m) {
  return (unsigned)__builtin_ctz(m);
}

// Of a core that may have to wait, for the first time: whether it may. Else the cycle model makes
// the access.
static bool may_wait(struct core *c, cycle_t now) {
  if (!c->host->resident || c->phase == CORE_WAIT)
    return true;
  exec_describe_asked(c);
  if (!core_must_not_wait(c))
    return true;
  core_leave_at_access(c, now);
  return false;
}

// The request is described for those who look at it.
static inline void wait(struct core *c) {
  if (c->phase == CORE_WAIT)
    return;
  exec_describe_asked(c);
  c->phase = CORE_WAIT;
  c->wait_cause = CAUSE_TCDM_CONFLICT;
}

static void post(struct core_group *g, members m) {
  for (; m; m &= m - 1) {
    struct core *c = &g->core[first_of(m)];
    wait(c);
    tcdm_post(g->tcdm, c->index, c->asked);
  }
}

static members decide_contests(struct core_group *g, members contesting, cycle_t now) {
  members winners = tcdm_decide_contests(g->tcdm, now);
  for (members m = contesting & ~winners; m; m &= m - 1) {
    struct core *c = &g->core[first_of(m)];
    wait(c);
    engine_promise(g->engine, c->actor_bit, now + 1, tcdm_bank_bit(c->asked_bank));
  }
  return winners;
}

// Where only cores ask for a bank, it is decided now, and who loses asks again. Where others do,
// or may, the requests are left to the arbiter, which comes later in this cycle. Returns those that
// win.
static members contest(struct core_group *g, members asking, cycle_t now) {
  struct tcdm *t = g->tcdm;
  uint64_t posted = tcdm_posted(t);
  members posting = 0;
  for (members m = asking; m; m &= m - 1) {
    unsigned bank = g->core[first_of(m)].asked_bank;
    if (t->wide.asks || (tcdm_bank_bit(bank) & posted) || tcdm_is_held(t, bank, now))
      posting |= m & -m;
    else
      tcdm_contest(t, first_of(m), bank);
  }
  post(g, posting);
  return asking == posting ? 0 : decide_contests(g, asking & ~posting, now);
}

// Some of the banks that are asked for are `contended`, or held. Takes those who want them out of
// `asking` and returns who of them gets one.
static members settle(struct core_group *g, members *asking, uint64_t contended, cycle_t now) {
  members taken = 0, waiting = 0;
  for (members m = *asking; m; m &= m - 1) {
    struct core *c = &g->core[first_of(m)];
    if (!(tcdm_bank_bit(c->asked_bank) & contended) && !tcdm_is_held(g->tcdm, c->asked_bank, now))
      continue;
    taken |= m & -m;
    if (may_wait(c, now))
      waiting |= m & -m;
  }
  *asking &= ~taken;
  return contest(g, waiting, now);
}

static inline void run_winner(struct core *c, cycle_t now, cycle_t limit) {
  c->limit = limit;
  if (c->t == now)
    exec_go_on_granted(c, now);
  else // it has waited
    core_served(c, now);
}

// All that ask have promised to. Banks decide independently: where one core asks and nobody else
// does, it is granted at once. No winner goes on before all requests are made. (A core's horizon is
// past where it asks.)
static inline void decide(struct core_group *g, struct engine_slot *slot, cycle_t now, bool alone) {
  struct tcdm *t = g->tcdm;
  members asking = members_of(slot->promised), winners = 0;
  uint64_t wanted = slot->wants, contended = slot->clashes;
  slot->promised = slot->wants = slot->clashes = 0;
  if (__builtin_expect(slot->actors != 0, 0)) // the arbiter is one of them if anything is posted
    contended |= tcdm_posted(t);
  if (__builtin_expect((contended & wanted) || tcdm_holds(t, now), 0))
    winners = settle(g, &asking, contended, now);
  cycle_t limit = core_limit(now, 0);
  if (alone && asking) {
    struct core *c = &g->core[first_of(asking)];
    c->horizon = core_quiet_until(c);
    limit = core_limit(now, c->horizon);
  }
  for (members m = asking; m; m &= m - 1) {
    unsigned i = first_of(m);
    struct core *c = &g->core[i];
    tcdm_grant_alone(t, i, c->asked_bank);
    run_winner(c, now, limit);
  }
  for (members m = winners; m; m &= m - 1)
    run_winner(&g->core[first_of(m)], now, limit);
}

// Those that have not promised to ask. Whoever does so nevertheless joins those that have.
static void step_others(struct core_group *g, struct engine_slot *slot, cycle_t now, bool alone) {
  uint64_t actors = slot->actors & g->engine->group;
  slot->actors &= ~actors;
  for (members m = members_of(actors); m; m &= m - 1) {
    struct core *c = &g->core[first_of(m)];
    g->engine->when[c->actor] = CYCLE_NEVER;
    if (c->phase == CORE_ASKS)
      engine_join(slot, c->actor_bit, tcdm_bank_bit(c->asked_bank));
    else
      core_step(c, now, alone);
  }
}

static bool is_one(uint64_t actors) {
  return !(actors & (actors - 1));
}

static void step_group(void *self, struct engine_slot *slot, cycle_t now) {
  struct core_group *g = self;
  struct engine *e = g->engine;
  do {
    uint64_t others = slot->actors & e->group;
    bool alone = is_one(slot->promised | others);
    if (__builtin_expect(others != 0, 0))
      step_others(g, slot, now, alone);
    if (slot->promised)
      decide(g, slot, now, alone);
    slot = engine_next_of_group(e);
    now = e->now;
  } while (slot);
}

// Each core has its own data memory.
static void step_separate(void *self, struct engine_slot *slot, cycle_t now) {
  const struct core_group *g = self;
  step_others(self, slot, now, is_one(slot->actors & g->engine->group));
}

static void granted(void *self, unsigned port, cycle_t now) {
  (void)port;
  core_served(self, now);
}

void core_group_attach(struct core_group *g) {
  uint64_t actors = 0;
  for (unsigned i = 0; i < g->count; i++) {
    actors |= UINT64_C(1) << g->core[i].actor;
    if (g->tcdm)
      tcdm_attach(g->tcdm, i, granted, &g->core[i]);
  }
  engine_set_group(g->engine, actors, g->tcdm ? step_group : step_separate, g);
}
