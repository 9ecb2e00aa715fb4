#include "core/core_group.h"

#include "cluster/tcdm.h"
#include "core/exec.h"
#include "core/exec_slow.h"
#include "core/run.h"

enum { MEMBERS = ENGINE_ARBITERS - ENGINE_CORES };

static inline struct core *core_of(const struct core_group *g, uint64_t actors) {
  return &g->core[(uint64_t)__builtin_ctzll(actors) - ENGINE_CORES];
}

// Of the core that has not waited yet: the request is described for those who look at it. False:
// the cycle model makes it instead.
static bool begins_to_wait(struct core *c, cycle_t now) {
  if (c->phase == CORE_WAIT)
    return true;
  exec_describe_asked(c);
  if (c->host->resident && core_must_not_wait(c)) {
    core_leave_at_access(c, now);
    return false;
  }
  c->phase = CORE_WAIT;
  c->wait_cause = CAUSE_TCDM_CONFLICT;
  return true;
}

// Where only cores ask for a bank, it is decided now, and who loses asks again. Where others do,
// or may, the requests are left to the arbiter, which comes later in this cycle. Returns those that
// win.
static uint64_t contest(struct core_group *g, uint64_t actors, cycle_t now) {
  struct tcdm *t = g->tcdm;
  uint64_t posted = tcdm_posted(t), contesting = 0;
  for (uint64_t m = actors; m; m &= m - 1) {
    const struct core *c = core_of(g, m);
    unsigned bank = c->asked_bank;
    if (t->wide.asks || (tcdm_bank_bit(bank) & posted) || tcdm_is_held(t, bank, now)) {
      tcdm_post(t, c->index, c->asked);
    } else {
      tcdm_contest(t, c->index, bank);
      contesting |= m & -m;
    }
  }
  if (!contesting)
    return 0;
  uint64_t winners = contesting & (uint64_t)tcdm_decide_contests(t, now) << ENGINE_CORES;
  for (uint64_t m = contesting & ~winners; m; m &= m - 1) {
    struct core *c = core_of(g, m);
    exec_ask_at(c, now + 1);
  }
  return winners;
}

// Some of the banks that `asking` ask for are `contended`, or held. Takes those who want them out
// of `asking` and returns who of them gets one.
static uint64_t settle(struct core_group *g, uint64_t *asking, uint64_t contended, cycle_t now) {
  uint64_t waiting = 0;
  for (uint64_t m = *asking; m; m &= m - 1) {
    struct core *c = core_of(g, m);
    if (!(tcdm_bank_bit(c->asked_bank) & contended) && !tcdm_is_held(g->tcdm, c->asked_bank, now))
      continue;
    *asking &= ~(m & -m);
    if (begins_to_wait(c, now))
      waiting |= m & -m;
  }
  return contest(g, waiting, now);
}

static inline void run_winner(struct core *c, cycle_t now) {
  if (c->t == now)
    exec_go_on_granted(c, now);
  else // it has waited
    core_served(c, now);
}

// All that ask have promised to. Banks decide independently: where one core asks and nobody else
// does, it is granted at once. No winner goes on before all requests are made.
static inline void decide(struct core_group *g, const struct engine_slot *due, cycle_t now,
                          bool alone) {
  struct tcdm *t = g->tcdm;
  uint64_t asking = due->promised, winners = 0;
  uint64_t contended = due->clashes | tcdm_posted(t);
  if (__builtin_expect((contended & due->wants) || tcdm_holds(t, now), 0))
    winners = settle(g, &asking, contended, now);
  cycle_t horizon = alone ? core_quiet_until(g->core) : 0;
  cycle_t limit = core_limit(now, horizon);
  for (uint64_t m = asking; m; m &= m - 1) {
    struct core *c = core_of(g, m);
    tcdm_grant_alone(t, c->index, c->asked_bank);
    c->horizon = horizon;
    c->limit = limit;
    run_winner(c, now);
  }
  for (uint64_t m = winners; m; m &= m - 1)
    run_winner(core_of(g, m), now);
}

// Those that have not promised to ask. Whoever does so nevertheless joins those that have.
static void step_others(struct core_group *g, struct engine_slot *due, cycle_t now, bool alone) {
  for (uint64_t m = due->actors; m; m &= m - 1) {
    struct core *c = core_of(g, m);
    g->engine->when[c->actor] = CYCLE_NEVER;
    if (c->phase != CORE_ASKS) {
      core_step(c, now, alone);
      continue;
    }
    due->promised |= c->actor_bit;
    due->clashes |= due->wants & tcdm_bank_bit(c->asked_bank);
    due->wants |= tcdm_bank_bit(c->asked_bank);
  }
}

static inline bool is_alone(const struct engine_slot *due) {
  uint64_t actors = due->actors | due->promised;
  return !(actors & (actors - 1));
}

static void step_group(void *self, const struct engine_slot *first, cycle_t now) {
  struct core_group *g = self;
  struct engine_slot due = *first;
  do {
    bool alone = is_alone(&due);
    if (due.actors)
      step_others(g, &due, now, alone);
    if (due.promised)
      decide(g, &due, now, alone);
  } while (engine_next_is_groups(g->engine, &due, &now));
}

// Each core has its own data memory.
static void step_separate(void *self, const struct engine_slot *due, cycle_t now) {
  struct engine_slot actors = *due;
  step_others(self, &actors, now, is_alone(due));
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
