#include <string.h>

#include "core/memo_table.h"
#include "core/segment_run.h"
#include "isa/fp.h"

_Static_assert((int)COUNTERS <= 64, "a bit each");
void segment_count(struct core_counters *k, const struct segment_counts *s, uint64_t times) {
  uint64_t *counter = (uint64_t *)k;
  for (uint64_t m = s->which; m; m &= m - 1) {
    unsigned n = (unsigned)__builtin_ctzll(m);
    counter[n] += times * s->counter[n];
  }
}

void segments_count(struct segments *all, struct core *c) {
  struct segment_use *use = c->ahead.use->of;
  for (unsigned i = 0; i < all->count; i++) {
    if (!use[i].entered)
      continue;
    segment_count(&c->count, &all->counts[i], use[i].entered);
    use[i].entered = 0;
  }
  chains_count(all, c);
}

// ---- what the way through them leaves to others

// Memory holds the same words.
static __attribute__((noinline)) bool segment_reads_same(struct pipeline *p, struct segment *s) {
  const uint32_t *word = memo_follow(p->walk.memo, s->word);
  for (unsigned i = 0; i < s->words; i++)
    if (fetch_word(p, s->code_first + 4 * i) != word[i])
      return false;
  s->written = *p->code.written;
  return true;
}

// All of its code is in the core's cache, now and as long as the epoch lasts.
static inline bool is_there(const struct pipeline *p, const struct segment *s) {
  return !s->lines || code_lines_have_all(p->code.lines, s->line_first, s->lines);
}

// The loop may do something, as it is.
static bool may_act(uint8_t loops_seen, const struct hwloop *l) {
  unsigned idle = loops_seen == LOOPS_BY_FETCH ? 1 : 0;
  return loops_seen == LOOPS_IN_BODY || l->count > idle;
}

// Where it leads, which has been seen.
static struct memo_state *end_of(const struct pipeline *p, const struct segment *s, bool taken) {
  return memo_follow(p->walk.memo, segment_last_result(p, s)[taken].state);
}

// Whether no loop acts on the way. `*passes`: but one might, with another count.
static inline bool loops_let_pass(const struct core *c, struct segment *s, bool *passes) {
  if (c->loop[0].last - s->near_first > s->near_span &&
      c->loop[1].last - s->near_first > s->near_span)
    return true;
  for (unsigned i = 0; i < 2; i++) {
    const struct hwloop *l = &c->loop[i];
    for (unsigned n = 0; n < 2 && !s->turns; n++)
      if (segment_meets_loop(s->end_loops[n], l, s->end_pc[n], 0)) {
        s->turns = true;
        s->next[0] = s->next[1] = NULL;
      }
    if (!segment_meets_loop(s->loops, l, s->loop_first, s->loop_span))
      continue;
    if (may_act(s->loops, l))
      return false;
    *passes = true;
  }
  return true;
}

// Its code holds; that the core fetches it is noted, once in a while (`valid`: since when it held).
static inline void mark_fetched(const struct core *c, const struct segment *s, uint64_t valid) {
  if (valid < c->ahead.fetched_from + CODE_EPOCH && s->code_span)
    memo_mark_fetched(c->pipeline->core, s->code_first, s->code_first + s->code_span - 1);
}

// ... where more than code may have a say. Where that depends on nothing but epoch and context, it
// says so.
static __attribute__((noinline)) bool holds_in_context(const struct core *c, struct segment *s) {
  const struct access *a = &c->in_ex;
  bool passes = false;
  if (!loops_let_pass(c, s, &passes) || (s->floats && c->csr.frm > FP_RMM) ||
      (s->stores && a->addr - (s->code_first - 4) < s->code_span + 4))
    return false;
  mark_fetched(c, s, *segment_valid(c, s));
  if (!s->stores && !passes)
    *segment_valid(c, s) = segment_stamp(c);
  return true;
}

static __attribute__((noinline)) bool holds_anew(const struct core *c, struct segment *s) {
  struct pipeline *p = c->pipeline;
  return (s->written == *p->code.written || segment_reads_same(p, s)) && holds_in_context(c, s);
}

