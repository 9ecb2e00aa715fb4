#include "core/core_group.h"

#include "cluster/tcdm.h"
#include "core/clocked.h"
#include "core/exec.h"
#include "core/exec_slow.h"
#include "core/run.h"

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

// Sets of the group's cores: bit i is core[i], which is port i of the TCDM.
typedef uint32_t members;

static inline members members_of(uint64_t actors) {
  return (members)(actors >> ENGINE_CORES);
}

static inline bool is_one(uint64_t actors) {
  return actors && !(actors & (actors - 1));
}

static inline unsigned first_of(members m) {
  return (unsigned)__builtin_ctzll(m); // of 64 bits, or it is extended to them
}

// The core's group has asked for it in vain: it waits from the cycle on in which it asked first.
static inline void lose(struct core *c) {
  c->acc.since = c->t;
  c->acc.split = false;
  c->phase = CORE_WAIT;
}

// The bank that a core asks for.
static inline uint64_t asked_bit(const struct core *c) {
  return tcdm_bank_bit(c->asked_bank);
}

// The banks that more than one of `asking` asks for.
static inline uint64_t met_at(const struct core_group *g, members asking) {
  uint64_t once = 0, again = 0;
  for (members m = asking; m; m &= m - 1) {
    uint64_t bit = asked_bit(g->member[first_of(m)]);
    again |= once & bit;
    once |= bit;
  }
  return again;
}

// Those of `asking` whose bank is in `banks`: without a branch, which nobody could predict.
static inline members who_ask_for(const struct core_group *g, members asking, uint64_t banks) {
  members found = 0;
  for (members m = asking; m; m &= m - 1)
    found |= (members)((asked_bit(g->member[first_of(m)]) & banks) != 0) << first_of(m);
  return found;
}

static __attribute__((noinline)) void post(struct core_group *g, members asking, cycle_t now) {
  for (members m = asking; m; m &= m - 1) {
    struct core *c = g->member[first_of(m)];
    if (c->phase == CORE_CLOCKED) {
      clocked_contested(c, now);
      continue;
    }
    lose(c);
    exec_describe_asked(c); // for who serves it
    tcdm_post(g->tcdm, c->index, c->asked);
  }
}

// Of cores that alone ask for their banks. Who loses asks again.
static members contest(struct core_group *g, members asking, cycle_t now) {
  members winners = 0;
  for (members rest = asking; rest;) {
    uint32_t bank = g->member[first_of(rest)]->asked_bank;
    members rivals = 0;
    for (members m = rest; m; m &= m - 1)
      rivals |= g->member[first_of(m)]->asked_bank == bank ? m & -m : 0;
    winners |= tcdm_contest(g->tcdm, bank, rivals);
    rest ^= rivals;
  }
  for (members m = asking & ~winners; m; m &= m - 1) {
    struct core *c = g->member[first_of(m)];
    if (c->phase == CORE_CLOCKED) {
      clocked_lost(c, now);
      continue;
    }
    lose(c);
    engine_promise(g->engine, c->actor_bit, now + 1, asked_bit(c));
  }
  return winners;
}

static inline void run_winner(struct core *c, cycle_t now, cycle_t limit) {
  c->limit = limit;
  if (likely(c->t == now))
    exec_go_on_granted(c, now);
  else
    core_served_late(c, now);
}

// Of cores that may have to wait: those that the cycle model drives, and that have more to ask for,
// ask the arbiter. Those that have to leave folded execution before they wait for the first time do
// so: `may_leave`. Returns the others.
static inline members leave_others(struct core_group *g, members asking, bool may_leave,
                                   cycle_t now) {
  members others = asking;
  for (members m = asking; m; m &= m - 1) {
    struct core *c = g->member[first_of(m)];
    if (c->phase == CORE_CLOCKED) {
      if (clocked_can_lose(c))
        continue;
      clocked_contested(c, now);
    } else {
      if (!may_leave || c->phase == CORE_WAIT || !exec_must_not_wait(c))
        continue;
      exec_describe_asked(c);
      core_leave_at_access(c, now);
    }
    others &= ~(m & -m);
  }
  return others;
}

// Banks for which not only cores ask that have promised to.
static inline uint64_t wanted_by_others(const struct tcdm *t, cycle_t now) {
  return t->wide.asks ? UINT64_MAX : t->posted | tcdm_held(t, now);
}

