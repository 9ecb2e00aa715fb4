// sim/core/memo_state.h: what pipeline_memo.c and memo_run.h share: states, and what follows.
//
// There are up to a hundred thousand of them, all over the host's caches: they are linked by 32
// bits, and what is rarely looked at, the keys, lies elsewhere.
#ifndef PULPSIM_MEMO_STATE_H
#define PULPSIM_MEMO_STATE_H

#include "core/pipeline_key.h"
#include "core/pipeline_stages.h"

enum { INSN_EVENTS = 3 };

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
  uint8_t macs, events, event[INSN_EVENTS]; // that it counts
  bool starts_at_if;                        // sets up a loop that starts at what is in IF
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
  uint32_t word;    // memo_input(), low ...
  uint32_t goes_to; // ...
  uint32_t address; // on the instruction port
  memo_link next;
  memo_link segment; // that begins here
  uint8_t more;      // ... and high half; or NO_INPUT
  bool fetches, accesses;
  uint8_t runs;          // how often memo_run() has come by without a segment
  struct memo_end first; // and most often the only one
};

// What is looked at in every cycle comes first, and lies together.
struct memo_state {
  uint32_t if_pc;    // where hardware loops are looked for
  uint32_t id_pc;    // of the instruction in ID
  memo_link id;      // it
  uint8_t in_flight; // loops that are being counted down
  uint8_t jump;      // register that the jump in ID goes to; 0: none
  bool missing;      // the fetch has nothing to offer
  bool awaits_code;  // a fetch is under way
  bool timeless;     // nothing happens by itself, and no time passes that counts
  bool quiet;
  bool rests; // a cycle without input, and where no loop ends, leads to the same state, if an
              // access in EX is posted ...
  bool holds_access;
  bool by_operands;     // decide how long the instruction in ID takes
  bool fetches;         // the instruction port is not idle
  uint16_t wakes_after; // a unit or data are due; 0: nothing is
  struct memo_case first;
  uint32_t rests_at; // ... with this address on the instruction port
  uint32_t ex_pc;    // of the instruction in EX, if it matters
  memo_link ex;      // it
  memo_link chain;
  memo_link key; // struct squeezed_key
  // What it becomes if so many cycles are left out behind it; 0: not seen yet.
  memo_link later;
  uint16_t later_by;
};

enum { NOT_YET = 2 };
enum { RUNS_MAX = 64 }; // after so many it is not tried any more to find a segment
enum { NO_INPUT = UINT8_MAX };

// The hardware loop that ends in this cycle, or -1.
static inline int memo_loop_that_ends(const struct memo_state *s, const struct hwloop loop[2]) {
  return fetch_loop_that_ends(loop, s->if_pc, s->in_flight);
}

// Where the fetch may go to, because of that loop or of a jump by register in ID. False: that is
// more than one input.
static inline bool memo_goes_to(const struct memo_state *s, int loop_that_ends,
                                const struct hwloop loop[2], const uint32_t *r, uint32_t *to) {
  if (loop_that_ends < 0) {
    *to = r[s->jump]; // r[0] is 0
    return true;
  }
  *to = loop[loop_that_ends].start;
  return !s->jump;
}

static inline uint64_t memo_input(bool arrives, uint32_t word, int loop_that_ends) {
  return (arrives ? UINT64_C(1) << 32 | word : 0) | (uint64_t)(unsigned)(loop_that_ends + 1) << 33;
}

// Whether `c` is what is asked for in state `s`, if what comes is the same.
static inline bool memo_is_case(const struct memo_case *c, const struct memo_state *s,
                                const struct hwloop loop[2], const uint32_t *r,
                                int loop_that_ends) {
  if (loop_that_ends < 0)
    return c->goes_to == r[s->jump];
  return !s->jump && c->goes_to == loop[loop_that_ends].start && c->more >> 1 == loop_that_ends + 1;
}

// NULL: has not been seen.
static inline struct memo_case *memo_find_case(struct pipeline_memo *m, struct memo_state *s,
                                               uint64_t input, uint32_t goes_to) {
  for (struct memo_case *c = &s->first; c; c = memo_follow_if(m, c->next))
    if (c->word == (uint32_t)input && c->more == input >> 32 && c->goes_to == goes_to)
      return c;
  return NULL;
}

