// Puts segments together of what is recorded.
#include <string.h>

#include "core/memo_table.h"
#include "core/segment_run.h"
#include "core/stack.h"

// What is put together: the cycle under way is asked for in `now` and ended by `end`.
struct course {
  struct segment *s;
  struct segment_counts counts;
  struct memo_state *at;
  struct memo_case *now;
  struct memo_end *end;
  unsigned uops;
  bool lost;    // what it asks for
  bool in_line; // asks for words of one line of code only
  struct uop uop[SEGMENT_CYCLES + 2];
  uint32_t word[SEGMENT_CYCLES];
};

enum course_stop { COURSE_GOES_ON, COURSE_ENDS, COURSE_UNKNOWN };

// The words asked for are one behind the other.
static bool goes_on_in_line(const struct segment *s, const struct memo_case *c) {
  return !c->fetches || !s->code_span || memo_word_asked(c) == s->code_first + s->code_span;
}

static bool leaves_line(const struct pipeline *p, const struct course *at) {
  return at->in_line && at->now->fetches && at->s->code_span &&
         (memo_word_asked(at->now) ^ at->s->code_first) >> p->code.lines->line_shift;
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

// Whether what loops are compared with still moves forwards along a line, and is where none acts.
static bool look_for_loops(const struct pipeline *p, struct segment *s,
                           const struct memo_state *at) {
  const struct hwloop *loop = p->core->loop;
  if (segment_meets_loop(at->loops, &loop[0], at->loop_pc, 0) ||
      segment_meets_loop(at->loops, &loop[1], at->loop_pc, 0))
    return false;
  if (at->loops == LOOPS_NEVER)
    return true;
  if (s->loops == LOOPS_NEVER) {
    s->loops = at->loops;
    s->loop_first = at->loop_pc;
  }
  if (s->loops != at->loops || at->loop_pc < s->loop_first + s->loop_span)
    return false;
  s->loop_span = at->loop_pc - s->loop_first;
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
  if (at->at->by_operands || at->now->rests || (at->end->issues && !may_be_part(id)))
    return false;
  if (!r->state)
    r = &at->end->result[1];
  return r->state && (at->lost || r->cause < CAUSE_COUNT);
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
  at->counts.insns++;
  at->counts.macs = (uint8_t)(at->counts.macs + i->macs);
  s->floats |= i->id.unit == ID_FPU;
  s->ends = (uint8_t)kind_of_end(&i->id);
  for (uint32_t m = i->events; m; m &= m - 1)
    at->counts.event[__builtin_ctz(m)]++;
}

static void count_cycle(struct course *at, const struct memo_result *r) {
  struct segment *s = at->s;
  for (unsigned i = 0; r->stalls >> i; i++)
    at->counts.event[EVENT_LOAD_STALL + i] += r->stalls >> i & 1;
  s->last_cause = r->cause;
  if (r->cause != CAUSE_ISSUE)
    at->counts.stall[r->cause == CAUSE_OF_ACCESS ? CAUSE_TCDM_CONFLICT : r->cause]++;
  s->decrement[0] += r->decrement & 1;
  s->decrement[1] += r->decrement >> 1 & 1;
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
  s->last_at = memo_link_to(p->walk.memo, at->at);
  s->last_now = memo_link_to(p->walk.memo, at->now);
  s->last_result = memo_link_to(p->walk.memo, r);
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
  if (s->ends != SEGMENT_PLAIN || at->at->jump || at->at->rests ||
      !look_for_loops(p, at->s, at->at) || (!s->arrives && !s->awaits && at->at->awaits_code))
    return COURSE_ENDS;
  const struct memo_input in = {.word = s->last_word, .more = s->arrives};
  at->now = memo_find_case(p->walk.memo, at->at, &in);
  if (!at->now)
    return COURSE_UNKNOWN;
  return at->now->accesses || (s->awaits && at->now->fetches) || !goes_on_in_line(s, at->now) ||
                 leaves_line(p, at)
             ? COURSE_ENDS
             : COURSE_GOES_ON;
}

// Makes the cycle under way, if what happens in it is known.
static enum course_stop extend(struct pipeline *p, struct course *at) {
  at->end =
      memo_find_end(p->walk.memo, at->now, at->now->fetches, at->now->accesses && !at->lost, 0);
  if (!at->end)
    return COURSE_UNKNOWN;
  if (at->s->cycles == (at->s->awaits ? AWAITS_CYCLES : SEGMENT_CYCLES) || !is_decided(p, at))
    return COURSE_ENDS;
  add_cycle(p, at);
  return look_at_next(p, at);
}

static bool lies_in_window(const struct core *c, const struct segment *s) {
  return s->code_first + s->code_span > c->window_base &&
         s->code_first - 4 < c->window_base + c->window_size;
}

_Static_assert((int)SEGMENT_CYCLES < (int)CODE_LINES_AT_ONCE, "of a word each");
static void find_lines(const struct code_lines *f, struct segment *s) {
  if (!f || !s->code_span)
    return;
  s->line_first = s->code_first >> f->line_shift;
  uint32_t last = (s->code_first + s->code_span - 1) >> f->line_shift;
  s->lines = (UINT64_C(2) << (last - s->line_first)) - 1;
}

static struct segment *keep(struct segments *all, const struct pipeline *p, struct course *at) {
  struct segment *s = &all->segment[all->count];
  bool serves = at->counts.insns < at->uops; // the first makes an access
  exec_choose_quick(at->uop + serves, at->uops - serves);
  exec_forward(at->uop + serves, at->uops - serves);
  exec_end(&at->uop[at->uops++]);
  struct uop *u = at->s->uop = &all->uop[all->uops];
  if (at->s->decrement[0] || at->s->decrement[1])
    exec_count_down(u++, at->s->decrement);
  at->s->word = memo_link_to(p->walk.memo, &all->word[all->words]);
  memcpy(u, at->uop, at->uops * sizeof *at->uop);
  memcpy(&all->word[all->words], at->word, at->s->words * sizeof *at->word);
  find_lines(p->code.lines, at->s);
  at->s->stores &= lies_in_window(p->core, at->s);
  bool by_fetch = p->core->model == CORE_RI5CY;
  at->s->near_first = at->s->loops != LOOPS_NEVER ? at->s->loop_first : at->s->address;
  at->s->near_span = by_fetch ? at->s->loop_span : UINT32_MAX;
  at->s->turns = at->s->ends == SEGMENT_LOOPS;
  at->s->uops = (uint8_t)((unsigned)(u - at->s->uop) + at->uops - 1);
  all->uops += at->s->uops + 1u;
  all->words += at->s->words;
  at->s->number = (uint16_t)all->count++;
  *s = *at->s;
  for (unsigned i = 0; i < COUNTERS; i++)
    at->counts.which |= (uint64_t)(at->counts.counter[i] != 0) << i;
  all->counts[s->number] = at->counts;
  return s;
}

static struct segment *make(struct pipeline *p, struct memo_state *s, struct memo_case *now,
                            bool finally, bool lost, bool in_line) {
  struct pipeline_memo *m = p->walk.memo;
  struct segments *all = &m->segments;
  if (all->count == SEGMENTS || all->uops + SEGMENT_CYCLES + 3 > SEGMENT_UOPS ||
      all->words + SEGMENT_CYCLES > SEGMENT_WORDS)
    return NULL;
  struct segment made = {.first_at = memo_link_to(m, s), .first_now = memo_link_to(m, now)};
  made.asks = now->accesses && !lost;
  made.awaits = s->awaits_code && !(now->more & 1) && !now->fetches;
  struct course at = {.s = &made, .at = s, .now = now, .lost = lost, .in_line = in_line};
  enum course_stop stop = COURSE_GOES_ON;
  while (stop == COURSE_GOES_ON)
    stop = extend(p, &at);
  if (!made.cycles || (stop == COURSE_UNKNOWN && !finally))
    return NULL;
  return keep(all, p, &at);
}

struct segment *segment_new(struct pipeline *p, struct memo_state *s, struct memo_case *now,
                            bool finally) {
  return make(p, s, now, finally, false, false);
}

// It is tried now and then whether that cycle has been seen. Nothing leaves ID in it.
struct segment *segment_of_loss(const struct core *c, struct segment *s) {
  enum { LOSSES_MAX = 128 };
  struct pipeline *p = c->pipeline;
  struct pipeline_memo *m = p->walk.memo;
  if (s->losses == LOSSES_MAX)
    return NULL;
  s->losses++;
  if (s->losses & (s->losses - 1))
    return NULL;
  s->lost = make(p, memo_follow(m, s->first_at), memo_follow(m, s->first_now), true, true, false);
  return s->lost;
}

struct segment *segment_in_line(const struct core *c, struct segment *s) {
  struct pipeline *p = c->pipeline;
  struct pipeline_memo *m = p->walk.memo;
  if (!s->in_line && s->lines > 1)
    s->in_line =
        make(p, memo_follow(m, s->first_at), memo_follow(m, s->first_now), true, false, true);
  return s->in_line && segment_holds(c, s->in_line) ? s->in_line : NULL;
}
