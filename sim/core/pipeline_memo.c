#include "core/pipeline_memo.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core/memo_state.h"
#include "core/pipeline_key.h"
#include "core/pipeline_stages.h"
#include "core/segment.h"
#include "engine/limit.h"

enum { STATES = LIMIT(1 << 17, 50), CASES = STATES, ENDS = STATES, INSNS = STATES / 4 };
enum { KEYS = STATES * 16 }; // words of them
enum { STATE_SLOTS = LIMIT(1 << 16, 1), INSN_SLOTS = LIMIT(1 << 13, 1) };

static const struct memo_end no_end = {.fetch_granted = NOT_YET};

struct pipeline_memo {
  struct pipeline *pipeline[MEMO_PIPELINES];
  unsigned pipelines, states, cases, ends, insns, keys;
  memo_link state_slot[STATE_SLOTS], insn_slot[INSN_SLOTS];
  struct memo_state state[STATES];
  struct memo_case memo_case[CASES];
  struct memo_end end[ENDS];
  struct memo_insn insn[INSNS];
  uint32_t key[KEYS];
  struct segments segments;
};

// States and segments are used in the order in which they were first seen, all over megabytes: in
// large pages, if the host has such.
static void ask_for_large_pages(void *from, void *end) {
  enum { PAGE = 1 << 12, LARGE = 1 << 21 };
  char *first = (char *)from + (-(uintptr_t)from & (PAGE - 1));
  if ((char *)end - first >= LARGE)
    (void)madvise(first, (size_t)((char *)end - first), MADV_HUGEPAGE);
}

struct pipeline_memo *pipeline_memo_new(void) {
  struct pipeline_memo *m = calloc(1, sizeof *m);
  if (m) {
    ask_for_large_pages(m->state, m->state + STATES);
    ask_for_large_pages(m->segments.room, (char *)m->segments.room + sizeof m->segments.room);
  }
  return m;
}

void pipeline_memo_free(struct pipeline_memo *m) {
  free(m);
}

void pipeline_memo_attach(struct pipeline_memo *m, struct pipeline *p) {
  const struct pipeline_config *c = &p->config;
  bool delays =
      c->fetch_grant_delay || c->fetch_data_delay || c->data_grant_delay || c->data_data_delay;
  bool attached = false;
  for (unsigned i = 0; i < m->pipelines; i++)
    attached |= m->pipeline[i] == p;
  if (delays || c->id.model != CORE_RI5CY || p->walk.memo ||
      (!attached && m->pipelines == MEMO_PIPELINES))
    return;
  p->walk = (struct memo_walk){.memo = m};
  if (!attached)
    m->pipeline[m->pipelines++] = p;
  if (p->core->index < m->segments.cores)
    return;
  pipeline_memo_forget(m);
  m->segments.cores = p->core->index + 1;
}

void pipeline_memo_detach(struct pipeline *p) {
  memo_leave(p);
  memo_count_all(p->core);
  p->walk = (struct memo_walk){0};
}

void pipeline_memo_forget(struct pipeline_memo *m) {
  for (unsigned i = 0; i < m->pipelines; i++) {
    struct memo_walk *w = &m->pipeline[i]->walk;
    memo_leave(m->pipeline[i]);
    segments_count(&m->segments, m->pipeline[i]->core);
    w->unpacked = w->from = NULL;
    w->now = NULL;
  }
  for (unsigned i = 0; i < SEGMENT_CORES; i++)
    m->segments.entered[i].count = 0;
  memset(m->state_slot, 0, sizeof m->state_slot);
  memset(m->insn_slot, 0, sizeof m->insn_slot);
  m->segments.count = m->segments.uops = m->segments.words = m->segments.chains = 0;
  m->states = m->cases = m->ends = m->insns = m->keys = 0;
}

static bool is_full(const struct pipeline_memo *m) {
  return m->states == STATES || m->cases == CASES || m->ends == ENDS || m->insns + 2 > INSNS ||
         m->keys + 1 + KEY_WORDS > KEYS;
}