// `taken` ask for banks that others ask for, or may ask for. Where those are cores, it is decided
// now, and the winners go on. Else the requests are left to the arbiter, which comes later in this
// cycle.
static __attribute__((noinline)) void settle(struct core_group *g, members taken, cycle_t now) {
  struct tcdm *t = g->tcdm;
  taken = leave_others(g, taken, core_may_have_to_leave(g->core), now);
  uint64_t others = wanted_by_others(t, now);
  members posting = others ? who_ask_for(g, taken, others) : 0;
  if (posting)
    post(g, posting, now);
  members winners = taken == posting ? 0 : contest(g, taken & ~posting, now);
  for (members m = winners; m; m &= m - 1)
    run_winner(g->member[first_of(m)], now, core_limit(g->engine, now, 0));
}

// The only core that acts in this cycle, which asks, need not ask again until somebody else may
// act.
static __attribute__((noinline)) cycle_t look_ahead(struct core *c, cycle_t now) {
  c->horizon = core_quiet_until(c);
  return core_limit(c->engine, now, c->horizon);
}

static inline __attribute__((always_inline)) void grant(const struct core_group *g, members asking,
                                                        cycle_t now, cycle_t limit,
                                                        enum tcdm_arbiter arbiter) {
  struct tcdm *t = g->tcdm;
  members m = asking;
  do {
    struct core *c = g->member[first_of(m)];
    if (arbiter == TCDM_LIC)
      tcdm_grant_alone_lic(t, c->asked_bank, first_of(m));
    else
      tcdm_grant_alone_xbar(t, c->asked_bank);
    run_winner(c, now, limit);
  } while (m &= m - 1);
}

// All that ask have promised to. Banks decide independently: where one core asks and nobody else
// does, it is granted at once. No winner goes on before all requests are made. (A core's horizon is
// past where it asks.) `others`: who else acts in this cycle, or has done so.
static inline void decide(struct core_group *g, cycle_t now, uint64_t others) {
  struct engine *e = g->engine;
  unsigned s = (unsigned)(now % ENGINE_WHEEL);
  members asking = members_of(e->promised[s]);
  int cores = __builtin_popcount(asking);
  uint64_t wanted = e->wants[s], contended = 0;
  e->promised[s] = e->wants[s] = 0;
  if (unlikely(__builtin_popcountll(wanted) != cores))
    contended = met_at(g, asking);
  if (unlikely(others != 0) && e->others[s]) // the arbiter is one of them if anybody else asks
    contended |= wanted_by_others(g->tcdm, now) & wanted;
  cycle_t limit = core_limit(e, now, 0);
  if (unlikely(contended != 0)) {
    members taken = who_ask_for(g, asking, contended);
    settle(g, taken, now);
    asking ^= taken;
    if (!asking)
      return;
  } else if (unlikely(cores == 1) && !(others & e->group)) {
    limit = look_ahead(g->member[first_of(asking)], now);
  }
  if (likely(g->tcdm->arbiter == TCDM_LIC))
    grant(g, asking, now, limit, TCDM_LIC);
  else
    grant(g, asking, now, limit, TCDM_XBAR);
}

// Those that have not promised to ask. Whoever does so nevertheless joins those that have.
static void step_others(struct core_group *g, cycle_t now, bool alone) {
  struct engine *e = g->engine;
  unsigned s = (unsigned)(now % ENGINE_WHEEL);
  uint64_t actors = e->others[s] & e->group;
  e->others[s] &= ~actors;
  for (members m = members_of(actors); m; m &= m - 1) {
    struct core *c = g->member[first_of(m)];
    e->when[c->actor] = CYCLE_NEVER;
    if (c->phase == CORE_ASKS || core_step(c, now, alone))
      engine_join(e, s, c->actor_bit, asked_bit(c));
  }
}

static void step_shared(void *self, cycle_t now) {
  struct core_group *g = self;
  struct engine *e = g->engine;
  do {
    now = e->now;
    unsigned s = (unsigned)(now % ENGINE_WHEEL);
    uint64_t others = e->others[s];
    if (unlikely(others != 0))
      step_others(g, now, is_one(e->promised[s] | (others & e->group)));
    if (likely(e->promised[s] != 0))
      decide(g, now, others);
  } while (engine_next_of_group(e));
}

// Each core has its own data memory.
static void step_separate(void *self, cycle_t now) {
  const struct core_group *g = self;
  step_others(self, now, is_one(g->engine->others[now % ENGINE_WHEEL] & g->engine->group));
}

static void granted(void *self, uint32_t ports, cycle_t now) {
  (void)ports;
  core_served(self, now);
}

void core_group_attach(struct core_group *g) {
  uint64_t actors = 0;
  for (unsigned i = 0; i < g->count; i++) {
    actors |= UINT64_C(1) << g->core[i].actor;
    g->member[i] = &g->core[i];
    if (g->tcdm)
      tcdm_attach(g->tcdm, UINT32_C(1) << i, granted, &g->core[i]);
  }
  engine_set_group(g->engine, actors, g->tcdm ? step_shared : step_separate, g);
}
