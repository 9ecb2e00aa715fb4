#include "core/core_group.h"

#include "core/clocked_serve.h"

// Sets of the group's cores: bit i is core[i], which is port i of the TCDM.
typedef uint32_t members;

static inline members members_of(uint64_t actors) {
  return (members)(actors >> ENGINE_CORES);
}

static inline unsigned first_of(members m) {
  return (unsigned)__builtin_ctzll(m); // of 64 bits, or it is extended to them
}

// The bank that a core asks for.
static inline uint64_t asked_bit(const struct core *c) {
  return bank_bit(c->ahead.asked_bank);
}

// Those of `asking` whose bank is in `banks`: without a branch, which nobody could predict.
static inline members who_ask_for(const struct core_group *g, members asking, uint64_t banks) {
  members found = 0;
  for (members m = asking; m; m &= m - 1)
    found |= (members)((asked_bit(g->member[first_of(m)]) & banks) != 0) << first_of(m);
  return found;
}

// They get their banks (`granted`: have got them), and go on.
ALWAYS void serve(const struct core_group *g, members served, cycle_t now, bool granted) {
  const cycle_t limit = core_limit(g->engine, now);
  for (members m = served; m; m &= m - 1) {
    struct core *c = g->member[first_of(m)];
    if (!granted)
      bank_grant(g->banks, c->ahead.asked_bank, c->index);
    clocked_serve(c, now, limit);
  }
}

// Who of `asking` gets a bank. Who loses asks again.
static inline members contest(struct core_group *g, members asking, cycle_t now) {
  members winners = 0;
  for (members rest = asking; rest;) {
    uint32_t bank = g->member[first_of(rest)]->ahead.asked_bank;
    members rivals = 0;
    for (members m = rest; m; m &= m - 1)
      rivals |= g->member[first_of(m)]->ahead.asked_bank == bank ? m & -m : 0;
    winners |= g->banks->contest(g->banks, bank, rivals);
    rest ^= rivals;
  }
  for (members m = asking & ~winners; m; m &= m - 1)
    clocked_lost(g->member[first_of(m)], now);
  return winners;
}

// Banks that only the arbiter can decide, which comes later in this cycle.
static inline uint64_t left_to_arbiter(const struct core_banks *b, cycle_t now) {
  return b->all ? UINT64_MAX : banks_locked(b, now);
}

// `taken` ask for banks that others ask for, or may ask for. It is decided who gets them, and the
// winners go on. Who has more to ask for if it loses asks the arbiter.
static __attribute__((noinline)) void arbitrate(struct core_group *g, members taken, cycle_t now) {
  uint64_t others = left_to_arbiter(g->banks, now);
  for (members m = taken; m; m &= m - 1) {
    struct core *c = g->member[first_of(m)];
    if (likely(clocked_can_lose(c, now)) && !(asked_bit(c) & others))
      continue;
    clocked_contested(c, now);
    taken ^= m & -m;
  }
  serve(g, contest(g, taken, now), now, true);
}

// Who alone acts in this cycle acts alone in front of that one.
static inline cycle_t alone_until(const struct engine *e) {
  if (e->stop || e->last < SEGMENT_CYCLES)
    return 0;
  cycle_t until = engine_next(e), last = e->last - SEGMENT_CYCLES;
  cycle_t far = !e->far                       ? CYCLE_NEVER
                : e->far_first < ENGINE_WHEEL ? 0
                                              : e->far_first - ENGINE_WHEEL;
  if (far < until)
    until = far;
  return until < last ? until : last;
}

static void grant_one(const struct core_group *g, struct core *c, cycle_t now) {
  cycle_t alone = alone_until(g->engine);
  bank_grant(g->banks, c->ahead.asked_bank, c->index);
  if (!g->banks->leaves && alone > now + CORE_QUANTUM)
    clocked_serve_alone(c, now, alone);
  else
    clocked_serve(c, now, core_limit(g->engine, now));
}

// All that ask have promised to. Banks decide independently: where one core asks and nobody else
// does, it is granted at once. No winner goes on before all requests are made. `others`: who else
// acts in this cycle, or has done so.
static inline void decide(struct core_group *g, cycle_t now, uint64_t others) {
  struct engine *e = g->engine;
  unsigned s = (unsigned)(now % ENGINE_WHEEL);
  members asking = members_of(e->promised[s]);
  uint64_t wanted = e->wants[s], contended = e->met[s];
  e->promised[s] = e->wants[s] = e->met[s] = 0;
  if (unlikely(others != 0) && e->others[s]) // the arbiter is one of them if anybody else asks
    contended |= (g->banks->posted | left_to_arbiter(g->banks, now)) & wanted;
  if (contended) {
    members taken = who_ask_for(g, asking, contended);
    arbitrate(g, taken, now);
    asking ^= taken;
    if (!asking)
      return;
  }
  if (unlikely(!e->occupied) && !(asking & (asking - 1)))
    grant_one(g, g->member[first_of(asking)], now);
  else
    serve(g, asking, now, false);
}

// Those that have not promised to ask. Whoever does so nevertheless joins those that have.
static void step_others(struct core_group *g, cycle_t now) {
  struct engine *e = g->engine;
  unsigned s = (unsigned)(now % ENGINE_WHEEL);
  uint64_t actors = e->others[s] & e->group;
  e->others[s] &= ~actors;
  for (members m = members_of(actors); m; m &= m - 1) {
    struct core *c = g->member[first_of(m)];
    e->when[c->actor] = CYCLE_NEVER;
    if (c->phase == CORE_RUNS && clocked_step(c, now))
      engine_join(e, s, c->actor_bit, asked_bit(c));
  }
}

static void step(void *self, cycle_t now) {
  struct core_group *g = self;
  struct engine *e = g->engine;
  do {
    now = e->now;
    unsigned s = (unsigned)(now % ENGINE_WHEEL);
    uint64_t others = e->others[s];
    if (unlikely(others != 0))
      step_others(g, now);
    if (likely(e->promised[s] != 0))
      decide(g, now, others);
  } while (engine_next_of_group(e));
}

void core_group_attach(struct core_group *g) {
  uint64_t actors = 0;
  for (unsigned i = 0; i < g->count; i++) {
    actors |= UINT64_C(1) << g->core[i].actor;
    g->member[i] = &g->core[i];
  }
  engine_set_group(g->engine, actors, step, g);
}
