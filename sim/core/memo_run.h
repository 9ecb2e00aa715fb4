// sim/core/memo_run.h: the fast way through states that have been recorded. A part of clocked.c.
//
// Cycles that a core has to itself are looked up one behind the other. They are made in place:
// between them the pipeline's fields are as memo_edge() leaves them, and walk.now is what the cycle
// under way asks for, once that has been looked up.
#ifndef PULPSIM_MEMO_RUN_H
#define PULPSIM_MEMO_RUN_H

#include "core/memo_state.h"
#include "core/segment_run.h"
#include "core/window.h"

// Why memo_run() has stopped.
enum memo_stop {
  MEMO_ASKS,     // in the next cycle somebody is asked for something, or too little is known
  MEMO_ACCESSES, // ... an access to memory
  MEMO_WAITS,    // the next cycle is not the one behind
  MEMO_LIMIT,
};

ALWAYS cycle_t under_way(const struct pipeline *p) {
  return p->last_edge + 1;
}

// The access in EX, to the shared window.
ALWAYS void access_window(struct pipeline *p, const struct memo_state *s) {
  struct core *c = p->core;
  const struct access *a = &p->core->in_ex;
  c->ahead.bank_granted = false;
  c->acc.data = a->data;
  window_serve(c, a->addr - c->window_base, a->size, a->kind);
  const struct memo_insn *in_ex = memo_follow(p->walk.memo, s->ex);
  p->config.complete(c, &in_ex->id.insn, s->ex_pc, lsu_low_bytes(c->acc.data, a->size));
}

// Looks up what the cycle under way asks for. MEMO_LIMIT: all of it may be answered at once.
ALWAYS enum memo_stop look_up_requests(struct pipeline *p, cycle_t t) {
  const struct core *c = p->core;
  struct memo_walk *w = &p->walk;
  if (w->at->awaits_code && !p->answers && t >= p->fetch_from && t != c->engine->now)
    return MEMO_ASKS; // what the fetch brings is not known yet
  if (!w->now) {
    struct memo_input in = memo_input(w->at, c, p->answers > 0, p->answer[0].word);
    w->now = memo_find_case(w->memo, w->at, &in);
  }
  if (!w->now)
    return MEMO_ASKS;
  bool asks = w->now->accesses && !c->ahead.bank_granted && !access_waits(p, t);
  return asks ? MEMO_ACCESSES : MEMO_LIMIT;
}

// Makes the cycle under way, whose fetch, if any, is granted so, and whose access is. False: it has
// been computed instead, and `*next` is the next.
ALWAYS bool make_cycle(struct pipeline *p, cycle_t t, cycle_t *next, enum fetch_grant grant) {
  struct memo_walk *w = &p->walk;
  memo_begin_requests(p, w->now, t, grant);
  if (w->now->accesses && !p->data_posted) {
    access_window(p, w->at);
    w->data_after = 1;
    w->data_due = t + 1;
  }
  if (memo_end(p, t))
    return true;
  w->from = w->at;
  *next = memo_compute_after_all(p, t);
  return false;
}

// Cycles may have been left out.
ALWAYS bool begin(struct pipeline *p, cycle_t t) {
  struct memo_walk *w = &p->walk;
  uint32_t word;
  bool arrives = fetch_arrives(p, t, &word);
  if (!w->at || p->answers != arrives || interrupt_possible(p->core) || memo_checks_keys)
    return false;
  cause_left_out(p, w->at->standing, t);
  return true;
}

// Makes cycles from `*next` on in which nobody else has a say, all of them before `limit`: requests
// are answered at once, or there are none. They may be ahead of the engine. The exception is an
// access in the first, if core->ahead.bank_granted. `*next` is when the pipeline is to be clocked
// next.
ALWAYS enum memo_stop memo_run(struct pipeline *p, cycle_t *next, cycle_t limit) {
  struct memo_walk *w = &p->walk;
  enum memo_stop stop = MEMO_ASKS;
  bool begins = begin(p, *next);
  if (!begins || !p->core->ahead.bank_granted) // else it has been looked at
    w->now = NULL;
  if (!begins)
    return stop;
  do {
    const cycle_t t = under_way(p);
    stop = look_up_requests(p, t);
    if (stop != MEMO_LIMIT)
      break;
    enum fetch_grant grant = FETCH_HITS;
    if (w->now->fetches && !fetch_hits(p, memo_word_asked(w->now), t)) {
      stop = MEMO_ASKS;
      if (t != p->core->engine->now || !fetch_hits_next(p, memo_word_asked(w->now), t))
        break;
      grant = FETCH_REFUSED;
    }
    struct segment *segment = memo_follow_if(w->memo, w->now->segment);
    if (segment && grant == FETCH_HITS && !p->data_posted && t + segment->cycles < limit &&
        segment_may_begin(p, w->now, segment, t)) {
      enum segment_stop ran = segment_run(p->core, segment, t, limit, false);
      if (ran != SEGMENT_NONE)
        p->core->ahead.bank_granted = false;
      memo_catch_up(p);
      if (ran == SEGMENT_COMPUTED) {
        *next = p->core->ahead.next;
        return MEMO_WAITS;
      }
      if (ran != SEGMENT_NONE) {
        stop = memo_rest(p, w->at) ? MEMO_WAITS : MEMO_LIMIT;
        continue;
      }
    }
    if (!segment)
      memo_offer_segment(p, w->at, w->now);
    if (!make_cycle(p, t, next, grant))
      return MEMO_WAITS;
    stop = memo_rest(p, w->at) ? MEMO_WAITS : MEMO_LIMIT;
  } while (stop == MEMO_LIMIT && under_way(p) < limit);
  *next = under_way(p);
  if (stop == MEMO_WAITS)
    *next = memo_next_clock(p, w->at, p->last_edge);
  if (stop <= MEMO_ACCESSES) // for memo_request() or memo_edge()
    w->from = w->at;
  return stop;
}

#endif
