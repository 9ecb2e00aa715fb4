// The fast way through states that have been noted: cycles that a core has to itself, one behind
// the other. What memo_request() and memo_edge() keep in the pipeline from cycle to cycle is kept
// in local variables here.
#include "core/memo_parts.h"
#include "core/window.h"
#include "isa_ops.h"

struct stretch {
  struct memo_state *at;
  struct memo_case *now, *made; // the cycle under way; the one made last
  cycle_t t;                    // the next cycle
  uint32_t word, hit_line;      // that arrives in it; line that is known to be in the cache
  bool arrives;
};

// The smallest line of an instruction cache, in bytes.
enum { SMALLEST_LINE = 16, NO_LINE = 1 };

// Whether the fetch of the cycle under way is granted at once.
static inline bool fetch_is_granted(const struct pipeline *p, struct stretch *r) {
  uint32_t line = r->now->address & ~(uint32_t)(SMALLEST_LINE - 1);
  if (line == r->hit_line)
    return true;
  if (!fetch_hits(p, r->now->address & ~UINT32_C(3)))
    return false;
  r->hit_line = line;
  return true;
}

// What the cycle asks for; NULL: not known.
static inline struct memo_case *look_at_requests(const struct core *c, const struct stretch *r) {
  int ends = memo_loop_that_ends(r->at, c->loop);
  uint64_t input = memo_input(r->arrives, r->word, ends);
  return memo_find_case(r->at, input, ends < 0 ? 0 : c->loop[ends].start);
}

// Looks up the cycle: what it asks for, and how it ends if that is answered at once. NULL: it is
// not to be made here, for the reason in `stop`.
static inline struct memo_end *look_up(struct pipeline *p, struct stretch *r,
                                       enum memo_stop *stop) {
  const struct core *c = p->core;
  *stop = MEMO_ASKS;
  if (r->at->awaits_code && !r->arrives && r->t != c->engine->now) // what comes is not known yet
    return NULL;
  if (!r->now)
    r->now = look_at_requests(c, r);
  if (!r->now || (r->now->fetches && !fetch_is_granted(p, r)))
    return NULL;
  if (r->now->accesses && !c->bank_granted) {
    *stop = MEMO_ACCESSES;
    return NULL;
  }
  return memo_find_end(r->now, r->now->fetches, r->now->accesses);
}

// The access in EX, to the shared window.
static inline void access_window(struct pipeline *p, const struct memo_state *s) {
  struct core *c = p->core;
  const struct access *a = &p->ex.whole;
  c->bank_granted = false;
  c->acc.data = a->data;
  window_serve(c, a->addr - c->window_base, a->size, a->kind);
  p->config.complete(c, &s->ex->id.insn, s->key.ex_pc, lsu_low_bytes(c->acc.data, a->size));
}

static inline void count_in_id(struct pipeline *p, const struct memo_insn *i, bool taken) {
  struct core *c = p->core;
  if (i->id.unit == ID_LSU)
    p->ex.whole = p->walk.outcome.mem;
  c->count.instructions++;
  c->count.macs += isa_ops[i->id.insn.op].macs;
  for (unsigned e = 0; e < i->events; e++)
    c->count.event[i->event[e]]++;
  c->count.event[EVENT_TAKEN] += taken;
}

// Executes the instruction in ID; returns whether it is a branch that is taken.
static inline bool execute_in_id(struct pipeline *p, const struct stretch *r) {
  struct step_outcome *out = &p->walk.outcome;
  const struct memo_insn *i = r->at->id;
  out->kind = STEP_DONE;
  out->taken = false;
  p->core->t = r->t + 1;
  i->execute(p->core, &i->id.insn, r->at->id_pc, out);
  return i->id.kind == ID_BRANCH && out->taken;
}

