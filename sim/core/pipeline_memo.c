#include "core/pipeline_memo.h"

#include <string.h>

#include "core/memo_table.h"
#include "core/pipeline_stages.h"

void pipeline_memo_attach(struct pipeline_memo *m, struct pipeline *p) {
  const struct pipeline_config *c = &p->config;
  bool delays =
      c->fetch_grant_delay || c->fetch_data_delay || c->data_grant_delay || c->data_data_delay;
  bool attached = false;
  for (unsigned i = 0; i < m->pipelines; i++)
    attached |= m->pipeline[i] == p;
  if (delays || p->walk.memo || (!attached && m->pipelines == MEMO_PIPELINES))
    return;
  p->walk = (struct memo_walk){.memo = m};
  if (!attached)
    m->pipeline[m->pipelines++] = p;
  p->core->ahead.use = &m->segments.use[p->core->index];
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
    w->from = NULL;
    w->now = NULL;
  }
  for (unsigned i = 0; i < SEGMENT_CORES; i++)
    memset(m->segments.use[i].of, 0, m->segments.count * sizeof m->segments.use[i].of[0]);
  memset(m->state_slot, 0, sizeof m->state_slot);
  memset(m->insn_slot, 0, sizeof m->insn_slot);
  m->segments.count = m->segments.uops = m->segments.words = m->segments.chains = 0;
  m->states = m->cases = m->ends = m->insns = 0;
}

bool memo_checks_keys;
unsigned memo_wrong_keys;

void memo_unpack(struct pipeline *p) {
  struct memo_walk *w = &p->walk;
  memo_catch_up(p);
  if (!w->at)
    return;
  if (memo_checks_keys)
    pipeline_key_scramble(p);
  const struct memo_insn *ex = memo_follow_if(w->memo, w->at->ex);
  pipeline_key_unpack(memo_key(w->memo, w->at), &memo_insn_in_id(p, w->at)->id, ex ? &ex->id : NULL,
                      p, p->last_edge);
}

// Computes the requests of the cycle, which have been made: the edge is to be computed.
static void request_again(struct pipeline *p) {
  struct memo_walk *w = &p->walk;
  w->requested = true;
  pipeline_request(p, p->last_edge + 1);
  w->requested = false;
  if (w->data_after)
    w->data_after += (uint16_t)(lsu_grant(&p->lsu, w->data_due) - w->data_due);
}

// What follows is computed.
static void step_out(struct pipeline *p) {
  memo_unpack(p);
  p->walk.at = NULL;
  p->core->ahead.asked = NULL;
}

bool core_fetches(const struct core *c) {
  struct pipeline *p = c->pipeline;
  const struct memo_walk *w = &p->walk;
  memo_catch_up(p);
  if (!w->at)
    return p->fetch.port.request || fetch_outstanding(p);
  return (w->now ? w->now->fetches : p->fetch_posted) || w->at->awaits_code;
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

void memo_count_all(struct core *c) {
  if (c->pipeline && c->pipeline->walk.memo)
    segments_count(&c->pipeline->walk.memo->segments, c);
}

// ---- a cycle that is computed, and recorded

// Behind the edge of cycle `now`; NULL: in none that a key holds.
static struct memo_state *find_state(struct pipeline *p, cycle_t now) {
  if (!pipeline_key_exists(p, now))
    return NULL;
  struct memo_state *s = memo_state_behind(p, now);
  if (s)
    return s;
  pipeline_memo_forget(p->walk.memo);
  return memo_state_behind(p, now);
}

static cycle_t compute(struct pipeline *p, cycle_t now) {
  struct memo_walk *w = &p->walk;
  const struct core *c = p->core;
  uint64_t event[EVENT_COUNT];
  memcpy(event, c->count.event, sizeof event);
  w->latency = (uint16_t)(w->from ? memo_latency(p, w->from) : 0);
  cycle_t next = pipeline_edge(p, now);
  struct memo_state *s = find_state(p, now);
  if (s && w->from) {
    struct memo_result r = {.state = memo_link_to(w->memo, s), .decrement = p->now.counted};
    r.cause = p->last_cause;
    for (unsigned i = EVENT_LOAD_STALL; i < EVENT_COUNT; i++)
      r.stalls |= (uint8_t)((c->count.event[i] != event[i]) << (i - EVENT_LOAD_STALL));
    r.plain = r.cause == CAUSE_ISSUE && !r.decrement && !r.stalls;
    memo_record(p, &r);
  }
  memo_end_cycle(w, s);
  return s ? memo_next_clock(p, s, now) : next;
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

// ---- cycles

// Finds what the cycle asks for. False: that has not been seen; w->from is where it is to be
// recorded, if it can.
static inline bool begin_cycle(struct pipeline *p, cycle_t now) {
  struct memo_walk *w = &p->walk;
  uint32_t word;
  bool arrives = fetch_arrives(p, now, &word);
  cause_left_out(p, w->at->standing, now);
  w->input = memo_input(w->at, p->core, arrives, word);
  w->from = w->input.more == MANY_INPUTS || interrupt_comes(p->core, now) ? NULL : w->at;
  w->now = w->from && !memo_checks_keys ? memo_find_case(w->memo, w->at, &w->input) : NULL;
  return w->now != NULL;
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
  p->fetch_granted = p->fetch_open = false;
  p->fetch.port.request_address = w->now->address;
  if (w->now->fetches)
    fetch_put(p, memo_word_asked(w->now), now);
  if (w->now->accesses)
    ex_put(p, now);
  return !p->fetch_open && (!p->data_posted || access_waits(p, now));
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
  if (!w->at)
    return compute(p, now);
  // A grant may come in a cycle that was left out, in which nothing is asked for anew.
  if ((!w->now && !begin_cycle(p, now)) || !memo_end(p, now))
    return memo_compute_after_all(p, now);
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
