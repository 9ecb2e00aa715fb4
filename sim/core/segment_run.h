// sim/core/segment_run.h: the way through segments.
#ifndef PULPSIM_SEGMENT_RUN_H
#define PULPSIM_SEGMENT_RUN_H

#include "cluster/tcdm.h"
#include "core/run.h"
#include "core/segment.h"

// All in one: the compiler would stop before.
#define ALWAYS static inline __attribute__((always_inline))

// The access in EX is one that the group of cores can decide: a word, or part of one, of the shared
// window.
ALWAYS bool ask_group(struct core *c) {
  const struct access *a = &c->in_ex;
  uint32_t offset = a->addr - c->window_base;
  c->asked_bank = offset >> 2 & c->bank_mask;
  return offset < c->shared_end && (offset & 3) + a->size <= 4;
}

// Nobody else acts before cycle `t`: the core gets its bank at once.
ALWAYS void take_bank(struct core *c, cycle_t t) {
  c->engine->now = t;
  tcdm_grant_alone(c->tcdm, c->asked_bank, c->index);
}

// What `valid` holds for a core in its epoch and context.
ALWAYS uint64_t segment_stamp(const struct core *c) {
  return *c->code_epoch | c->context;
}

ALWAYS bool segment_holds(const struct core *c, struct segment *s) {
  return __builtin_expect(s->core[c->index].valid == segment_stamp(c), 1) ||
         segment_holds_again(c, s);
}

// What follows `s`, which does not vary, where a hardware loop may end or a register is jumped to,
// if that is as it was when somebody last asked. NULL: ask.
ALWAYS struct segment *segment_turn(const struct core *c, const struct segment *s) {
  const struct segment_link *link = &s->link[s->ends == SEGMENT_BRANCHES && c->taken];
  const struct memo_state *at = link->at;
  if (!at)
    return NULL;
  int ends = memo_loop_that_ends(at, c->loop);
  const struct memo_case *now = ends < 0 ? link->now : link->loop;
  if (!now || !memo_is_case(now, at, c->loop, c->r, ends) ||
      (s->ends == SEGMENT_ACCESSES && !now->accesses))
    return NULL;
  return now->segment;
}

// Whether segment `s` is run from cycle `t` on, if it holds.
ALWAYS bool segment_fits(const struct core *c, const struct segment *s, cycle_t t, cycle_t limit) {
  const struct pipeline *p = c->pipeline;
  bool misses = t < p->walk.line_until && p->walk.line_epoch == *c->code_epoch;
  return fetch_is_free(p, t) && !misses && t + s->cycles < limit;
}

// Runs through segments from cycle `t` on, the one under way, `s`, which fits, the first of them,
// as far as nobody else has a say: accesses are made in front of cycle `alone`, before which nobody
// else acts. core.stop_at is the next cycle.
ALWAYS enum segment_stop segment_run(struct core *c, struct segment *s, cycle_t t, cycle_t limit,
                                     cycle_t alone) {
  const struct segment *before = NULL;
  bool holds = segment_holds(c, s);
  for (;;) {
    struct segment *follows;
    struct segment_of_core *k = &s->core[c->index];
    if (__builtin_expect(holds, 1)) {
      k->entered++;
      s->uop->exec(c, s->uop);
      t += s->cycles;
      follows = s->next[c->taken];
      if (__builtin_expect(!follows, 0))
        follows = segment_follow(c, s, before, t);
    } else if (k->turns == segment_stamp(c)) {
      k->entered++;
      s->uop->exec(c, s->uop);
      t += s->cycles;
      follows = segment_turn(c, s);
      if (__builtin_expect(!follows, 0))
        follows = segment_follow(c, s, before, t);
    } else {
      follows = segment_try(c, s, before, t);
      t += s->cycles;
    }
    if (__builtin_expect(!follows, 0))
      return c->stop;
    if (follows->asks) {
      if (__builtin_expect(!ask_group(c), 0)) {
        segment_leave(c, s, before, follows, t);
        return c->stop;
      }
      if (t >= alone || !segment_holds(c, follows)) {
        c->asked = follows;
        c->pipeline->walk.behind = s;
        c->pipeline->last_edge = t - 1;
        c->stop_at = t;
        return SEGMENT_WAITS;
      }
      take_bank(c, t);
      limit = core_limit(c->engine, t);
      holds = true;
    } else {
      if (t + follows->cycles >= limit) {
        segment_stop_at(c, follows->first_at, follows->first_now, s, t);
        return SEGMENT_ASKS;
      }
      holds = segment_holds(c, follows);
    }
    before = s;
    s = follows;
  }
}

#endif
