#include "core/segment.h"
#include "core/segment_run.h"
#include "core/stack.h"
#include "isa/fp.h"

// What is put together: the cycle under way is asked for in `now` and ended by `end`.
struct course {
  struct segment *s;
  struct memo_state *at;
  struct memo_case *now;
  struct memo_end *end;
  unsigned uops;
  bool lost; // what it asks for
  uint8_t count[EVENT_COUNT], charged[CAUSE_COUNT];
  struct uop uop[SEGMENT_CYCLES + 2];
  uint32_t word[SEGMENT_CYCLES];
};

enum course_stop { COURSE_GOES_ON, COURSE_ENDS, COURSE_UNKNOWN };

// The words asked for are one behind the other.
static bool goes_on_in_line(const struct segment *s, const struct memo_case *c) {
  return !c->fetches || !s->code_span || memo_word_asked(c) == s->code_first + s->code_span;
}

static void ask_for(struct pipeline *p, struct course *at) {
  struct segment *s = at->s;
  s->arrives = at->now->fetches;
  s->address = at->now->address;
  s->last_word = 0;
  if (!s->arrives)
    return;
  uint32_t word = memo_word_asked(at->now);
  if (!s->code_span)
    s->code_first = word;
  s->code_span += 4;
  at->word[s->words++] = s->last_word = fetch_word(p, word);
}

// Whether IF still moves forwards along a line, and is at no loop's end.
static bool look_for_loops(const struct pipeline *p, struct segment *s,
                           const struct memo_state *at) {
  const struct hwloop *loop = p->core->loop;
  if (at->if_pc == loop[0].last || at->if_pc == loop[1].last)
    return false;
  if (s->cycles == 1)
    s->if_first = at->if_pc;
  if (at->if_pc < s->if_first + s->if_span)
    return false;
  s->if_span = at->if_pc - s->if_first;
  return true;
}

// Whether it is known what the instruction in ID does as part of a line.
static bool may_be_part(const struct id_insn *id) {
  const struct isa_insn *insn = &id->insn;
  if (stack_may_grow(insn->op, insn->rd, insn->rs1) && (insn->op != ISA_OP_addi || insn->imm < 0))
    return false;
  switch (id->kind) {
  case ID_PLAIN:
  case ID_JAL:
  case ID_JALR:
  case ID_BRANCH:
  case ID_HWLOOP:
    return true;
  default:
    return false;
  }
}

// Whether what happens in the cycle under way is known before its instruction is executed.
static bool is_decided(const struct pipeline *p, const struct course *at) {
  const struct memo_result *r = &at->end->result[0];
  const struct id_insn *id = &memo_insn_in_id(p, at->at)->id;
  if (at->at->by_operands || (at->end->issues && !may_be_part(id)))
    return false;
  if (!r->state)
    r = &at->end->result[1];
  const struct memo_state *next = memo_follow_if(p->walk.memo, r->state);
  if (!next || next->quiet)
    return false;
  return at->lost || r->cause < CAUSE_COUNT;
}

static enum segment_end kind_of_end(const struct id_insn *id) {
  if (id->unit == ID_LSU)
    return SEGMENT_ACCESSES;
  if (id->kind == ID_BRANCH)
    return SEGMENT_BRANCHES;
  return id->kind == ID_HWLOOP ? SEGMENT_LOOPS : SEGMENT_PLAIN;
}

static void add_insn(const struct pipeline *p, struct course *at) {
  struct segment *s = at->s;
  const struct memo_insn *i = memo_insn_in_id(p, at->at);
  exec_fill(&at->uop[at->uops++], &i->id.insn, at->at->id_pc, EXEC_WHOLE);
  s->insns++;
  s->macs = (uint8_t)(s->macs + i->macs);
  s->floats |= i->id.unit == ID_FPU;
  s->ends = (uint8_t)kind_of_end(&i->id);
  for (unsigned e = 0; e < i->events; e++)
    at->count[i->event[e]]++;
}