static inline bool begin_stretch(const struct pipeline *p, struct stretch *r, cycle_t t) {
  uint32_t word;
  bool arrives = fetch_arrives(p, t, &word);
  *r = (struct stretch){
      .at = p->walk.at, .t = t, .word = word, .hit_line = NO_LINE, .arrives = arrives};
  if (p->core->bank_granted) // it has been looked at
    r->now = p->walk.now;
  return r->at && t == p->last_edge + 1 && p->answers == arrives && !p->fetch_posted &&
         !p->data_posted && !interrupt_possible(p->core);
}

// The pipeline's fields as memo_edge() leaves them, behind the cycle made last.
static inline void settle_made(struct pipeline *p, const struct stretch *r) {
  p->answers = r->arrives;
  p->answer[0] = (struct fetch_answer){r->word, r->t};
  p->fetch_granted = p->fetch_at_once = r->made->fetches;
  p->fetch_address = r->made->address & ~UINT32_C(3);
  p->fetch.ri.request_address = r->made->address;
  p->last_edge = r->t - 1;
  memo_end_cycle(&p->walk, r->at);
}

// The cycle under way, with what has been done of it, is computed. Returns the next.
__attribute__((noinline)) static cycle_t compute_instead(struct pipeline *p, struct stretch stretch,
                                                         bool executed, struct handover *h) {
  const struct stretch *r = &stretch;
  struct memo_walk *w = &p->walk;
  if (r->made)
    settle_made(p, r);
  w->from = r->at;
  w->now = r->now;
  w->data_after = r->now->accesses;
  w->executed = executed;
  p->fetch_granted = false;
  p->fetch.ri.request_address = r->now->address;
  if (r->now->fetches)
    fetch_put_hit(p, r->now->address & ~UINT32_C(3), r->t);
  return memo_compute_after_all(p, r->t, h);
}

// Most states in a line are those of an instruction with which no block begins.
static bool is_of_interest(const struct core *c, const struct handover *h) {
  return h->kind == HANDOVER_REDIRECTED ||
         (h->kind == HANDOVER_IN_LINE && (h->begins_round || block_known(c->blocks, h->pc)));
}

// Behind the edge of a cycle that had this result.
static inline void move_on(struct pipeline *p, struct stretch *r, const struct memo_result *result,
                           uint32_t word) {
  memo_count(p, result);
  r->made = r->now;
  r->now = NULL;
  r->at = result->state;
  r->arrives = r->made->fetches;
  r->word = word;
  r->t++;
}

enum memo_stop memo_run(struct pipeline *p, cycle_t *next, cycle_t limit, cycle_t hands_over_from,
                        struct handover *h) {
  struct stretch r;
  enum memo_stop stop = MEMO_ASKS;
  if (!begin_stretch(p, &r, *next))
    return stop;
  do {
    const struct memo_end *end = look_up(p, &r, &stop);
    if (!end)
      break;
    // Read before this cycle's store is made: the same order as in a memory with two ports.
    uint32_t word = r.now->fetches ? fetch_word(p, r.now->address & ~UINT32_C(3)) : 0;
    if (r.now->accesses)
      access_window(p, r.at);
    bool taken = end->issues && execute_in_id(p, &r);
    bool odd = end->issues && memo_is_odd(&r.at->id->id, &p->walk.outcome);
    const struct memo_result *result = &end->result[taken];
    if (odd || !result->state) {
      *next = compute_instead(p, r, end->issues, h);
      return h->kind == HANDOVER_NONE ? MEMO_WAITS : MEMO_HANDS_OVER;
    }
    if (end->issues)
      count_in_id(p, r.at->id, taken);
    move_on(p, &r, result, word);
    stop = MEMO_LIMIT;
    if (r.t > hands_over_from && is_of_interest(p->core, &result->handover)) {
      *h = result->handover;
      stop = MEMO_HANDS_OVER;
    } else if (r.at->quiet) {
      stop = MEMO_WAITS;
    }
  } while (stop == MEMO_LIMIT && r.t < limit);
  if (r.made)
    settle_made(p, &r);
  p->walk.now = stop == MEMO_ACCESSES ? r.now : NULL;
  *next = stop == MEMO_WAITS ? memo_next_clock(p, r.at, r.t - 1) : r.t;
  return stop;
}