bool memo_checks_keys;
unsigned memo_wrong_keys;

void memo_unpack(struct pipeline *p) {
  struct memo_walk *w = &p->walk;
  memo_catch_up(p);
  cycle_t now = p->last_edge;
  if (!w->at || (w->unpacked == w->at && w->unpacked_at == now && !memo_checks_keys))
    return;
  if (memo_checks_keys)
    pipeline_key_scramble(p);
  const struct memo_insn *ex = memo_follow_if(w->memo, w->at->ex);
  struct pipeline_key key;
  pipeline_key_expand(&key, memo_follow(w->memo, w->at->key));
  pipeline_key_unpack(&key, &memo_insn_in_id(p, w->at)->id, ex ? &ex->id : NULL, p, now);
  w->unpacked = w->at;
  w->unpacked_at = now;
}

// Computes the requests of the cycle, which have been made: the edge is to be computed.
static void request_again(struct pipeline *p) {
  struct memo_walk *w = &p->walk;
  w->requested = true;
  pipeline_request(p, p->last_edge + 1);
  w->requested = false;
  if (w->data_after)
    lsu_grant(&p->lsu, w->data_due);
}

// What follows is computed.
static void step_out(struct pipeline *p) {
  memo_unpack(p);
  p->walk.at = p->walk.unpacked = NULL;
  p->core->ahead.asked = NULL;
}

bool memo_fetches(struct pipeline *p) {
  const struct memo_walk *w = &p->walk;
  const struct prefetch *cv = &p->fetch.cv;
  memo_catch_up(p);
  if (p->config.id.model == CORE_CV32E40P)
    return cv->request || cv->outstanding;
  if (!w->at)
    return p->fetch.ri.request || p->fetch.ri.bus != BUS_IDLE;
  return (w->now ? w->now->fetches : p->fetch_posted) || w->at->fetches;
}

void memo_leave(struct pipeline *p) {
  struct memo_walk *w = &p->walk;
  memo_catch_up(p);
  if (!w->at)
    return;
  step_out(p);
  w->from = NULL;
  w->now = NULL;
  request_again(p);
}

// What an instruction counts.
static void list_events(struct memo_insn *i) {
  uint64_t event[EVENT_COUNT] = {0};
  unsigned n = 0;
  events_add(event, isa_ops[i->id.insn.op].cls, i->id.insn.size);
  for (unsigned e = 0; e < EVENT_COUNT && n < INSN_EVENTS; e++)
    if (event[e])
      i->event[n++] = (uint8_t)e;
  i->events = (uint8_t)n;
  i->macs = isa_ops[i->id.insn.op].macs;
}

static memo_link find_insn(struct pipeline_memo *m, uint32_t word, const struct id_insn *id) {
  memo_link *slot = &m->insn_slot[word % INSN_SLOTS];
  for (const struct memo_insn *i = memo_follow_if(m, *slot); i; i = memo_follow_if(m, i->chain))
    if (i->word == word)
      return memo_link_to(m, i);
  struct memo_insn *i = &m->insn[m->insns++];
  *i = (struct memo_insn){
      .chain = *slot, .word = word, .id = *id, .execute = step_function(&id->insn)};
  i->starts_at_if = id_sets_up_loop(id);
  list_events(i);
  return *slot = memo_link_to(m, i);
}

static unsigned rounds_begun(const struct pipeline *p) {
  return p->id.loop_round && p->id.valid ? p->id.loop_decrement : 0;
}