static void keep_last(const struct pipeline_memo *m, struct course *at) {
  struct segment *s = at->s;
  s->last_at = memo_link_to(m, at->at);
  s->last_now = memo_link_to(m, at->now);
  s->last_result = memo_link_to(m, at->end->result);
  s->before_address = s->address;
  s->before_arrives = s->arrives;
  s->before_word = s->last_word;
}

static void count_cycle(struct course *at, const struct memo_result *r) {
  for (unsigned i = 0; r->stalls >> i; i++)
    at->count[EVENT_LOAD_STALL + i] += r->stalls >> i & 1;
  at->s->last_cause = r->cause;
  at->charged[r->cause == CAUSE_OF_ACCESS ? CAUSE_TCDM_CONFLICT : r->cause]++;
  at->s->decrement[0] += r->decrement & 1;
  at->s->decrement[1] += r->decrement >> 1 & 1;
}

static void add_access(const struct pipeline *p, struct course *at) {
  const struct memo_insn *in_ex = memo_follow(p->walk.memo, at->at->ex);
  const struct isa_insn *insn = &in_ex->id.insn;
  unsigned cls = isa_ops[insn->op].cls;
  exec_fill(&at->uop[at->uops++], insn, at->at->ex_pc, EXEC_ACCESS);
  at->s->stores = cls == ISA_CLASS_STORE || cls == ISA_CLASS_FP_STORE;
}

// The cycle under way becomes one of the segment's.
static void add_cycle(struct pipeline *p, struct course *at) {
  struct segment *s = at->s;
  const struct memo_result *r = at->end->result;
  keep_last(p->walk.memo, at);
  if (at->s->asks && !at->s->cycles)
    add_access(p, at);
  if (at->end->issues)
    add_insn(p, at);
  count_cycle(at, r[0].state ? &r[0] : &r[1]);
  ask_for(p, at);
  s->cycles++;
  at->at = memo_follow_if(p->walk.memo, r->state);
}

// What is asked for in the cycle behind the last one.
static enum course_stop look_at_next(const struct pipeline *p, struct course *at) {
  const struct segment *s = at->s;
  if (s->ends != SEGMENT_PLAIN || at->at->jump || !look_for_loops(p, at->s, at->at) ||
      (!s->arrives && at->at->awaits_code))
    return COURSE_ENDS;
  at->now = memo_find_case(p->walk.memo, at->at, memo_input(s->arrives, s->last_word, -1), 0);
  if (!at->now)
    return COURSE_UNKNOWN;
  return at->now->accesses || !goes_on_in_line(s, at->now) ? COURSE_ENDS : COURSE_GOES_ON;
}

// Makes the cycle under way, if what happens in it is known.
static enum course_stop extend(struct pipeline *p, struct course *at) {
  at->end =
      memo_find_end(p->walk.memo, at->now, at->now->fetches, at->now->accesses && !at->lost, 0);
  if (!at->end)
    return COURSE_UNKNOWN;
  if (at->s->cycles == SEGMENT_CYCLES || !is_decided(p, at))
    return COURSE_ENDS;
  add_cycle(p, at);
  return look_at_next(p, at);
}

static bool list_counts(const struct course *at) {
  struct segment *s = at->s;
  for (unsigned e = 0; e < EVENT_COUNT; e++) {
    if (!at->count[e])
      continue;
    if (s->events == SEGMENT_EVENTS)
      return false;
    s->event[s->events].event = (uint8_t)e;
    s->event[s->events++].times = at->count[e];
  }
  for (unsigned i = 0; i < CAUSE_COUNT; i++) {
    if (i == CAUSE_ISSUE || !at->charged[i])
      continue;
    if (s->stalls == SEGMENT_STALLS)
      return false;
    s->stall[s->stalls].cause = (uint8_t)i;
    s->stall[s->stalls++].cycles = at->charged[i];
  }
  return true;
}

static bool lies_in_window(const struct core *c, const struct segment *s) {
  return s->code_first + s->code_span > c->window_base &&
         s->code_first - 4 < c->window_base + c->window_size;
}

