// sim/core/memo_state.h: states that have been recorded, and what follows.
//
// There are up to a hundred thousand of them, all over the host's caches: they are linked by 32
// bits, and what is rarely looked at, the keys, lies elsewhere.
#ifndef PULPSIM_MEMO_STATE_H
#define PULPSIM_MEMO_STATE_H

#include "core/pipeline_key.h"
#include "core/pipeline_stages.h"

// To something else of the same memo: so many words behind its start. 0: to nothing.
typedef uint32_t memo_link;

static inline void *memo_follow(struct pipeline_memo *m, memo_link to) {
  return (uint32_t *)m + to;
}
static inline void *memo_follow_if(struct pipeline_memo *m, memo_link to) {
  return to ? memo_follow(m, to) : NULL;
}
static inline memo_link memo_link_to(const struct pipeline_memo *m, const void *to) {
  return (memo_link)((const uint32_t *)to - (const uint32_t *)m);
}

struct memo_insn {
  memo_link chain;
  step_fn *execute;
  uint32_t word;
  uint16_t events; // that it counts, as events_of()
  uint8_t macs;
  bool starts_at_if; // sets up a loop that starts at what is in IF
  struct id_insn id;
};

// How a cycle ends, by whether a branch that leaves ID is taken.
struct memo_result {
  memo_link state; // 0: not seen yet
  uint8_t cause, decrement;
  uint8_t stalls; // events counted: bit per enum event from EVENT_LOAD_STALL on
  bool plain;     // none of these
};

// ... and by the grants.
struct memo_end {
  memo_link next;
  uint16_t data_after;
  uint16_t latency;      // id_time_by_operands() of the instruction in ID; 0: a plain one
  uint8_t fetch_granted; // or NOT_YET
  bool issues;           // the instruction in ID leaves it
  struct memo_result result[2];
};

// What a cycle asks for, by its inputs.
struct memo_case {
  uint32_t word, goes_to; // of struct memo_input ...
  uint32_t address;       // on the instruction port
  memo_link next;
  memo_link segment; // that begins here
  uint8_t more;      // ... and this, or NO_INPUT
  bool fetches : 1, accesses : 1;
  bool rests : 1;        // leads to the same state again, if an access in EX is posted
  uint8_t runs;          // how often memo_run() has come by without a segment
  struct memo_end first; // and most often the only one
};

// What is looked at in every cycle comes first, and lies together.
struct memo_state {
  uint32_t loop_pc;  // what hardware loops are compared with
  uint32_t id_pc;    // of the instruction in ID
  memo_link id;      // it
  uint8_t loops;     // enum loops_seen: by whom
  uint8_t in_flight; // ... RI5CY: loops that are being counted down
  uint8_t jump;      // register that the jump in ID goes to; 0: none
  uint8_t standing;  // as the pipeline's
  bool awaits_code;  // a fetch is under way
  bool rests;        // there is a case that does
  bool holds_access;
  bool no_loops;    // may do anything at the same time
  bool by_operands; // decide how long the instruction in ID takes
  struct memo_case first;
  uint32_t ex_pc; // of the instruction in EX, if it matters
  memo_link ex;   // it
  memo_link chain;
};

// Who looks at hardware loops: RI5CY's fetch; or CV32E40P's controller, in one of these states.
enum loops_seen {
  LOOPS_NEVER,
  LOOPS_BY_FETCH,
  LOOPS_IN_DECODE = CTRL_DECODE,
  LOOPS_IN_BODY = CTRL_DECODE_HWLOOP
};

enum { NOT_YET = 2 };
enum { RUNS_MAX = 64 }; // after so many it is not tried any more to find a segment

enum { MANY_INPUTS = UINT8_MAX - 1, NO_INPUT }; // no case has as many; a case that is not there