static void describe(struct memo_state *s, const struct pipeline *p, cycle_t now) {
  struct pipeline_memo *m = p->walk.memo;
  const struct prefetch_ri5cy *f = &p->fetch.ri;
  s->first = (struct memo_case){.more = NO_INPUT, .first = no_end};
  s->id = find_insn(m, p->id.word, &p->id.insn);
  s->ex = p->ex.access || p->ex.fpu ? find_insn(m, p->ex.insn.insn.word, &p->ex.insn) : 0;
  s->ex_pc = p->ex.pc;
  s->id_pc = p->id.pc;
  s->missing = p->missing;
  s->fetches = f->bus != BUS_IDLE;
  s->awaits_code = f->bus == BUS_WAIT_DATA || f->bus == BUS_WAIT_ABORTED;
  s->quiet = p->quiet >= QUIET_EDGES;
  s->rests = false;
  s->later = 0;
  s->holds_access = p->ex.access;
  s->by_operands = id_is_timed_by_operands(&p->id.insn);
  s->if_pc = f->fifo[0].valid ? f->fifo[0].address : f->address;
  s->in_flight = (uint8_t)rounds_begun(p);
  cycle_t wakes = ex_next(p, now);
  bool due = wakes != CYCLE_NEVER;
  s->wakes_after = due ? (uint16_t)(wakes - now) : 0;
  bool flushed = p->ex.branch && p->ex.taken; // what is in ID: it goes nowhere
  s->jump = p->id.valid && p->id.insn.kind == ID_JALR && !flushed ? p->id.insn.insn.rs1 : 0;
  s->timeless = !due && p->refill_until <= now && !p->fpu.due_count && p->account_from <= now + 1;
}

// The state that the pipeline is in behind the edge of cycle `now`.
static struct memo_state *find_state(struct pipeline *p, cycle_t now) {
  struct pipeline_memo *m = p->walk.memo;
  struct pipeline_key key;
  struct squeezed_key squeezed;
  pipeline_key_pack(&key, p, now);
  unsigned words = pipeline_key_squeeze(&squeezed, &key);
  memo_link *slot = &m->state_slot[pipeline_key_hash(&squeezed, words) % STATE_SLOTS];
  for (struct memo_state *s = memo_follow_if(m, *slot); s; s = memo_follow_if(m, s->chain))
    if (memcmp(memo_follow(m, s->key), &squeezed, words * sizeof(uint32_t)) == 0)
      return s;
  if (is_full(m))
    pipeline_memo_forget(m);
  struct memo_state *s = &m->state[m->states++];
  s->key = memo_link_to(m, memcpy(&m->key[m->keys], &squeezed, words * sizeof(uint32_t)));
  m->keys += words;
  s->chain = *slot;
  *slot = memo_link_to(m, s);
  describe(s, p, now);
  return s;
}

// ---- a cycle that is computed, and recorded

static struct memo_case *add_case(struct pipeline *p, struct memo_state *s) {
  struct pipeline_memo *m = p->walk.memo;
  struct memo_case *c = &s->first;
  if (c->more != NO_INPUT) {
    c = &m->memo_case[m->cases++];
    c->next = s->first.next;
    s->first.next = memo_link_to(m, c);
  }
  c->word = (uint32_t)p->walk.input;
  c->more = (uint8_t)(p->walk.input >> 32);
  c->goes_to = p->walk.goes_to;
  c->address = p->fetch.ri.request_address;
  c->fetches = p->fetch.ri.request;
  c->accesses = p->lsu.request;
  c->runs = 0;
  c->segment = 0;
  c->first = no_end;
  if (c->fetches && p->code.mark)
    p->code.mark(p->code.self, memo_word_asked(c));
  return c;
}

// With the first few, what follows may not have been seen yet.
enum { RUNS_MIN = 4 };

void memo_offer_segment(struct pipeline *p, struct memo_state *s, struct memo_case *c) {
  if (c->runs == RUNS_MAX || ++c->runs < RUNS_MIN || (c->runs & (c->runs - 1)))
    return;
  struct pipeline_memo *m = p->walk.memo;
  const struct segment *new = segment_new(&m->segments, p, s, c, c->runs == RUNS_MAX);
  c->segment = new ? memo_link_to(m, new) : 0;
}

struct segments *memo_segments(struct pipeline_memo *m) {
  return &m->segments;
}