// How the last cycle of `s` ends, by whether a branch is taken.
static const struct memo_result *last_result(const struct pipeline *p, const struct segment *s) {
  return memo_follow(p->walk.memo, s->last_result);
}

static struct segment *keep(struct segments *all, const struct pipeline *p, struct course *at) {
  struct segment *s = segment_at(all, all->count);
  bool serves = at->s->insns < at->uops; // the first makes an access
  exec_choose_quick(at->uop + serves, at->uops - serves);
  exec_forward(at->uop + serves, at->uops - serves);
  exec_end(&at->uop[at->uops++]);
  struct uop *u = at->s->uop = &all->uop[all->uops];
  if (at->s->decrement[0] || at->s->decrement[1])
    exec_count_down(u++, at->s->decrement);
  at->s->word = memo_link_to(p->walk.memo, &all->word[all->words]);
  memcpy(u, at->uop, at->uops * sizeof *at->uop);
  memcpy(&all->word[all->words], at->word, at->s->words * sizeof *at->word);
  at->s->stores &= lies_in_window(p->core, at->s);
  at->s->turns = at->s->ends == SEGMENT_LOOPS;
  at->s->uops = (uint8_t)((unsigned)(u - at->s->uop) + at->uops - 1);
  all->uops += at->s->uops + 1u;
  all->words += at->s->words;
  const struct memo_result *last = last_result(p, at->s);
  at->s->ended = (uint8_t)((last[0].state != 0) | (last[1].state != 0) << 1);
  at->s->number = (uint16_t)all->count++;
  *s = *at->s;
  memset(s->core, 0, all->cores * sizeof s->core[0]);
  return s;
}

static struct segment *make(struct segments *all, struct pipeline *p, struct memo_state *s,
                            struct memo_case *now, bool finally, bool lost) {
  if (all->count == SEGMENTS || all->uops + SEGMENT_CYCLES + 3 > SEGMENT_UOPS ||
      all->words + SEGMENT_CYCLES > SEGMENT_WORDS)
    return NULL;
  const struct pipeline_memo *m = p->walk.memo;
  struct segment made = {
      .if_first = UINT32_MAX, .first_at = memo_link_to(m, s), .first_now = memo_link_to(m, now)};
  made.asks = now->accesses && !lost;
  struct course at = {.s = &made, .at = s, .now = now, .lost = lost};
  enum course_stop stop = COURSE_GOES_ON;
  while (stop == COURSE_GOES_ON)
    stop = extend(p, &at);
  if (!made.cycles || (stop == COURSE_UNKNOWN && !finally) || !list_counts(&at))
    return NULL;
  return keep(all, p, &at);
}

struct segment *segment_new(struct segments *all, struct pipeline *p, struct memo_state *s,
                            struct memo_case *now, bool finally) {
  return make(all, p, s, now, finally, false);
}

// It is tried now and then whether that cycle has been seen.
struct segment *segment_of_loss(const struct core *c, struct segment *s) {
  enum { LOSSES_MAX = 128 };
  struct pipeline *p = c->pipeline;
  struct pipeline_memo *m = p->walk.memo;
  if (s->lost || s->losses == LOSSES_MAX)
    return memo_follow_if(m, s->lost);
  s->losses++;
  if (s->losses & (s->losses - 1))
    return NULL;
  struct segment *lost = make(memo_segments(m), p, memo_follow(m, s->first_at),
                              memo_follow(m, s->first_now), true, true);
  s->lost = lost ? memo_link_to(m, lost) : 0;
  return lost;
}

void segment_count(struct core_counters *k, const struct segment *s, uint64_t times) {
  k->instructions += times * s->insns;
  k->macs += times * s->macs;
  for (unsigned i = 0; i < s->events; i++)
    k->event[s->event[i].event] += times * s->event[i].times;
  for (unsigned i = 0; i < s->stalls; i++)
    k->stall[s->stall[i].cause] += times * s->stall[i].cycles;
}

