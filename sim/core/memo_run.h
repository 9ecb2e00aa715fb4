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

// ---- fetches

// ... of a line that the core does not see in its cache. Ahead of the engine only hits are granted.
// False: it is not decided here.
static __attribute__((noinline)) bool ask_for_code(struct pipeline *p, uint32_t address, cycle_t t,
                                                   enum fetch_grant *grant) {
  if (t != p->core->engine->now)
    return false;
  *grant = fetch_ask_elsewhere(p, address, t);
  if (*grant == FETCH_MISSES)
    p->fetch_from = t + p->code.miss_cycles;
  return *grant != FETCH_OPEN;
}

ALWAYS bool fetch_is_decided(struct pipeline *p, uint32_t address, cycle_t t,
                             enum fetch_grant *grant) {
  *grant = FETCH_HITS;
  return fetch_hits(p, address, t) || ask_for_code(p, address, t, grant);
}

// Whether it is known what the fetch brings in cycle `t`.
ALWAYS bool arrival_is_known(const struct pipeline *p, cycle_t t) {
  return memo_knows_arrival(p, p->walk.at, p->answers > 0, t) || t == p->core->engine->now;
}

// ---- accesses

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

// ---- one cycle

// Looks up what the cycle under way asks for. False: it is not to be made here, for the reason in
// `stop`.
ALWAYS bool look_up_requests(struct pipeline *p, enum memo_stop *stop) {
  const struct core *c = p->core;
  struct memo_walk *w = &p->walk;
  *stop = MEMO_ASKS;
  if (!arrival_is_known(p, under_way(p)))
    return false;
  if (!w->now) {
    struct memo_input in = memo_input(w->at, c, p->answers > 0, p->answer[0].word);
    w->now = memo_find_case(w->memo, w->at, &in);
  }
  if (!w->now)
    return false;
  if (!w->now->accesses || c->ahead.bank_granted || access_waits(p, under_way(p)))
    return true;
  *stop = MEMO_ACCESSES;
  return false;
}

// Looks up how the cycle under way ends. NULL: it is not to be made here.
ALWAYS struct memo_end *look_up_end(struct pipeline *p, enum fetch_grant *grant) {
  const struct memo_walk *w = &p->walk;
  struct memo_case *now = w->now;
  if (p->walk.at->by_operands && now->accesses) // which may bring one of them
    return NULL;
  if (!now->segment)
    memo_offer_segment(p, w->at, now);
  if (now->fetches && !fetch_is_decided(p, memo_word_asked(now), under_way(p), grant))
    return NULL;
  return memo_find_end(w->memo, now, now->fetches && *grant <= FETCH_MISSES,
                       now->accesses && !p->data_posted, memo_latency(p, p->walk.at));
}

// Cycles may have been left out.
ALWAYS bool begin(struct pipeline *p, cycle_t t) {
  struct memo_walk *w = &p->walk;
  uint32_t word;
  bool arrives = fetch_arrives(p, t, &word);
  if (!w->at || p->answers != arrives || interrupt_possible(p->core) || memo_checks_keys)
    return false;
  cause_left_out(p, w->at->missing, t);
  return true;
}

// The edge of the cycle under way, with this result. `word`: what its fetch brings, if it hits.
ALWAYS void move_on(struct pipeline *p, const struct memo_result *result, enum fetch_grant grant,
                    uint32_t word) {
  const struct memo_case *made = p->walk.now;
  memo_count(p, result);
  if (made->fetches)
    p->fetch_posted = grant >= FETCH_REFUSED;
  p->fetch_granted = made->fetches && grant <= FETCH_MISSES;
  p->fetch.port.request_address = made->address;
  p->last_edge++;
  memo_end_cycle(&p->walk, memo_follow(p->walk.memo, result->state));
  memo_answer_fetch(p, made->fetches && grant == FETCH_HITS, word, under_way(p));
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
    if (!look_up_requests(p, &stop))
      break;
    struct segment *segment = memo_follow_if(w->memo, w->now->segment);
    if (segment && !p->data_posted && segment_fits(p->core, segment, under_way(p), limit)) {
      enum segment_stop ran = segment_run(p->core, segment, under_way(p), limit, false);
      if (ran != SEGMENT_NONE)
        p->core->ahead.bank_granted = false;
      memo_catch_up(p);
      if (ran == SEGMENT_COMPUTED) {
        *next = p->core->ahead.stop_at;
        return MEMO_WAITS;
      }
      if (ran != SEGMENT_NONE) {
        stop = memo_rest(p, w->at) ? MEMO_WAITS : MEMO_LIMIT;
        continue;
      }
    }
    enum fetch_grant grant = FETCH_HITS;
    struct memo_end *end = look_up_end(p, &grant);
    if (!end) {
      stop = MEMO_ASKS;
      break;
    }
    // Read before this cycle's store is made: the same order as in a memory with two ports.
    uint32_t at = memo_word_asked(w->now), word = 0;
    if (w->now->fetches) {
      word = fetch_word(p, at);
      memo_mark_fetched(p->core, at, at);
    }
    if (w->now->accesses && !p->data_posted)
      access_window(p, w->at);
    struct memo_result *result = end->issues ? memo_issue(p, end, under_way(p)) : &end->result[0];
    if (!result) {
      *next = memo_compute_instead(p, grant, word);
      return MEMO_WAITS;
    }
    move_on(p, result, grant, word);
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
