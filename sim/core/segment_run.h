// sim/core/segment_run.h: the way through segments.
#ifndef PULPSIM_SEGMENT_RUN_H
#define PULPSIM_SEGMENT_RUN_H

#include "core/segment.h"

// All in one: the compiler would stop before.
#define ALWAYS static inline __attribute__((always_inline))

// The access in EX is one that the group of cores can decide: a word, or part of one, of the shared
// window.
ALWAYS bool ask_group(struct core *c) {
  const struct access *a = &c->in_ex;
  uint32_t offset = a->addr - c->window_base;
  c->ahead.asked_bank = offset >> 2 & c->bank_mask;
  return offset < c->shared_end && (offset & 3) + a->size <= 4;
}

// What `valid` holds for a core in its epoch and context.
ALWAYS uint64_t segment_stamp(const struct core *c) {
  return *c->ahead.code_epoch | c->ahead.context;
}

ALWAYS bool segment_holds(const struct core *c, struct segment *s) {
  return __builtin_expect(*segment_valid(c, s) == segment_stamp(c), 1) || segment_holds_again(c, s);
}

// Whether segment `s`, which begins with requests `now`, may be run from cycle `t` on.
ALWAYS bool segment_may_begin(const struct pipeline *p, const struct memo_case *now,
                              const struct segment *s, cycle_t t) {
  if (s->awaits)
    return t + s->cycles <= p->fetch_from;
  return fetch_is_taken(p, t) && (now->fetches || !p->fetch_posted);
}

// The chain that begins with `s`, which holds; NULL: there is none.
ALWAYS struct chain *chain_of(const struct core *c, struct segment *s) {
  struct chain *k = memo_follow_if(c->pipeline->walk.memo, s->chain);
  return k && k->core[c->index].valid == segment_stamp(c) ? k : chain_find(c, s);
}

// ... which follows chain `ran`, if there is one: from now on without asking, where nothing decides
// it that may be otherwise the next time (a jump's register, a hardware loop's end).
ALWAYS struct chain *chain_behind(const struct core *c, struct chain *ran, struct segment *s,
                                  bool taken) {
  struct chain *k = chain_of(c, s);
  if (k && ran && !s->asks && ran->segment[ran->count - 1]->next[taken] == s)
    ran->next[taken] = k;
  return k;
}

// Runs `k`, which holds, and the chains that follow it, from cycle `*t` on, in front of `limit`.
// Returns the last of them. NULL: it has been left.
ALWAYS struct chain *chains_run(struct core *c, struct chain *k, cycle_t *t, cycle_t limit,
                                bool *taken) {
  const unsigned i = c->index;
  const uint64_t stamp = segment_stamp(c); // nothing that is part of a chain changes it
  for (;;) {
    k->core[i].entered++;
    enum exec_result result = EXEC_LINE(c, k->uop);
    struct chain *next = k->next[result];
    if (__builtin_expect(result == EXEC_LEFT, 0)) {
      chain_leave(c, k, *t);
      return NULL;
    }
    *t += k->cycles;
    *taken = result == EXEC_TAKEN;
    if (__builtin_expect(!next || next->core[i].valid != stamp || *t + next->cycles >= limit, 0))
      return k;
    k = next;
  }
}

// `follows` begins behind `s` in cycle `t`: SEGMENT_RUNS if it may be run, else why not.
ALWAYS enum segment_stop segment_goes_on(struct core *c, struct segment *s, struct segment *follows,
                                         cycle_t t, cycle_t limit, const bool alone) {
  if (!follows->asks) {
    if (__builtin_expect(t + follows->cycles < limit, 1))
      return SEGMENT_RUNS;
    return segment_leave(c, s, follows, t);
  }
  if (__builtin_expect(!ask_group(c), 0)) {
    if (alone)
      c->engine->now = t - 1;
    return segment_leave(c, s, follows, t);
  }
  if (alone && t < limit && segment_holds(c, follows)) {
    bank_grant_lic(c->banks, c->ahead.asked_bank, c->index);
    return SEGMENT_RUNS;
  }
  c->ahead.asked = follows;
  c->pipeline->walk.behind = s;
  c->pipeline->last_edge = t - 1;
  return SEGMENT_WAITS;
}

// Runs through segments from cycle `t` on, the one under way, `s`, which fits, the first of them,
// as far as nobody else has a say. `alone`: nobody else acts in front of `limit`, so that accesses
// are made.
ALWAYS enum segment_stop segment_run(struct core *c, struct segment *s, cycle_t t, cycle_t limit,
                                     const bool alone) {
  const struct segment *before = NULL;
  struct chain *ran = NULL; // behind the last segment of this one
  bool taken = false;
  for (;;) {
    struct segment *follows;
    if (__builtin_expect(!segment_holds(c, s), 0)) {
      struct segment *part = segment_in_line(c, s);
      if (!part)
        return before ? segment_leave(c, before, s, t) : SEGMENT_NONE;
      s = part;
    }
    struct chain *chain = alone && !s->turns ? chain_behind(c, ran, s, taken) : NULL;
    ran = NULL;
    if (chain && t + chain->cycles < limit) {
      ran = chains_run(c, chain, &t, limit, &taken);
      if (!ran)
        return SEGMENT_ASKS;
      s = ran->segment[ran->count - 1];
      follows = s->next[taken];
    } else {
      (*segment_entered(c, s))++;
      unsigned result = EXEC_LINE(c, s->uop);
      taken = result;
      follows = s->next[result];
      t += s->cycles;
    }
    if (__builtin_expect(!follows, 0)) {
      if (alone)
        c->engine->now = t - 1;
      c->ahead.taken = taken;
      follows = segment_follow(c, s, t);
    }
    if (!follows)
      return c->ahead.stop;
    enum segment_stop stop = segment_goes_on(c, s, follows, t, limit, alone);
    if (stop != SEGMENT_RUNS)
      return stop;
    before = s;
    s = follows;
  }
}

#endif