void segments_count(struct segments *all, struct core *c) {
  const struct segment_list *list = &all->entered[c->index];
  for (unsigned i = 0; i < list->count; i++) {
    struct segment *s = segment_at(all, list->number[i]);
    uint64_t *entered = &s->core[c->index].entered;
    if (*entered)
      segment_count(&c->count, s, *entered);
    *entered = 0;
  }
  chains_count(all, c);
}

void segment_enter(const struct core *c, struct segment *s) {
  struct segments *all = memo_segments(c->pipeline->walk.memo);
  struct segment_list *list = &all->entered[c->index];
  s->core[c->index].entered++;
  if (s->listed >> c->index & 1)
    return;
  s->listed |= UINT32_C(1) << c->index;
  list->number[list->count++] = s->number;
}

// ---- what the way through them leaves to others

// All of its code is in the core's cache.
static bool segment_hits(const struct pipeline *p, const struct segment *s) {
  const struct code_lines *f = p->code.lines;
  if (!f || !s->code_span)
    return true;
  uint32_t first = s->code_first >> f->line_shift;
  uint32_t last = (s->code_first + s->code_span - 1) >> f->line_shift;
  return code_lines_cover(f, first) && code_lines_cover(f, last) &&
         code_lines_have_all(f, first, last);
}

// Memory holds the same words.
static bool segment_reads_same(struct pipeline *p, const struct segment *s) {
  const uint32_t *word = memo_follow(p->walk.memo, s->word);
  for (unsigned i = 0; i < s->words; i++)
    if (fetch_word(p, s->code_first + 4 * i) != word[i])
      return false;
  return true;
}

// What it is made of is as it was, now and as long as the epoch lasts.
static bool segment_verify(struct pipeline *p, struct segment *s) {
  uint64_t valid = s->core[p->core->index].valid;
  if (valid && (valid ^ *p->core->ahead.code_epoch) < CODE_EPOCH)
    return true;
  if (!segment_hits(p, s) || (s->written != *p->code.written && !segment_reads_same(p, s)))
    return false;
  s->written = *p->code.written;
  if (valid < p->core->ahead.fetched_from + CODE_EPOCH && s->code_span)
    memo_mark_fetched(p->core, s->code_first, s->code_first + s->code_span - 1);
  return true;
}

bool segment_holds_again(const struct core *c, struct segment *s) {
  uint64_t now = segment_stamp(c), *valid = &s->core[c->index].valid;
  if (((*valid ^ now) & (CODE_EPOCH - 1)) || !segment_verify(c->pipeline, s))
    return false;
  *valid = now;
  return true;
}

static bool is_on_the_way(const struct segment *s, uint32_t pc) {
  return pc - s->if_first <= s->if_span;
}

// Where it leads, which has been looked at.
static struct memo_state *end_of(const struct pipeline *p, const struct segment *s, bool taken) {
  return memo_follow(p->walk.memo, last_result(p, s)[taken].state);
}

// Where hardware loops may end, the last one first.
enum loop_end { END_NOWHERE, END_BEHIND, END_PASSED, END_REACHED };

static enum loop_end find_loop_end(const struct segment *s, const struct core *c) {
  enum loop_end found = END_NOWHERE;
  for (unsigned i = 0; i < 2; i++) {
    uint32_t last = c->loop[i].last;
    enum loop_end end = END_NOWHERE;
    for (unsigned n = 0; n < 2; n++)
      if (s->ended >> n & 1 && end_of(c->pipeline, s, n)->if_pc == last)
        end = END_BEHIND;
    if (is_on_the_way(s, last))
      end = c->loop[i].count > 1 ? END_REACHED : END_PASSED;
    if (end > found)
      found = end;
  }
  return found;
}

// Whether `s` holds; where that depends on nothing but epoch and context, it says so.
static bool look_at_all(const struct core *c, struct segment *s) {
  const struct access *a = &c->in_ex;
  enum loop_end end = find_loop_end(s, c);
  if (end == END_REACHED || !segment_verify(c->pipeline, s) || (s->floats && c->csr.frm > FP_RMM) ||
      (s->stores && a->addr - (s->code_first - 4) < s->code_span + 4))
    return false;
  if (end == END_BEHIND) {
    s->turns = true;
    s->next[0] = s->next[1] = NULL;
  }
  if (!s->stores && end <= END_BEHIND)
    s->core[c->index].valid = segment_stamp(c);
  return true;
}

