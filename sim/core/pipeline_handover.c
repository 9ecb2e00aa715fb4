// Between folded execution and the cycle model: both describe the same core, so each can take
// over from the other where the state of the pipeline is known: just after a redirection, with
// nothing under way.
#include "core/memo_parts.h"
#include "core/pipeline_stages.h"

void pipeline_take_over(struct pipeline *p, uint32_t pc, cycle_t first, cycle_t account_from) {
  struct hwloop loop[2] = {p->core->loop[0], p->core->loop[1]};
  p->account_from = account_from;
  p->last_cause = CAUSE_ISSUE;
  memo_begin(p, pc, first);
  for (unsigned i = 0; i < 2; i++) {
    bool unused = (loop[i].start | loop[i].last | loop[i].count) == 0;
    if (!unused) // else as pipeline_start() left it: the end register is 0
      p->core->loop[i] = loop[i];
  }
}

void pipeline_resume(struct pipeline *p, cycle_t account_from) {
  memo_settle(p);
  p->id.loop_round &= !p->loops_settled;
  p->loops_settled = false;
  memo_leave(p);
  p->account_from = account_from;
  p->replayed.grant = CYCLE_NEVER;
}

void pipeline_catch_up(struct pipeline *p, cycle_t from, cycle_t until) {
  enum fetch_grant (*request)(void *, struct pipeline *, uint32_t, cycle_t) = p->code.request;
  struct handover h;
  p->code.request = NULL;
  for (cycle_t t = from; t < until; t++) {
    if (p->replays)
      t = memo_replay(p, t, until);
    if (t == until)
      break;
    memo_request(p, t);
    if (p->replayed.grant == t)
      pipeline_data_grant(p, t, p->replayed.valid);
    memo_edge(p, t, &h);
  }
  p->code.request = request;
}

static void replay_issue(struct core *c, const struct isa_insn *insn, uint32_t pc,
                         struct step_outcome *out) {
  (void)insn, (void)pc;
  const struct wait *w = core_wait_since(c, c->t); // the next cycle: in EX
  *out = (struct step_outcome){.kind = STEP_MEMORY, .mem = {.size = 1}};
  if (w && w->split)
    out->mem = (struct access){.addr = 3, .size = 2};
}

static void replay_complete(struct core *c, const struct isa_insn *insn, uint32_t pc,
                            uint32_t rdata) {
  (void)c, (void)insn, (void)pc, (void)rdata;
}

// The access that crosses a word whose second half is asked for in cycle `now`; NULL: none.
static const struct wait *second_half(const struct core *c, cycle_t now) {
  for (unsigned i = 0; i < CORE_WAITS; i++) {
    const struct wait *w = core_last_wait(c, i);
    if (w->split && w->first_grant + 1 == now)
      return w;
    if (!w->hold && w->grant < now)
      break;
  }
  return NULL;
}

// An access waits as it did.
static void replay_present(struct core *c, cycle_t now) {
  struct pipeline *p = c->pipeline;
  const struct wait *w = core_wait_since(c, now);
  p->replayed.grant = now;
  p->replayed.valid = now + 1;
  if (!w)
    w = second_half(c, now);
  if (!w)
    return;
  bool first_half = w->split && w->since == now;
  p->replayed.grant = first_half ? w->first_grant : w->grant;
  p->replayed.valid = first_half ? w->first_grant + 1 : w->valid;
}

void pipeline_replay(struct pipeline *p, cycle_t from, cycle_t real, cycle_t until) {
  struct core *c = p->core;
  struct pipeline_config config = p->config;
  struct core_counters count = c->count;
  struct access acc = c->acc;
  cycle_t t = c->t;
  pipeline_watch *watch = p->watch;
  p->config.issue = replay_issue;
  p->config.complete = replay_complete;
  p->config.present = replay_present;
  p->watch = NULL;
  p->replays = true;
  p->account_from = 0; // as in any cycle: what is counted is thrown away
  pipeline_catch_up(p, from, real < until ? real : until);
  p->replays = false;
  p->account_from = real;
  p->waited = 0;
  c->count = count;
  c->acc = acc;
  c->t = t;
  p->config.issue = config.issue;
  p->watch = watch;
  pipeline_catch_up(p, real, until); // what is in EX is still replayed
  p->config = config;
}

// Nothing in EX or behind it takes longer than the next cycle.
static bool units_are_idle(const struct pipeline *p, cycle_t now) {
  // A fence may redirect while the second half of an access that crosses a word is still to come.
  if (p->ex.access)
    return false;
  for (unsigned i = 0; i < p->lsu.outstanding; i++)
    if (p->lsu.due[i] > now + 1)
      return false;
  return !p->fpu.inflight && !p->fpu.waiting && !p->fpu.kept && p->ex.unit_ready <= now + 1 &&
         !p->loops_written;
}

// A float operation in EX is done in the next cycle, for certain.
static bool float_is_quick(const struct pipeline *p) {
  const struct id_insn *insn = &p->ex.insn;
  return !p->config.shared_fpu && insn->fpu_group != FPU_DIVSQRT && insn->fpu_latency == 0;
}

