#include "core/memo_table.h"

#include <sys/mman.h>

#include "core/pipeline_stages.h"

static const struct memo_end no_end = {.fetch_granted = NOT_YET};

// States and segments are used in the order in which they were first seen, all over megabytes: in
// large pages, if the host has such.
static void ask_for_large_pages(void *from, void *end) {
  enum { PAGE = 1 << 12, LARGE = 1 << 21 };
  char *first = (char *)from + (-(uintptr_t)from & (PAGE - 1));
  if ((char *)end - first >= LARGE)
    (void)madvise(first, (size_t)((char *)end - first), MADV_HUGEPAGE);
}

struct pipeline_memo *pipeline_memo_new(void) {
  struct pipeline_memo *m =
      mmap(NULL, sizeof *m, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (m == MAP_FAILED)
    return NULL;
  ask_for_large_pages(m->state, m->state + STATES);
  ask_for_large_pages(m->segments.segment, m->segments.segment + SEGMENTS);
  return m;
}

void pipeline_memo_free(struct pipeline_memo *m) {
  if (m)
    munmap(m, sizeof *m);
}

bool memo_is_full(const struct pipeline_memo *m) {
  return m->states == STATES || m->cases == CASES || m->ends == ENDS || m->insns + 2 > INSNS;
}

// ---- states

static memo_link find_insn(struct pipeline_memo *m, uint32_t word, const struct id_insn *id) {
  memo_link *slot = &m->insn_slot[word % INSN_SLOTS];
  for (const struct memo_insn *i = memo_follow_if(m, *slot); i; i = memo_follow_if(m, i->chain))
    if (i->word == word)
      return memo_link_to(m, i);
  struct memo_insn *i = &m->insn[m->insns++];
  *i = (struct memo_insn){.chain = *slot,
                          .word = word,
                          .id = *id,
                          .execute = step_function(&id->insn),
                          .events = (uint16_t)events_of(isa_ops[id->insn.op].cls, id->insn.size),
                          .macs = isa_ops[id->insn.op].macs};
  i->starts_at_if = m->pipeline[0]->config.id.model == CORE_RI5CY && id_sets_up_loop(id);
  return *slot = memo_link_to(m, i);
}

static unsigned rounds_begun(const struct pipeline *p) {
  return p->id.loop_round && p->id.valid ? p->id.loop_decrement : 0;
}

static void describe_loops(struct memo_state *s, const struct pipeline *p, bool flushed) {
  const struct prefetch_ri5cy *f = &p->fetch.ri;
  enum controller_state state = p->ctrl.state;
  bool decodes = state == CTRL_DECODE_HWLOOP || (state == CTRL_DECODE && !flushed);
  s->in_flight = (uint8_t)rounds_begun(p);
  s->no_loops = s->jump;
  if (p->config.id.model == CORE_RI5CY) {
    s->loops = LOOPS_BY_FETCH;
    s->loop_pc = f->fifo[0].valid ? f->fifo[0].address : f->address;
    return;
  }
  s->loops = p->id.valid && decodes ? (uint8_t)state : LOOPS_NEVER;
  s->loop_pc = p->id.pc;
  s->no_loops |= p->id.insn.kind == ID_HWLOOP;
}

static void describe(struct memo_state *s, const struct pipeline *p) {
  struct pipeline_memo *m = p->walk.memo;
  bool flushed = p->ex.branch && p->ex.taken; // what is in ID: it goes nowhere
  s->first = (struct memo_case){.more = NO_INPUT, .first = no_end};
  s->id = find_insn(m, p->id.word, &p->id.insn);
  s->ex = p->ex.access || p->ex.fpu ? find_insn(m, p->ex.insn.insn.word, &p->ex.insn) : 0;
  s->ex_pc = p->ex.pc;
  s->id_pc = p->id.pc;
  s->standing = p->standing;
  s->awaits_code = fetch_outstanding(p);
  s->rests = false;
  s->holds_access = p->ex.access;
  s->by_operands = id_is_timed_by_operands(&p->id.insn);
  s->jump = p->id.valid && p->id.insn.kind == ID_JALR && !flushed ? p->id.insn.insn.rs1 : 0;
  describe_loops(s, p, flushed);
}

struct memo_state *memo_state_behind(struct pipeline *p, cycle_t now) {
  struct pipeline_memo *m = p->walk.memo;
  struct pipeline_key key;
  const void *bytes = &key;
  pipeline_key_pack(&key, p, now);
  memo_link *slot = &m->state_slot[pipeline_key_hash(&key) % STATE_SLOTS];
  for (struct memo_state *s = memo_follow_if(m, *slot); s; s = memo_follow_if(m, s->chain))
    if (memcmp((const void *)memo_key(m, s), bytes, sizeof key) == 0)
      return s;
  if (memo_is_full(m))
    return NULL;
  struct memo_state *s = &m->state[m->states++];
  *memo_key(m, s) = key;
  s->chain = *slot;
  *slot = memo_link_to(m, s);
  describe(s, p);
  return s;
}

// ---- what follows

static struct memo_case *add_case(struct pipeline *p, struct memo_state *s) {
  struct pipeline_memo *m = p->walk.memo;
  struct memo_case *c = &s->first;
  if (c->more != NO_INPUT) {
    c = &m->memo_case[m->cases++];
    c->next = s->first.next;
    s->first.next = memo_link_to(m, c);
  }
  c->word = p->walk.input.word;
  c->more = p->walk.input.more;
  c->goes_to = p->walk.input.goes_to;
  c->address = p->fetch.port.request_address;
  c->fetches = p->fetch.port.request;
  c->accesses = p->lsu.request;
  c->runs = c->rests = 0;
  c->segment = 0;
  c->first = no_end;
  if (c->fetches && p->code.mark)
    p->code.mark(p->code.self, memo_word_asked(c));
  return c;
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
  return c->address == p->fetch.port.request_address && c->fetches == p->fetch.port.request &&
         c->accesses == p->lsu.request;
}

static bool is_same(const struct memo_result *a, const struct memo_result *b) {
  return a->state == b->state && a->cause == b->cause && a->decrement == b->decrement &&
         a->stalls == b->stalls;
}

// The cycle has changed nothing, and without input the next ones would not, either, and need not be
// clocked. What is counted in cycles that are left out, it counted.
static bool rests(const struct pipeline *p, const struct memo_state *s,
                  const struct memo_result *r) {
  unsigned standing = (unsigned)s->standing << (EVENT_FETCH_MISS - EVENT_LOAD_STALL);
  return memo_follow(p->walk.memo, r->state) == s && !s->by_operands && !p->now.leaves &&
         !r->decrement && r->stalls == standing && !p->fetch.port.responds &&
         !p->fetch.port.request && !p->walk.data_after;
}

void memo_record(struct pipeline *p, const struct memo_result *result) {
  struct memo_walk *w = &p->walk;
  struct memo_state *from = w->from;
  if (memo_is_full(w->memo))
    return;
  struct memo_case *c = w->now ? w->now : memo_find_case(w->memo, from, &w->input);
  if (!c)
    c = add_case(p, from);
  else
    memo_wrong_keys += !w->now && !is_asked(p, c); // memo_checks_keys
  struct memo_end *e = memo_find_end(w->memo, c, p->fetch_granted, w->data_after, w->latency);
  if (!e)
    e = add_end(p, c, p->now.leaves);
  struct memo_result *known = &e->result[p->ex.branch && p->ex.taken];
  memo_wrong_keys += known->state && !is_same(known, result);
  *known = *result;
  if (rests(p, from, result))
    from->rests = c->rests = true;
}

// With the first few, what follows may not have been seen yet.
enum { RUNS_MIN = 4 };

void memo_offer_segment(struct pipeline *p, struct memo_state *s, struct memo_case *c) {
  if (c->runs == RUNS_MAX || ++c->runs < RUNS_MIN || (c->runs & (c->runs - 1)))
    return;
  struct pipeline_memo *m = p->walk.memo;
  const struct segment *new = segment_new(p, s, c, c->runs == RUNS_MAX);
  c->segment = new ? memo_link_to(m, new) : 0;
}