void segment_stop_at(struct core *c, struct memo_state *at, struct memo_case *now,
                     const struct segment *s, cycle_t t) {
  struct pipeline *p = c->pipeline;
  c->ahead.asked = NULL;
  p->walk.at = at;
  p->walk.now = now;
  p->walk.behind = s;
  p->last_edge = t - 1;
  c->ahead.stop_at = t;
}

void segment_stop_before(struct core *c, const struct segment *next, const struct segment *s,
                         cycle_t t) {
  struct pipeline_memo *m = c->pipeline->walk.memo;
  segment_stop_at(c, memo_follow(m, next->first_at), memo_follow(m, next->first_now), s, t);
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
  p->fetch.ri.request_address = s->address;
  p->last_cause = s->last_cause;
  memo_answer_fetch(p, s->arrives, s->last_word, p->last_edge + 1);
}

// The pipeline's fields behind segment `s`, in state `at`, where cycle `t` is under way.
static void stand_behind(struct pipeline *p, const struct segment *s, struct memo_state *at,
                         cycle_t t) {
  segment_stop_at(p->core, at, NULL, s, t);
  memo_catch_up(p);
}

// What has been counted of the last cycle of `s` has not happened.
static void segment_uncount_last(struct core *c, const struct memo_insn *i,
                                 const struct memo_result *r) {
  c->count.instructions--;
  c->count.macs -= i->macs;
  for (unsigned e = 0; e < i->events; e++)
    c->count.event[i->event[e]]--;
  for (unsigned e = 0; r->stalls >> e; e++)
    c->count.event[EVENT_LOAD_STALL + e] -= r->stalls >> e & 1;
  for (unsigned l = 0; l < 2; l++)
    c->loop[l].count += r->decrement >> l & 1u;
}

// The last cycle of `s`, which has been run, is computed: its instruction decides what has not been
// seen, or is never recorded.
static void go_back(struct core *c, const struct segment *s, const struct segment *before,
                    cycle_t t) {
  struct pipeline *p = c->pipeline;
  bool taken = c->ahead.taken;
  struct memo_walk *w = &p->walk;
  struct memo_state *last_at = memo_follow(w->memo, s->last_at);
  const struct memo_insn *last = memo_insn_in_id(p, last_at);
  const struct memo_result *r = last_result(p, s);
  memo_catch_up(p);
  segment_uncount_last(c, last, r[0].state ? &r[0] : &r[1]);
  c->count.event[EVENT_TAKEN] -= taken;
  if (s->cycles > 1) {
    stand_behind(p, s, last_at, t - 1);
    p->fetch_granted = s->before_arrives;
    p->fetch.ri.request_address = s->before_address;
    memo_answer_fetch(p, s->before_arrives, s->before_word, t - 1);
  } else if (before) {
    stand_behind(p, before, last_at, t - 1);
  }
  w->now = memo_follow(w->memo, s->last_now);
  w->outcome =
      (struct step_outcome){.taken = taken, .target = last_at->id_pc + (uint32_t)last->id.insn.imm};
  if (s->ends == SEGMENT_ACCESSES) {
    w->outcome.kind = STEP_MEMORY;
    w->outcome.mem = p->core->in_ex;
    p->core->in_ex.addr &= ~UINT32_C(3); // what is in EX still does not cross a word
  }
  c->t = t;
  c->ahead.stop_at = memo_compute_instead(p, FETCH_HITS, s->last_word);
  c->ahead.stop = SEGMENT_COMPUTED;
}

// A line of code is missing, and is about to be asked for: what holds is not to be tried before.
static void await_line(const struct core *c, cycle_t until) {
  c->pipeline->walk.line_epoch = *c->ahead.code_epoch;
  c->pipeline->walk.line_until = until;
}