void memo_count_all(struct core *c) {
  if (c->pipeline && c->pipeline->walk.memo)
    segments_count(&c->pipeline->walk.memo->segments, c);
}

static struct memo_end *add_end(struct pipeline *p, struct memo_case *c, bool issues) {
  struct pipeline_memo *m = p->walk.memo;
  struct memo_end *e = &c->first;
  if (e->fetch_granted != NOT_YET) {
    e = &m->end[m->ends++];
    e->next = c->first.next;
    c->first.next = memo_link_to(m, e);
  }
  e->data_after = p->walk.data_after;
  e->latency = p->walk.latency;
  e->fetch_granted = p->fetch_granted;
  e->issues = issues;
  memset(e->result, 0, sizeof e->result);
  return e;
}

// The cycle that has been computed asks for what such a cycle has asked for before.
static bool is_asked(const struct pipeline *p, const struct memo_case *c) {
  return c->address == p->fetch.ri.request_address && c->fetches == p->fetch.ri.request &&
         c->accesses == p->lsu.request;
}

static bool is_same(const struct memo_result *a, const struct memo_result *b) {
  return a->state == b->state && a->cause == b->cause && a->decrement == b->decrement &&
         a->stalls == b->stalls;
}

static void record(struct pipeline *p, struct memo_state *from, const struct memo_result *result) {
  struct memo_walk *w = &p->walk;
  if (is_full(w->memo))
    return;
  struct memo_case *c = w->now ? w->now : memo_find_case(w->memo, from, w->input, w->goes_to);
  if (!c)
    c = add_case(p, from);
  else
    memo_wrong_keys += !w->now && !is_asked(p, c); // memo_checks_keys
  struct memo_end *e =
      memo_find_end(w->memo, c, p->fetch_granted, p->walk.data_after, p->walk.latency);
  if (!e)
    e = add_end(p, c, p->now.leaves);
  struct memo_result *known = &e->result[p->ex.branch && p->ex.taken];
  memo_wrong_keys += known->state && !is_same(known, result);
  *known = *result;
}

// At most in how long nothing has changed.
static bool differ_in_quiet(struct pipeline_memo *m, const struct memo_state *a,
                            const struct memo_state *b) {
  struct pipeline_key x, y;
  pipeline_key_expand(&x, memo_follow(m, a->key));
  pipeline_key_expand(&y, memo_follow(m, b->key));
  x.state.quiet = y.state.quiet;
  return memcmp(&x, &y, sizeof x) == 0;
}

// The cycle that led from `from` to `s`, with `r`, changed nothing: without input the next ones
// would not either, and need not be clocked. What is counted in cycles that are left out, it
// counted.
static bool changed_nothing(const struct pipeline *p, const struct memo_state *from,
                            const struct memo_state *s, const struct memo_result *r) {
  unsigned missing = (unsigned)s->missing << (EVENT_FETCH_MISS - EVENT_LOAD_STALL);
  return !from->by_operands && p->state.quiet && r->stalls == missing && !p->fetch_granted &&
         !p->fetch.ri.request && !p->walk.data_after &&
         memo_loop_that_ends(from, p->core->loop) < 0 && differ_in_quiet(p->walk.memo, from, s);
}

static cycle_t compute(struct pipeline *p, cycle_t now) {
  struct memo_walk *w = &p->walk;
  const struct core *c = p->core;
  uint64_t event[EVENT_COUNT];
  memcpy(event, c->count.event, sizeof event);
  w->latency = (uint16_t)(w->from ? memo_latency(p, w->from) : 0);
  cycle_t next = pipeline_edge(p, now);
  w->unpacked = NULL;
  struct memo_state *s = pipeline_key_exists(p, now) ? find_state(p, now) : NULL;
  if (s && w->from) {
    struct memo_result r = {.state = memo_link_to(w->memo, s), .decrement = p->now.counted};
    r.cause = now < p->account_from ? (uint8_t)CAUSE_ISSUE : p->last_cause;
    for (unsigned i = EVENT_LOAD_STALL; i < EVENT_COUNT; i++)
      r.stalls |= (uint8_t)((c->count.event[i] != event[i]) << (i - EVENT_LOAD_STALL));
    r.plain = r.cause == CAUSE_ISSUE && !r.decrement && !r.stalls;
    record(p, w->from, &r);
    if (changed_nothing(p, w->from, s, &r)) {
      w->from->rests = true;
      w->from->rests_at = p->fetch.ri.request_address;
    }
  }
  memo_end_cycle(w, s);
  w->unpacked = s;
  w->unpacked_at = now;
  return next;
}

