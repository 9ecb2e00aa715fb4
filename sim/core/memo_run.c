// The fast way through states that have been noted: cycles that a core has to itself, one behind
// the other. What memo_request() and memo_edge() keep in the pipeline from cycle to cycle is kept
// in local variables here.
#include "core/block_parts.h"
#include "core/memo_parts.h"
#include "core/memo_path.h"
#include "core/window.h"
#include "isa/fp.h"

struct stretch {
  struct memo_state *at;
  struct memo_case *now, *made; // the cycle under way; the one made last
  cycle_t t;                    // the next cycle
  uint32_t word, hit_line;      // that arrives in it; line that is known to be in the cache
  bool arrives;
  bool posted;   // a fetch has been refused, and is asked for on
  uint8_t grant; // enum fetch_grant, of the fetch in the cycle under way, or made last
};

enum { NO_LINE = 1 };

static inline void ask_now(struct pipeline *p, struct stretch *r, uint32_t address) {
  r->grant = (uint8_t)fetch_ask(p, address, r->t);
  if (r->grant == FETCH_MISSES)
    p->fetch_from = r->t + p->code.miss_cycles;
}

// Asks for the fetch of the cycle under way. Ahead of the engine only hits are granted.
static inline bool fetch_is_decided(struct pipeline *p, struct stretch *r) {
  uint32_t address = memo_word_asked(r->now), line = address & ~(uint32_t)(SMALLEST_LINE - 1);
  r->grant = FETCH_HITS;
  if (line == r->hit_line)
    return true;
  if (r->t == p->core->engine->now)
    ask_now(p, r, address);
  else if (r->posted || !fetch_would_hit(p, address))
    return false;
  r->hit_line = r->grant == FETCH_HITS || r->grant == FETCH_EARLY ? line : NO_LINE;
  return r->grant != FETCH_OPEN;
}