bool segment_holds_again(const struct core *c, struct segment *s) {
  const struct pipeline *p = c->pipeline;
  uint64_t *valid = segment_valid(c, s), stamp = segment_stamp(c);
  if (!is_there(p, s))
    return false;
  bool only_cache = *valid && !((*valid ^ stamp) & (CODE_EPOCH - 1)) &&
                    s->written == *p->code.written && *valid >= c->ahead.fetched_from + CODE_EPOCH;
  if (!only_cache)
    return holds_anew(c, s);
  *valid = stamp;
  return true;
}

// Stops behind `s` (NULL: in front of all), in cycle `t`, in which state `at` asks as in `now`.
static void stop_at(struct core *c, struct memo_state *at, struct memo_case *now,
                    const struct segment *s, cycle_t t) {
  struct pipeline *p = c->pipeline;
  c->ahead.asked = NULL;
  p->walk.at = at;
  p->walk.now = now;
  p->walk.behind = s;
  p->last_edge = t - 1;
}

enum segment_stop segment_leave(struct core *c, const struct segment *s, const struct segment *next,
                                cycle_t t) {
  struct pipeline_memo *m = c->pipeline->walk.memo;
  bool odd = access_crosses_word(&c->in_ex);
  stop_at(c, memo_follow(m, next->first_at), odd ? NULL : memo_follow(m, next->first_now), s, t);
  return SEGMENT_ASKS;
}

void memo_find_walk(struct pipeline *p) {
  const struct segment *asked = p->core->ahead.asked;
  if (!p->walk.behind || !asked)
    return;
  p->walk.at = memo_follow(p->walk.memo, asked->first_at);
  p->walk.now = memo_follow(p->walk.memo, asked->first_now);
}

void memo_catch_up(struct pipeline *p) {
  const struct segment *s = p->walk.behind;
  if (!s)
    return;
  memo_find_walk(p);
  p->walk.behind = NULL;
  p->fetch_granted = s->arrives;
  p->fetch_posted = false;
  p->fetch.port.request_address = s->address;
  p->last_cause = s->last_cause;
  memo_answer_fetch(p, s->arrives, s->last_word, p->last_edge + 1);
}

// The last cycle of `s`, which has been run up to cycle `t`, is computed: its branch goes where it
// has not been seen to go. All that it counts has been counted.
static void go_back(struct core *c, const struct segment *s, cycle_t t) {
  struct pipeline *p = c->pipeline;
  struct memo_walk *w = &p->walk;
  struct memo_state *at = memo_follow(w->memo, s->last_at);
  struct memo_case *now = memo_follow(w->memo, s->last_now);
  uint32_t target = at->id_pc + (uint32_t)memo_insn_in_id(p, at)->id.insn.imm;
  stop_at(c, at, now, NULL, t - 1);
  memo_answer_fetch(p, now->more & 1, now->word, t - 1);
  w->outcome = (struct step_outcome){.taken = c->ahead.taken, .target = target};
  if (memo_is_full(w->memo)) // and may be forgotten, which counts
    memo_count_all(c);
  struct core_counters count = c->count;
  struct hwloop loop[2] = {c->loop[0], c->loop[1]};
  c->t = t;
  w->from = at;
  w->executed = true;
  w->data_after = now->accesses;
  w->data_due = t;
  memo_begin_requests(p, now, t - 1, FETCH_HITS);
  c->ahead.next = memo_compute_after_all(p, t - 1);
  c->ahead.stop = SEGMENT_COMPUTED;
  c->count = count;
  memcpy(c->loop, loop, sizeof loop);
}

// It leads to where `pc` is compared with the loops' ends.
static void look_from(struct segment *s, uint32_t pc) {
  uint32_t behind = pc - s->near_first, in_front = s->near_first - pc;
  if (behind <= s->near_span)
    return;
  s->near_span = behind < in_front ? behind : s->near_span + in_front;
  s->near_first = behind < in_front ? s->near_first : pc;
}