static void executed_before(struct core *c, const struct isa_insn *insn, uint32_t pc,
                            struct step_outcome *out) {
  (void)insn, (void)pc;
  *out = c->pipeline->walk.outcome;
}

cycle_t memo_compute_after_all(struct pipeline *p, cycle_t now) {
  struct memo_walk *w = &p->walk;
  void (*issue)(struct core *, const struct isa_insn *, uint32_t, struct step_outcome *) =
      p->config.issue;
  step_out(p);
  request_again(p);
  if (w->executed)
    p->config.issue = executed_before;
  cycle_t next = compute(p, now);
  p->config.issue = issue;
  return next;
}

cycle_t memo_compute_instead(struct pipeline *p, enum fetch_grant grant, uint32_t word) {
  struct memo_walk *w = &p->walk;
  cycle_t t = p->last_edge + 1;
  w->from = w->at;
  w->data_after = w->now->accesses && !p->data_posted;
  w->data_due = t + 1;
  w->executed = true;
  memo_begin_requests(p, w->now);
  if (w->now->fetches)
    fetch_latch(p, memo_word_asked(w->now), grant, t);
  p->fetch_word = word;
  return memo_compute_after_all(p, t);
}

// ---- cycles

// False: there are too many.
static bool look_at_inputs(struct pipeline *p, cycle_t now) {
  struct memo_walk *w = &p->walk;
  uint32_t word = 0;
  bool arrives = fetch_arrives(p, now, &word);
  int ends = memo_loop_that_ends(w->at, p->core->loop);
  w->input = memo_input(arrives, word, ends);
  return memo_goes_to(w->at, ends, p->core->loop, p->core->r, &w->goes_to);
}

// The same for a state in which time counts, if that has not been looked up before.
static bool find_later(struct pipeline *p, struct memo_state *s, cycle_t now) {
  struct memo_walk *w = &p->walk;
  cycle_t by = now - p->last_edge - 1;
  memo_unpack(p);
  if (by > UINT16_MAX || is_full(w->memo) || p->account_from > p->last_edge + 1 ||
      p->refill_until > p->last_edge || !pipeline_key_exists(p, now - 1))
    return false;
  cause_left_out(p, s->missing, now);
  w->at = w->unpacked = find_state(p, now - 1);
  w->unpacked_at = now - 1;
  s->later = memo_link_to(w->memo, w->at);
  s->later_by = (uint16_t)by;
  return true;
}

bool memo_pass_time(struct pipeline *p, cycle_t now) {
  struct memo_walk *w = &p->walk;
  struct memo_state *s = w->at;
  if (!s->timeless) {
    if (!s->later || now - p->last_edge - 1 != s->later_by)
      return find_later(p, s, now);
    w->at = memo_follow(w->memo, s->later);
  }
  cause_left_out(p, s->missing, now);
  return true;
}

// Finds what the cycle asks for. False: that has not been seen; w->from is where it is to be
// recorded, if it can.
static inline bool begin_cycle(struct pipeline *p, cycle_t now) {
  struct memo_walk *w = &p->walk;
  if (interrupt_possible(p->core) || (now != p->last_edge + 1 && !memo_pass_time(p, now)))
    return false;
  w->from = NULL;
  if (!look_at_inputs(p, now))
    return false;
  w->from = w->at;
  w->now = memo_checks_keys ? NULL : memo_find_case(w->memo, w->at, w->input, w->goes_to);
  return w->now != NULL;
}