struct segment *segment_try(struct core *c, struct segment *s, const struct segment *before,
                            cycle_t t) {
  if (!look_at_all(c, s)) {
    if (!segment_hits(c->pipeline, s))
      await_line(c, t + s->cycles);
    if (before)
      segment_stop_before(c, s, before, t);
    c->ahead.stop = before ? SEGMENT_ASKS : SEGMENT_NONE;
    c->ahead.stop_at = t;
    return NULL;
  }
  segment_enter(c, s);
  c->ahead.taken = EXEC_LINE(c, s->uop);
  return segment_follow(c, s, before, t + s->cycles);
}

// The end of `s`. NULL: it is not known where it leads, for that has not been seen, or the access,
// which has left ID, crosses a word.
static struct memo_state *find_end(struct core *c, struct segment *s) {
  struct pipeline *p = c->pipeline;
  bool taken = c->ahead.taken;
  if ((s->ends == SEGMENT_ACCESSES && access_crosses_word(&c->in_ex)) ||
      !last_result(p, s)[taken].state)
    return NULL;
  if (s->ends == SEGMENT_LOOPS) {
    const struct memo_state *at = memo_follow(p->walk.memo, s->last_at);
    memo_start_loop(at, memo_insn_in_id(p, at), c->loop);
  }
  if (!(s->ended >> taken & 1)) { // a loop may end there
    s->ended |= (uint8_t)(1 << taken);
    for (unsigned i = 0; i < memo_segments(p->walk.memo)->cores; i++)
      s->core[i].valid = 0;
    look_at_all(c, s);
  }
  return end_of(p, s, taken);
}

// What is asked for behind `s`, where `link` leads; NULL: has not been seen, or is not known.
static struct memo_case *find_requests(const struct core *c, struct segment *s,
                                       struct memo_state *at) {
  struct pipeline_memo *m = c->pipeline->walk.memo;
  struct segment_link *link = &s->link[c->ahead.taken];
  if (!s->arrives && at->awaits_code)
    return NULL;
  int ends = memo_loop_that_ends(at, c->loop);
  memo_link *known = ends < 0 ? &link->now : &link->loop;
  struct memo_case *now = memo_follow_if(m, *known);
  if (now && memo_is_case(now, at, c->loop, c->r, ends))
    return now;
  now = memo_find_requests(m, at, s->arrives, s->last_word, c->loop, c->r);
  *known = now ? memo_link_to(m, now) : 0;
  return now;
}

// That `next` follows `s`, which holds, is known from now on without a look.
static inline void link_segments(const struct pipeline *p, struct segment *s, struct segment *next,
                                 bool taken) {
  if (end_of(p, s, taken)->jump || (s->ends == SEGMENT_ACCESSES && !next->asks))
    return;
  s->next[taken] = next;
}

static __attribute__((noinline)) struct segment *
look_for_next(struct core *c, struct segment *s, const struct segment *before, cycle_t t) {
  struct memo_state *at = find_end(c, s);
  if (!at) {
    go_back(c, s, before, t);
    return NULL;
  }
  struct memo_case *now = find_requests(c, s, at);
  if (now && now->segment)
    return memo_follow(c->pipeline->walk.memo, now->segment);
  segment_stop_at(c, at, now, s, t);
  c->ahead.stop = now && now->accesses && ask_group(c) ? SEGMENT_WAITS : SEGMENT_ASKS;
  return NULL;
}

struct segment *segment_follow(struct core *c, struct segment *s, const struct segment *before,
                               cycle_t t) {
  struct segment *next = look_for_next(c, s, before, t);
  if (next && !s->turns && s->core[c->index].valid == segment_stamp(c))
    link_segments(c->pipeline, s, next, c->ahead.taken);
  return next;
}

void segment_leave(struct core *c, struct segment *s, const struct segment *before,
                   const struct segment *next, cycle_t t) {
  if (access_crosses_word(&c->in_ex)) {
    go_back(c, s, before, t);
    return;
  }
  segment_stop_before(c, next, s, t);
  c->ahead.stop = SEGMENT_ASKS;
}