// Whether it is known what the fetch brings in the next cycle.
static inline bool arrival_is_known(const struct pipeline *p, const struct stretch *r) {
  return memo_knows_arrival(p, r->at, r->arrives, r->t) || r->t == p->core->engine->now;
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

// ---- several cycles at once

// All of its code is in the core's cache, now and as long as nobody else acts.
static bool path_hits(struct pipeline *p, const struct memo_path *path) {
  return !path->code_span || fetch_would_hit(p, path->code_first);
}

// Memory holds what it held, also behind the access in the first cycle.
static bool path_is_as_noted(struct pipeline *p, const struct memo_path *path, bool accesses) {
  const struct access *a = &p->ex.whole;
  bool stores = accesses && a->kind == ACCESS_STORE;
  return memo_path_reads_same(p, path) &&
         !(stores && a->addr - (path->code_first - 4) < path->code_span + 4);
}

static bool path_holds(struct pipeline *p, const struct stretch *r, struct memo_path *path,
                       cycle_t limit) {
  const struct core *c = p->core;
  return r->t + path->cycles < limit && !r->posted && !memo_path_may_end(path, &c->loop[0]) &&
         !memo_path_may_end(path, &c->loop[1]) &&
         c->csr.frm <= FP_RMM && // no float operation is illegal that was not
         path_hits(p, path) && path_is_as_noted(p, path, r->now->accesses);
}

static inline void count_path(struct core *c, const struct memo_path *path) {
  c->count.instructions += path->insns;
  c->count.macs += path->macs;
  for (unsigned i = 0; i < path->events; i++)
    c->count.event[path->event[i].event] += path->event[i].times;
  for (unsigned i = 0; i < path->stalls; i++)
    c->count.stall[path->stall[i].cause] += path->stall[i].cycles;
}

// The path's cycles, all of them; `r` is at the one behind then.
static void take_path(struct pipeline *p, struct stretch *r, const struct memo_path *path) {
  struct core *c = p->core;
  struct step_outcome *out = &p->walk.outcome;
  if (r->now->accesses)
    access_window(p, r->at);
  out->kind = STEP_DONE;
  out->taken = false;
  for (unsigned i = 0; i < path->insns; i++) {
    const struct memo_insn *insn = path->insn[i].insn;
    insn->execute(c, &insn->id.insn, path->insn[i].pc, out);
  }
  if (path->insns)
    c->t = r->t + path->last_issue + 1;
  count_path(c, path);
  p->last_cause = path->last_cause;
  r->arrives = path->arrives;
  r->word = memo_path_last_word(path);
  r->grant = FETCH_HITS;
  r->made = path->made;
  r->now = path->now;
  r->at = path->at;
  r->t += path->cycles;
}

// Runs through the path from the cycle under way on.
static __attribute__((noinline)) bool look_up_path(struct pipeline *p, struct stretch *r,
                                                   struct memo_path *path, cycle_t limit) {
  if (!path_holds(p, r, path, limit))
    return false;
  take_path(p, r, path);
  return true;
}

// Looks up what the next cycle asks for. False: it is not to be made here, for the reason in
// `stop`.
static inline bool look_up_requests(struct pipeline *p, struct stretch *r, enum memo_stop *stop) {
  const struct core *c = p->core;
  *stop = MEMO_ASKS;
  if (!arrival_is_known(p, r))
    return false;
  if (!r->now)
    r->now = memo_find_requests(r->at, r->arrives, r->word, c->loop, c->r);
  if (!r->now)
    return false;
  if (!r->now->accesses || c->bank_granted)
    return true;
  *stop = MEMO_ACCESSES;
  return false;
}

// Looks up the next cycle, and makes others in front of it. NULL: it is not to be made here, for
// the reason in `stop`.
static inline struct memo_end *look_up(struct pipeline *p, struct stretch *r, cycle_t limit,
                                       enum memo_stop *stop) {
  do {
    if (!look_up_requests(p, r, stop))
      return NULL;
  } while (r->now->path && look_up_path(p, r, r->now->path, limit));
  if (!r->now->path && r->now->runs < RUNS_MAX)
    memo_note_path(p, r->at, r->now);
  bool granted = false;
  if (r->now->fetches) {
    if (!fetch_is_decided(p, r))
      return NULL;
    granted = r->grant <= FETCH_MISSES;
  }
  return memo_find_end(r->now, granted, r->now->accesses);
}

static inline void count_in_id(struct pipeline *p, const struct memo_insn *i, bool taken) {
  struct core *c = p->core;
  if (i->id.unit == ID_LSU)
    p->ex.whole = p->walk.outcome.mem;
  c->count.instructions++;
  c->count.macs += i->macs;
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

// Cycles may have been left out.
static inline bool begin_stretch(struct pipeline *p, struct stretch *r, cycle_t t) {
  uint32_t word;
  bool arrives = fetch_arrives(p, t, &word);
  *r = (struct stretch){.at = p->walk.at,
                        .t = t,
                        .word = word,
                        .hit_line = NO_LINE,
                        .arrives = arrives,
                        .posted = p->fetch_posted};
  if (p->core->bank_granted) // it has been looked at
    r->now = p->walk.now;
  p->walk.now = NULL;
  if (!r->at || p->answers != arrives || interrupt_possible(p->core))
    return false;
  if (t == p->last_edge + 1)
    return true;
  if (!r->at->timeless)
    return false;
  cause_left_out(p, r->at->missing, t);
  return true;
}

// Behind the cycle made last.
static inline void settle_made(struct pipeline *p, const struct stretch *r) {
  bool granted = r->made->fetches && r->grant <= FETCH_MISSES;
  memo_settle_made(p, r->at, r->made, granted, r->t);
  memo_settle_word(p, r->arrives, r->word, r->t);
  p->fetch_posted = r->posted;
}

// The fetch of the cycle under way has been asked for.
static inline void note_fetch(struct pipeline *p, const struct stretch *r) {
  memo_begin_requests(p, r->now);
  if (r->now->fetches)
    fetch_note(p, memo_word_asked(r->now), (enum fetch_grant)r->grant, r->t);
}

// The cycle under way, with what has been done of it, is computed. `word`: what its fetch brings,
// if it hits. Returns the next.
__attribute__((noinline)) static cycle_t compute_instead(struct pipeline *p, struct stretch stretch,
                                                         uint32_t word, struct handover *h) {
  const struct stretch *r = &stretch;
  struct memo_walk *w = &p->walk;
  if (r->made)
    settle_made(p, r);
  w->from = r->at;
  w->now = r->now;
  w->data_after = r->now->accesses;
  w->data_due = r->t + 1;
  w->executed = true;
  note_fetch(p, r);
  p->fetch_word = word;
  return memo_compute_after_all(p, r->t, h);
}

// Most states in a line are those of an instruction with which no block begins, or one that is not
// all there.
static inline bool is_of_interest(const struct pipeline *p, struct memo_result *r) {
  const struct block_cache *blocks = p->core->blocks;
  const struct handover *h = &r->handover;
  if (h->kind != HANDOVER_IN_LINE)
    return h->kind != HANDOVER_NONE;
  if (r->no_block == blocks->built)
    return h->begins_round;
  const struct block *b = block_known(blocks, h->pc);
  if (b)
    return !block_misses(b, p->code.front);
  r->no_block = blocks->built;
  return h->begins_round;
}

// Executes the instruction in ID, and finds the result of the cycle, which issues it. NULL: it is
// to be computed.
static inline struct memo_result *issue_in_id(struct pipeline *p, const struct stretch *r,
                                              struct memo_end *end) {
  bool taken = execute_in_id(p, r);
  struct memo_result *result = &end->result[taken];
  if (memo_is_odd(&r->at->id->id, &p->walk.outcome) || !result->state)
    return NULL;
  memo_start_loop(r->at, p->core->loop);
  count_in_id(p, r->at->id, taken);
  return result;
}

// The edge of the cycle under way, with this result. `word`: what its fetch brings, if it hits.
static inline void move_on(struct pipeline *p, struct stretch *r, const struct memo_result *result,
                           uint32_t word) {
  memo_count(p, result);
  if (r->now->fetches)
    r->posted = r->grant >= FETCH_REFUSED;
  r->arrives = r->now->fetches && r->grant == FETCH_HITS;
  r->word = word;
  r->made = r->now;
  r->now = NULL;
  r->at = result->state;
  r->t++;
}

enum memo_stop memo_run(struct pipeline *p, cycle_t *next, cycle_t limit, cycle_t hands_over_from,
                        struct handover *h) {
  struct stretch r;
  enum memo_stop stop = MEMO_ASKS;
  if (!begin_stretch(p, &r, *next))
    return stop;
  do {
    struct memo_end *end = look_up(p, &r, limit, &stop);
    if (!end)
      break;
    // Read before this cycle's store is made: the same order as in a memory with two ports.
    uint32_t word = r.now->fetches ? fetch_word(p, memo_word_asked(r.now)) : 0;
    if (r.now->accesses)
      access_window(p, r.at);
    struct memo_result *result = end->issues ? issue_in_id(p, &r, end) : &end->result[0];
    if (!result) {
      *next = compute_instead(p, r, word, h);
      return h->kind == HANDOVER_NONE ? MEMO_WAITS : MEMO_HANDS_OVER;
    }
    move_on(p, &r, result, word);
    stop = MEMO_LIMIT;
    if (r.t > hands_over_from && is_of_interest(p, result)) {
      *h = result->handover;
      stop = MEMO_HANDS_OVER;
    } else if (memo_waits(p, r.at)) {
      stop = MEMO_WAITS;
    }
  } while (stop == MEMO_LIMIT && r.t < limit);
  *next = r.t;
  if (r.made)
    settle_made(p, &r);
  if (stop == MEMO_WAITS)
    *next = memo_next_clock(p, r.at, r.t - 1);
  if (stop <= MEMO_ACCESSES) { // for memo_request() or memo_edge()
    p->walk.now = r.now;
    p->walk.from = r.at;
  }
  return stop;
}