// What hardware loops do; 0: nothing. Else the fetch may go to *start.
static inline unsigned memo_loops(const struct memo_state *s, const struct hwloop loop[2],
                                  uint32_t *start) {
  if (__builtin_expect(s->loops == LOOPS_BY_FETCH, 1)) {
    int ends = fetch_loop_that_ends(loop, s->loop_pc, s->in_flight);
    if (ends >= 0)
      *start = loop[ends].start;
    return (unsigned)(ends + 1);
  }
  if (s->loops == LOOPS_NEVER)
    return 0;
  uint32_t to;
  unsigned done = controller_loops((enum controller_state)s->loops, s->loop_pc, loop, &to);
  if (done)
    *start = to;
  return done;
}

static inline struct memo_input memo_input(const struct memo_state *s, const struct core *c,
                                           bool arrives, uint32_t word) {
  struct memo_input in = {arrives ? word : 0, c->r[s->jump], arrives}; // r[0] is 0
  unsigned loops = memo_loops(s, c->loop, &in.goes_to);
  in.more |= (uint8_t)(2 * loops);
  if ((loops && s->no_loops) || (s->holds_access && access_crosses_word(&c->in_ex)))
    in.more = MANY_INPUTS;
  return in;
}

// NULL: has not been seen.
static inline struct memo_case *memo_find_case(struct pipeline_memo *m, struct memo_state *s,
                                               const struct memo_input *in) {
  for (struct memo_case *c = &s->first; c; c = memo_follow_if(m, c->next))
    if (c->word == in->word && c->more == in->more && c->goes_to == in->goes_to)
      return c;
  return NULL;
}

// For core_has_fetched(): of bytes first..last.
static inline void memo_mark_fetched(struct core *c, uint32_t first, uint32_t last) {
  for (uint32_t i = first >> CODE_SHIFT; i <= last >> CODE_SHIFT; i++)
    c->ahead.fetched[i % CODE_FETCHED / 64] |= UINT64_C(1) << i % 64;
}

// The word of code that it asks for, if it fetches.
static inline uint32_t memo_word_asked(const struct memo_case *c) {
  return c->address & ~UINT32_C(3);
}

static inline struct memo_end *memo_find_end(struct pipeline_memo *m, struct memo_case *c,
                                             unsigned fetch_granted, unsigned data_after,
                                             unsigned latency) {
  for (struct memo_end *e = &c->first; e; e = memo_follow_if(m, e->next))
    if (e->fetch_granted == fetch_granted && e->data_after == data_after && e->latency == latency)
      return e;
  return NULL;
}

static inline const struct memo_insn *memo_insn_in_id(const struct pipeline *p,
                                                      const struct memo_state *s) {
  return memo_follow(p->walk.memo, s->id);
}

// The cycle asks as in `c`, and its fetch, if any, hits, or is refused.
static inline void memo_begin_requests(struct pipeline *p, const struct memo_case *c, cycle_t now,
                                       enum fetch_grant grant) {
  p->fetch_granted = p->fetch_open = false;
  p->fetch.port.request_address = c->address;
  if (!c->fetches)
    return;
  uint32_t word = memo_word_asked(c);
  fetch_latch(p, word, grant, now);
  memo_mark_fetched(p->core, word, word);
}

// ... `latency`, before the instruction in ID is executed and behind the grant.
static inline unsigned memo_latency(const struct pipeline *p, const struct memo_state *s) {
  return __builtin_expect(s->by_operands, 0) ? id_time_by_operands(p, &memo_insn_in_id(p, s)->id)
                                             : 0;
}

// The instruction in ID has been executed: a loop that it sets up starts at what is in IF.
static inline void memo_start_loop(const struct memo_state *s, const struct memo_insn *in_id,
                                   struct hwloop loop[2]) {
  if (in_id->starts_at_if)
    loop[in_id->id.insn.rd & 1].start = s->loop_pc;
}

// The instruction `i` has left ID.
static inline void memo_count_insn(struct pipeline *p, const struct memo_insn *i, bool taken) {
  struct core *c = p->core;
  if (i->id.unit == ID_LSU)
    c->in_ex = p->walk.outcome.mem;
  c->count.instructions++;
  c->count.macs += i->macs;
  events_add(c->count.event, i->events);
  if (taken)
    c->count.event[EVENT_TAKEN]++;
}

