#include "engine/engine.h"

#include <assert.h>
#include <string.h>

#define BIT(n) (UINT64_C(1) << (n))

void engine_init(struct engine *e) {
  memset(e, 0, sizeof *e);
  e->far_first = CYCLE_NEVER;
  for (unsigned a = 0; a < ENGINE_ACTORS; a++)
    e->when[a] = CYCLE_NEVER;
}

void engine_add(struct engine *e, unsigned index, engine_step *step, void *self) {
  assert(index < ENGINE_ACTORS && e->actor[index].step == NULL);
  e->actor[index].step = step;
  e->actor[index].self = self;
}

void engine_step_by(struct engine *e, unsigned index, engine_step *step) {
  assert(index < ENGINE_ACTORS && e->actor[index].step != NULL);
  e->actor[index].step = step;
}

static void find_far_first(struct engine *e) {
  e->far_first = CYCLE_NEVER;
  for (uint64_t m = e->far; m; m &= m - 1) {
    cycle_t t = e->when[__builtin_ctzll(m)];
    if (t < e->far_first)
      e->far_first = t;
  }
}

void engine_cancel(struct engine *e, unsigned actor) {
  cycle_t t = e->when[actor];
  if (t == CYCLE_NEVER)
    return;
  e->when[actor] = CYCLE_NEVER;
  if (e->far & BIT(actor)) {
    e->far &= ~BIT(actor);
    if (t == e->far_first)
      find_far_first(e);
    return;
  }
  unsigned s = (unsigned)(t % ENGINE_WHEEL);
  e->others[s] &= ~BIT(actor);
  if (!(e->others[s] | e->promised[s]))
    e->occupied &= ~BIT(s);
}

void engine_move(struct engine *e, unsigned actor, cycle_t t) {
  engine_cancel(e, actor);
  if (t == CYCLE_NEVER)
    return;
  assert(t >= e->now);
  e->when[actor] = t;
  if (t - e->now < ENGINE_WHEEL) {
    unsigned s = (unsigned)(t % ENGINE_WHEEL);
    e->others[s] |= BIT(actor);
    e->occupied |= BIT(s);
  } else {
    e->far |= BIT(actor);
    if (t < e->far_first)
      e->far_first = t;
  }
}

// Brings far actors onto the wheel that now reach it.
static void admit_far(struct engine *e) {
  for (uint64_t m = e->far; m; m &= m - 1) {
    unsigned a = (unsigned)__builtin_ctzll(m);
    cycle_t t = e->when[a];
    if (t - e->now >= ENGINE_WHEEL)
      continue;
    unsigned s = (unsigned)(t % ENGINE_WHEEL);
    e->far &= ~BIT(a);
    e->others[s] |= BIT(a);
    e->occupied |= BIT(s);
  }
  find_far_first(e);
}

// Of the lowest rank present in `mask`, any.
static unsigned pick_shuffled(struct engine *e, uint64_t mask) {
  unsigned lowest = (unsigned)__builtin_ctzll(mask);
  static const uint8_t rank_end[] = {ENGINE_CORES, ENGINE_ARBITERS, ENGINE_EDGES, ENGINE_ACTORS};
  unsigned r = 0;
  while (lowest >= rank_end[r])
    r++;
  uint64_t peers = rank_end[r] == 64 ? mask : mask & (BIT(rank_end[r]) - 1);
  e->shuffle ^= e->shuffle << 13, e->shuffle ^= e->shuffle >> 7, e->shuffle ^= e->shuffle << 17;
  for (unsigned skip = (unsigned)(e->shuffle % (unsigned)__builtin_popcountll(peers)); skip; skip--)
    peers &= peers - 1;
  return (unsigned)__builtin_ctzll(peers);
}

void engine_set_group(struct engine *e, uint64_t actors, engine_group_step *group, void *self) {
  e->group = actors;
  e->group_step = group;
  e->group_self = self;
}

static void step_group(struct engine *e, unsigned s) {
  if (!(e->others[s] & ~e->group))
    e->occupied &= ~BIT(s); // so that engine_next() looks beyond this cycle
  e->group_step(e->group_self, e->now);
}

static inline void step_actor(struct engine *e, unsigned s, unsigned a) {
  e->others[s] &= ~BIT(a);
  if (!(e->others[s] | e->promised[s]))
    e->occupied &= ~BIT(s);
  e->when[a] = CYCLE_NEVER;
  e->actor[a].step(e->actor[a].self, e->now);
}

static void process_cycle(struct engine *e, cycle_t now) {
  unsigned s = (unsigned)(now % ENGINE_WHEEL);
  uint64_t due;
  while (!e->stop && (due = e->others[s] | e->promised[s]) != 0) {
    unsigned a = e->shuffle ? pick_shuffled(e, due) : (unsigned)__builtin_ctzll(due);
    if (BIT(a) & ~e->group) {
      step_actor(e, s, a);
      continue;
    }
    step_group(e, s);
    if (e->now != now) // it has gone on to later cycles
      break;
  }
  // An appointment that was made for this cycle and moved, while others had promised to act in it.
  if (!(e->others[s] | e->promised[s]))
    e->occupied &= ~BIT(s);
}

void engine_advance(struct engine *e, cycle_t t) {
  if (e->now >= t)
    return;
  assert(engine_next(e) >= t);
  e->now = t;
  if (e->far)
    admit_far(e);
}

bool engine_run(struct engine *e, cycle_t last) {
  e->stop = false;
  e->last = last;
  while (!e->stop) {
    cycle_t t = engine_next(e);
    if (t == CYCLE_NEVER)
      return false;
    if (t > e->last) {
      engine_advance(e, e->last);
      return true;
    }
    if (t != e->now) {
      e->now = t;
      if (e->far && e->far_first - t < ENGINE_WHEEL)
        admit_far(e);
    }
    process_cycle(e, t);
  }
  return true;
}