// The end of `s`. NULL: it has not been seen where it leads.
static struct memo_state *find_end(struct core *c, struct segment *s) {
  struct pipeline *p = c->pipeline;
  bool taken = c->ahead.taken;
  if (!segment_last_result(p, s)[taken].state)
    return NULL;
  if (s->ends == SEGMENT_LOOPS) {
    const struct memo_state *at = memo_follow(p->walk.memo, s->last_at);
    memo_start_loop(at, memo_insn_in_id(p, at), c->loop);
  }
  if (!(s->ended >> taken & 1)) { // a loop may end there
    s->ended |= (uint8_t)(1 << taken);
    s->end_pc[taken] = end_of(p, s, taken)->loop_pc;
    s->end_loops[taken] = end_of(p, s, taken)->loops;
    look_from(s, s->end_pc[taken]);
    for (unsigned i = 0; i < SEGMENT_CORES; i++)
      p->walk.memo->segments.use[i].of[s->number].valid = 0;
    segment_holds_again(c, s);
  }
  return end_of(p, s, taken);
}

// What is asked for behind `s`, in state `at`; NULL: has not been seen, or is not known.
static struct memo_case *find_requests(const struct core *c, const struct segment *s,
                                       struct memo_state *at) {
  if (!s->arrives && at->awaits_code)
    return NULL;
  struct memo_input in = memo_input(at, c, s->arrives, s->last_word);
  return memo_find_case(c->pipeline->walk.memo, at, &in);
}

// Whether it is known where `s` leads if only hardware loops decide that.
static inline bool only_turns(const struct segment *s) {
  return s->turns && s->ends <= SEGMENT_ACCESSES;
}

// What follows `s`, if only hardware loops decide it, and it is known; else NULL.
static inline struct segment *find_turn(const struct core *c, const struct segment *s) {
  const struct pipeline *p = c->pipeline;
  uint32_t start = 0;
  unsigned loops = memo_loops(end_of(p, s, false), c->loop, &start);
  const struct segment_turn *t = &s->turn[loops != 0];
  return loops == t->loops && start == t->start ? memo_follow_if(p->walk.memo, t->to) : NULL;
}

static inline void link_turn(const struct core *c, struct segment *s, const struct segment *next) {
  const struct pipeline *p = c->pipeline;
  const struct memo_state *at = end_of(p, s, false);
  if (at->jump || (s->ends == SEGMENT_ACCESSES && !next->asks))
    return;
  uint32_t start = 0;
  unsigned loops = memo_loops(at, c->loop, &start);
  s->turn[loops != 0] = (struct segment_turn){memo_link_to(p->walk.memo, next), start, loops};
}

// That `next` follows `s`, which holds, is known from now on without a look.
static inline void link_segments(const struct pipeline *p, struct segment *s, struct segment *next,
                                 bool taken) {
  if (end_of(p, s, taken)->jump || (s->ends == SEGMENT_ACCESSES && !next->asks))
    return;
  s->next[taken] = next;
}

static __attribute__((noinline)) struct segment *look_for_next(struct core *c, struct segment *s,
                                                               cycle_t t) {
  struct memo_state *at = find_end(c, s);
  if (!at) {
    go_back(c, s, t);
    return NULL;
  }
  struct memo_case *now = find_requests(c, s, at);
  if (now && now->segment)
    return memo_follow(c->pipeline->walk.memo, now->segment);
  stop_at(c, at, now, s, t);
  c->ahead.stop = now && now->accesses && ask_group(c) ? SEGMENT_WAITS : SEGMENT_ASKS;
  return NULL;
}

struct segment *segment_follow(struct core *c, struct segment *s, cycle_t t) {
  const bool turns = only_turns(s);
  struct segment *next = turns ? find_turn(c, s) : NULL;
  if (next)
    return next;
  next = look_for_next(c, s, t);
  if (next && turns)
    link_turn(c, s, next);
  else if (next && !s->turns && *segment_valid(c, s) == segment_stamp(c))
    link_segments(c->pipeline, s, next, c->ahead.taken);
  return next;
}