// What the cycle asks for in state `s`, in which `word` comes if `arrives`; NULL: has not been
// seen. `r`: the core's registers.
static inline struct memo_case *memo_find_requests(struct pipeline_memo *m, struct memo_state *s,
                                                   bool arrives, uint32_t word,
                                                   const struct hwloop loop[2], const uint32_t *r) {
  int ends = memo_loop_that_ends(s, loop);
  uint32_t to;
  if (!memo_goes_to(s, ends, loop, r, &to))
    return NULL;
  return memo_find_case(m, s, memo_input(arrives, word, ends), to);
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

static inline void memo_begin_requests(struct pipeline *p, const struct memo_case *c) {
  p->fetch_granted = p->fetch_open = false;
  p->fetch.ri.request_address = c->address;
}

// ... `latency`, before the instruction in ID is executed and behind the grant.
static inline unsigned memo_latency(const struct pipeline *p, const struct memo_state *s) {
  return __builtin_expect(s->by_operands, 0) ? id_time_by_operands(p, &memo_insn_in_id(p, s)->id)
                                             : 0;
}

// The instruction in ID, executed with this outcome, cannot be looked up: it traps, or its access
// crosses a word.
static inline bool memo_is_odd(const struct id_insn *id, const struct step_outcome *out) {
  return out->kind == STEP_TRAP || (id->unit == ID_LSU && access_crosses_word(&out->mem));
}

// The instruction in ID has been executed: a loop that it sets up starts at what is in IF.
static inline void memo_start_loop(const struct memo_state *s, const struct memo_insn *in_id,
                                   struct hwloop loop[2]) {
  if (in_id->starts_at_if)
    loop[in_id->id.insn.rd & 1].start = s->if_pc;
}

// The instruction `i` has left ID.
static inline void memo_count_insn(struct pipeline *p, const struct memo_insn *i, bool taken) {
  struct core *c = p->core;
  if (i->id.unit == ID_LSU)
    c->in_ex = p->walk.outcome.mem;
  c->count.instructions++;
  c->count.macs += i->macs;
  for (unsigned e = 0; e < i->events; e++)
    c->count.event[i->event[e]]++;
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
  if (memo_is_odd(&i->id, out) || !end->result[taken].state)
    return NULL;
  memo_start_loop(s, i, c->loop);
  memo_count_insn(p, i, taken);
  return &end->result[taken];
}

// What the cycle has counted, but for the instruction.
void memo_count_rest(struct pipeline *p, const struct memo_result *r);

static inline void memo_count(struct pipeline *p, const struct memo_result *r) {
  if (!r->plain)
    memo_count_rest(p, r);
  p->last_cause = r->cause;
}

// Whether it is known, ahead of the engine, what the fetch brings in cycle `t`.
static inline bool memo_knows_arrival(const struct pipeline *p, const struct memo_state *s,
                                      bool arrives, cycle_t t) {
  return !s->awaits_code || arrives || t < p->fetch_from;
}

// The access that is posted is not granted in cycle `t`.
static inline bool access_waits(const struct pipeline *p, cycle_t t) {
  return p->data_posted && t < p->core->acc.until;
}

// Whether it is in state `s` that the pipeline waits for something to come.
static inline bool memo_waits(const struct pipeline *p, const struct memo_state *s) {
  return s->quiet || (s->rests && (!s->holds_access || p->data_posted) &&
                      memo_loop_that_ends(s, p->core->loop) < 0);
}

// Behind the edge of cycle `now`, in state `s`.
static inline cycle_t memo_next_clock(struct pipeline *p, const struct memo_state *s, cycle_t now) {
  if (!memo_waits(p, s))
    return now + 1;
  if (!s->quiet) { // as if cycles without input had been clocked
    p->fetch_granted = false;
    p->fetch.ri.request_address = s->rests_at;
  }
  cycle_t ex = s->wakes_after ? now + s->wakes_after : CYCLE_NEVER, fetch = fetch_next(p, now);
  return ex < fetch ? ex : fetch;
}

// Behind the edge of a cycle: the pipeline is in state `s`, or in none that is recorded.
static inline void memo_end_cycle(struct memo_walk *w, struct memo_state *s) {
  w->at = s;
  w->from = NULL;
  w->now = NULL;
  w->data_after = 0;
  w->executed = false;
}

// Cycles in front of `now`, in which nothing happens, are left out. False: no key holds the state
// that `walk.at` becomes, and nothing has been done.
bool memo_pass_time(struct pipeline *p, cycle_t now);

struct segments *memo_segments(struct pipeline_memo *m);

// The word that comes in cycle `t`.
static inline void memo_answer_fetch(struct pipeline *p, bool arrives, uint32_t word, cycle_t t) {
  p->answers = arrives;
  p->answer[0] = (struct fetch_answer){word, t};
}

// State `s` with requests `c`, which has no such segment, is run through: it may get one.
void memo_offer_segment(struct pipeline *p, struct memo_state *s, struct memo_case *c);

// The cycle under way, with what has been done of it, is computed. `word`: what its fetch brings,
// if it hits. Returns the next.
cycle_t memo_compute_instead(struct pipeline *p, enum fetch_grant grant, uint32_t word);

// A cycle whose end has not been seen, though its requests have been made: computed from its start.
cycle_t memo_compute_after_all(struct pipeline *p, cycle_t now);

#endif
