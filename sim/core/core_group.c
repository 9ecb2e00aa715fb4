#include "core/core_group.h"

#include "cluster/tcdm.h"
#include "core/exec.h"
#include "core/exec_slow.h"
#include "core/run.h"
#include "core/window.h"

enum { MEMBERS = ENGINE_ARBITERS - ENGINE_CORES };

// The cores that ask for a word of the TCDM in a cycle; then those of them that get it.
struct pass {
  cycle_t now;
  uint64_t contended; // sets of banks, see tcdm_bank_bit()
  unsigned count;
  struct core *core[MEMBERS];
};

static void grant_alone(const struct core_group *g, const struct core *c) {
  tcdm_grant_alone(g->tcdm, c->index, c->asked);
}

// Whether the core's bank is among `banks`, or serves nobody.
static bool is_taken(const struct core_group *g, const struct core *c, uint64_t banks,
                     cycle_t now) {
  return (tcdm_bank_bit(g->tcdm, c->asked) & banks) || tcdm_is_held(g->tcdm, c->asked, now);
}

// Of the core that has not waited yet: the request is described for those who look at it. False:
// the cycle model makes it instead.
static bool begins_to_wait(const struct pass *pass, struct core *c) {
  if (c->phase == CORE_WAIT)
    return true;
  exec_describe_asked(c);
  if (c->host->resident && core_must_not_wait(c)) {
    core_leave_at_access(c, pass->now);
    return false;
  }
  c->phase = CORE_WAIT;
  c->wait_cause = CAUSE_TCDM_CONFLICT;
  return true;
}

// Where only cores ask for a bank, it is decided now, and who loses asks again. Where others do,
// or may, the requests are left to the arbiter, which comes later in this cycle.
static void contest(struct core_group *g, struct pass *pass, struct core **core, unsigned count) {
  uint64_t posted = tcdm_posted(g->tcdm);
  unsigned contesting = 0;
  for (unsigned i = 0; i < count; i++) {
    struct core *c = core[i];
    if (g->tcdm->wide.asks || is_taken(g, c, posted, pass->now)) {
      tcdm_post(g->tcdm, c->index, c->asked);
    } else {
      tcdm_contest(g->tcdm, c->index, c->asked);
      core[contesting++] = c;
    }
  }
  uint32_t winners = contesting ? tcdm_decide_contests(g->tcdm, pass->now) : 0;
  for (unsigned i = 0; i < contesting; i++) {
    if (winners >> core[i]->index & 1)
      pass->core[pass->count++] = core[i];
    else
      engine_schedule(g->engine, core[i]->actor, pass->now + 1);
  }
}

// Banks decide independently: where one core asks and nobody else does, it is granted at once.
static void settle(struct core_group *g, struct pass *pass) {
  struct core *contending[MEMBERS];
  unsigned asking = pass->count, count = 0;
  pass->count = 0;
  for (unsigned i = 0; i < asking; i++) {
    struct core *c = pass->core[i];
    if (!is_taken(g, c, pass->contended, pass->now)) {
      grant_alone(g, c);
      pass->core[pass->count++] = c;
    } else if (begins_to_wait(pass, c)) {
      contending[count++] = c;
    }
  }
  contest(g, pass, contending, count);
}

static inline void run_winner(struct core *c, cycle_t now) {
  if (c->t != now) { // it has waited
    core_served(c, now);
    return;
  }
  window_serve(c, c->asked, (uint8_t)c->asked_shape, c->asked_shape >> 8);
  exec_complete(c, now);
}

// No winner goes on before all requests are made.
static inline void decide(struct core_group *g, struct pass *pass, bool alone) {
  cycle_t now = pass->now;
  pass->contended |= tcdm_posted(g->tcdm);
  if (pass->contended || tcdm_holds(g->tcdm, now))
    settle(g, pass);
  else
    for (unsigned i = 0; i < pass->count; i++)
      grant_alone(g, pass->core[i]);
  cycle_t horizon = alone ? core_quiet_until(g->core) : 0;
  cycle_t limit = core_limit(now, horizon);
  for (unsigned i = 0; i < pass->count; i++) {
    struct core *c = pass->core[i];
    c->horizon = horizon;
    c->limit = limit;
    run_winner(c, now);
  }
}

static inline void step_cycle(struct core_group *g, uint64_t actors, cycle_t now) {
  struct pass pass;
  uint64_t banks = 0, twice = 0;
  unsigned count = 0;
  bool alone = !(actors & (actors - 1));
  for (uint64_t m = actors; m; m &= m - 1) {
    unsigned a = (unsigned)__builtin_ctzll(m);
    struct core *c = &g->core[a - ENGINE_CORES];
    g->engine->when[a] = CYCLE_NEVER;
    if (c->phase != CORE_ASKS && c->phase != CORE_WAIT) {
      core_step(c, now, alone);
      continue;
    }
    uint64_t bank = tcdm_bank_bit(g->tcdm, c->asked);
    twice |= banks & bank;
    banks |= bank;
    pass.core[count++] = c;
  }
  if (!count)
    return;
  pass.now = now;
  pass.contended = twice;
  pass.count = count;
  decide(g, &pass, alone);
}

static void step_group(void *self, uint64_t actors, cycle_t now) {
  struct core_group *g = self;
  do
    step_cycle(g, actors, now);
  while (engine_next_is_groups(g->engine, &actors, &now));
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
  engine_set_group(g->engine, actors, step_group, g);
}