static bool is_redirected(const struct pipeline *p, cycle_t now) {
  const struct pipeline_signals *s = &p->now;
  if (p->ctrl.state != CTRL_DECODE || p->ex.fpu)
    return false;
  // A jump redirects as soon as it is in ID, and may stay there.
  if (s->out.jumps && !s->leaves)
    return false;
  // Rule jalr-self: the jump, still seen in ID, waits for its own link.
  if (s->out.jumps && p->id.insn.insn.rd == p->id.insn.insn.rs1)
    return false;
  // Rule phantom-division: a division that is still in ID would start.
  if (p->config.id.model == CORE_RI5CY && p->id.insn.unit == ID_DIV)
    return false;
  // A request that was held is not that of the redirection, even for the same word.
  if (p->config.id.model == CORE_CV32E40P && p->fetch.cv.redirect_waits)
    return false;
  return units_are_idle(p, now);
}

// Behind a redirection, the word behind the one in which an instruction ends comes in while that
// is in ID. Here the fetch must be at least as far.
static bool fetch_is_ahead(const struct pipeline *p) {
  const struct prefetch_ri5cy *f = &p->fetch.ri;
  uint32_t last_word = (p->id.pc + p->id.insn.insn.size - 1) & ~UINT32_C(3);
  return f->loop == LOOP_NONE && (f->address & ~UINT32_C(3)) >= last_word + 4;
}

// Nothing in EX or behind it can hold up, redirect or change what is in ID.
static bool ex_is_plain(const struct pipeline *p, cycle_t now) {
  const struct ex_stage *ex = &p->ex;
  return !ex->branch && !ex->csr && (!ex->fpu || float_is_quick(p)) && units_are_idle(p, now);
}

static bool is_in_line(const struct pipeline *p, cycle_t now) {
  if (p->config.id.model != CORE_RI5CY || p->ctrl.state != CTRL_DECODE)
    return false;
  return p->now.if_taken && p->id.valid && p->id.insn.kind == ID_PLAIN && ex_is_plain(p, now) &&
         fetch_is_ahead(p);
}

void pipeline_handover(const struct pipeline *p, cycle_t now, struct handover *h) {
  const struct pipeline_signals *s = &p->now;
  bool cv = p->config.id.model == CORE_CV32E40P;
  *h = (struct handover){.kind = HANDOVER_NONE};
  if (p->stopped || s->traps)
    return;
  h->fetches = cv ? p->fetch.cv.outstanding : p->fetch.ri.bus != BUS_IDLE;
  if (s->out.fetch.redirect && is_redirected(p, now)) {
    h->kind = HANDOVER_REDIRECTED;
    h->pc = s->out.fetch.target;
    h->cause = s->out.cause;
  } else if (!s->out.fetch.redirect && is_in_line(p, now)) {
    h->kind = HANDOVER_IN_LINE;
    h->pc = p->id.pc;
    h->begins_round = p->id.loop_round;
  }
}

// The fetch holds nothing that arrives later than the next cycle, in which the cache takes another.
static bool fetch_is_prompt(const struct pipeline *p, unsigned under_way, cycle_t now) {
  const struct icache_front *f = p->code.front;
  if (!p->code.request)
    return true;
  if (p->fetch_posted || under_way != p->answers || (f && now + 1 < f->takes_from))
    return false;
  for (unsigned i = 0; i < p->answers; i++)
    if (p->answer[i].at > now + 1)
      return false;
  return true;
}

static bool inside(const struct hwloop *l, uint32_t pc) {
  return l->count > 0 && pc >= l->start && pc <= l->last;
}

// Bytes in front of a hardware loop's end from which on the fetch may be on its way back already.
enum { LOOP_TAIL = 16 };

// A loop whose end is too near: the fetch may have seen it.
static bool near_loop_end(const struct hwloop *l, uint32_t pc) {
  return l->count > 0 && pc <= l->last && l->last - pc < LOOP_TAIL;
}

bool pipeline_hands_over(const struct pipeline *p, const struct handover *h, cycle_t now) {
  const struct hwloop *loop = p->core->loop;
  if (h->kind == HANDOVER_NONE || !fetch_is_prompt(p, h->fetches, now))
    return false;
  if (h->kind == HANDOVER_IN_LINE)
    return !near_loop_end(&loop[0], h->pc) && !near_loop_end(&loop[1], h->pc);
  // The cache takes no request in the cycle in which it answers a miss.
  if (p->code.request && !(p->fetch_granted && pipeline_fetch_address(p) == (h->pc & ~UINT32_C(3))))
    return false;
  // Only legal loops, which have no jumps in them, run folded on CV32E40P.
  bool looping = inside(&loop[0], h->pc) || inside(&loop[1], h->pc);
  return !(p->config.id.model == CORE_CV32E40P && looping);
}

uint32_t pipeline_rounds_left(const struct pipeline *p, unsigned loop) {
  return p->core->loop[loop].count - (memo_rounds_begun(p) >> loop & 1);
}

bool pipeline_begins_last_round(const struct pipeline *p) {
  for (unsigned i = 0, begun = memo_rounds_begun(p); begun >> i; i++)
    if ((begun >> i & 1) && pipeline_rounds_left(p, i) <= 1)
      return true;
  return false;
}

void pipeline_settle_loops(struct pipeline *p) {
  for (unsigned i = 0, begun = memo_rounds_begun(p); begun >> i; i++)
    p->core->loop[i].count -= begun >> i & 1;
  p->loops_settled = true;
}