// Executes the instruction in ID in cycle `t`, which ends so, and finds its result. NULL: the cycle
// is to be computed.
static inline struct memo_result *memo_issue(struct pipeline *p, struct memo_end *end, cycle_t t) {
  struct core *c = p->core;
  const struct memo_state *s = p->walk.at;
  const struct memo_insn *i = memo_insn_in_id(p, s);
  struct step_outcome *out = &p->walk.outcome;
  out->kind = STEP_DONE;
  out->taken = false;
  c->t = t + 1;
  if (__builtin_expect(c->watcher != NULL, 0))
    p->config.issue(c, &i->id.insn, s->id_pc, out);
  else
    i->execute(c, &i->id.insn, s->id_pc, out);
  p->walk.executed = true;
  bool taken = i->id.kind == ID_BRANCH && out->taken;
  if (out->kind == STEP_TRAP || !end->result[taken].state)
    return NULL;
  memo_start_loop(s, i, c->loop);
  memo_count_insn(p, i, taken);
  return &end->result[taken];
}

// What the cycle has counted, but for the instruction.
void memo_count_rest(struct pipeline *p, const struct memo_result *r);

// The access that is posted is not granted in cycle `t`.
static inline bool access_waits(const struct pipeline *p, cycle_t t) {
  return p->data_posted && t < p->core->acc.until;
}

// What is asked for in state `s` as long as the pipeline waits in it for something to come; NULL:
// it does not.
static inline const struct memo_case *memo_rest(const struct pipeline *p, struct memo_state *s) {
  if (!s->rests || (s->holds_access && !p->data_posted))
    return NULL;
  struct memo_input in = memo_input(s, p->core, false, 0);
  const struct memo_case *c = memo_find_case(p->walk.memo, s, &in);
  return c && c->rests ? c : NULL;
}

// Behind the edge of cycle `now`, in state `s`: when it is to be clocked next.
static inline cycle_t memo_next_clock(struct pipeline *p, struct memo_state *s, cycle_t now) {
  const struct memo_case *rest = memo_rest(p, s);
  if (!rest)
    return now + 1;
  p->fetch_granted = false; // as if cycles had been clocked
  p->fetch.port.request_address = rest->address;
  return fetch_next(p, now);
}

// Behind the edge of a cycle: the pipeline is in state `s`, or in none that is recorded.
static inline void memo_end_cycle(struct memo_walk *w, struct memo_state *s) {
  w->at = s;
  w->from = NULL;
  w->now = NULL;
  w->data_after = 0;
  w->executed = false;
}

// The word that comes in cycle `t`.
static inline void memo_answer_fetch(struct pipeline *p, bool arrives, uint32_t word, cycle_t t) {
  p->answers = arrives;
  p->answer[0] = (struct fetch_answer){word, t};
}

// The edge of cycle `now`, whose requests have been made. False: how it ends has not been seen.
static inline bool memo_end(struct pipeline *p, cycle_t now) {
  struct memo_walk *w = &p->walk;
  struct memo_end *e =
      memo_find_end(w->memo, w->now, p->fetch_granted, w->data_after, memo_latency(p, w->at));
  const struct memo_result *r = !e ? NULL : e->issues ? memo_issue(p, e, now) : &e->result[0];
  if (!r || !r->state)
    return false;
  if (!r->plain)
    memo_count_rest(p, r);
  p->last_cause = r->cause;
  fetch_port_edge(p, now);
  p->last_edge = now;
  memo_end_cycle(w, memo_follow(w->memo, r->state));
  return true;
}

// State `s` with requests `c`, which has no such segment, is run through: it may get one.
void memo_offer_segment(struct pipeline *p, struct memo_state *s, struct memo_case *c);

// A cycle whose end has not been seen, though its requests have been made: computed from its start.
cycle_t memo_compute_after_all(struct pipeline *p, cycle_t now);

#endif