static inline void request_code(struct pipeline *p, const struct memo_case *c, cycle_t now) {
  memo_begin_requests(p, c);
  if (c->fetches)
    fetch_put(p, memo_word_asked(c), now);
}

bool memo_request(struct pipeline *p, cycle_t now) {
  struct memo_walk *w = &p->walk;
  memo_catch_up(p);
  if (w->at && !w->now && !begin_cycle(p, now))
    step_out(p);
  if (!w->at) {
    pipeline_request(p, now);
    return false;
  }
  request_code(p, w->now, now);
  if (w->now->accesses)
    ex_put(p, now);
  return !p->fetch_open && (!p->data_posted || access_waits(p, now));
}

bool memo_can_lose(struct pipeline *p) {
  memo_find_walk(p);
  const struct memo_case *c = p->walk.now;
  return c && !p->fetch_posted &&
         (!c->fetches || fetch_hits(p, memo_word_asked(c), p->core->engine->now));
}

void memo_request_lost(struct pipeline *p, cycle_t now) {
  const struct memo_case *c = p->walk.now;
  if (!c) { // all has been forgotten since that was asked: see memo_leave()
    fetch_present(p, now);
    return;
  }
  request_code(p, c, now);
}

void memo_count_rest(struct pipeline *p, const struct memo_result *r) {
  struct core *c = p->core;
  for (unsigned i = 0; r->decrement >> i; i++)
    c->loop[i].count -= r->decrement >> i & 1;
  for (unsigned i = 0; r->stalls >> i; i++)
    c->count.event[EVENT_LOAD_STALL + i] += r->stalls >> i & 1;
  cause_charge(p, r->cause, 1);
}

cycle_t memo_edge(struct pipeline *p, cycle_t now) {
  struct memo_walk *w = &p->walk;
  memo_catch_up(p);
  if (!w->memo)
    return pipeline_edge(p, now);
  struct memo_state *s = w->at;
  if (!s)
    return compute(p, now);
  // A grant may come in a cycle that was left out, in which nothing is asked for anew.
  if (!w->now && !begin_cycle(p, now))
    return memo_compute_after_all(p, now);
  struct memo_end *e =
      memo_find_end(w->memo, w->now, p->fetch_granted, w->data_after, memo_latency(p, s));
  const struct memo_result *r = !e ? NULL : e->issues ? memo_issue(p, e, now) : &e->result[0];
  if (!r || !r->state)
    return memo_compute_after_all(p, now);
  memo_count(p, r);
  fetch_port_edge(p, now);
  p->last_edge = now;
  memo_end_cycle(w, memo_follow(w->memo, r->state));
  return memo_next_clock(p, w->at, now);
}

uint32_t memo_pc_in_id(struct pipeline *p) {
  memo_find_walk(p);
  return p->walk.at ? p->walk.at->id_pc : p->id.pc;
}

uint32_t memo_pc_in_ex(struct pipeline *p) {
  memo_find_walk(p);
  return p->walk.at ? p->walk.at->ex_pc : p->ex.pc;
}

const struct isa_insn *memo_insn_in_ex(struct pipeline *p) {
  memo_find_walk(p);
  if (!p->walk.at)
    return &p->ex.insn.insn;
  const struct memo_insn *ex = memo_follow(p->walk.memo, p->walk.at->ex);
  return &ex->id.insn;
}

bool memo_next_pc(struct pipeline *p, uint32_t *pc) {
  memo_unpack(p);
  const struct ex_stage *ex = &p->ex;
  bool decodes = p->ctrl.state == CTRL_DECODE || p->ctrl.state == CTRL_DECODE_HWLOOP;
  *pc = p->id.pc;
  return decodes && p->id.valid && !(ex->branch && ex->taken) && !ex->access && !ex->csr &&
         !p->lsu.outstanding;
}
