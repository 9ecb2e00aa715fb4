// Every cycle has one cause: why no instruction left ID in it.
#include "core/pipeline_stages.h"

const char *const cause_names[CAUSE_COUNT] = {
#define CAUSE(id, name, meaning) name,
    CAUSE_LIST(CAUSE)
#undef CAUSE
};

const char *const cause_meanings[CAUSE_COUNT] = {
#define CAUSE(id, name, meaning) meaning,
    CAUSE_LIST(CAUSE)
#undef CAUSE
};

static bool waits_for_data(const struct pipeline *p) {
  return !p->lsu.ready_ex || !p->lsu.ready_wb;
}

// The instruction in ID is whole and wants to go.
static unsigned stall_cause(const struct pipeline *p) {
  const struct pipeline_signals *s = &p->now;
  if (!s->unit_ready)
    return CAUSE_MULTICYCLE;
  if (waits_for_data(p) && !p->ex.branch)
    return CAUSE_OF_ACCESS;
  if (s->split_stall)
    return CAUSE_MISALIGNED;
  if (s->in.jump_stall)
    return CAUSE_JUMP;
  if (s->load_stall)
    return CAUSE_LOAD_USE;
  if (s->contention || (p->fpu.request && !s->fpu.granted))
    return CAUSE_FPU_CONTENTION;
  if (s->fpu_stall || p->fpu.stalls)
    return CAUSE_FPU_DEPENDENCY;
  return CAUSE_CSR;
}

static unsigned cause_of(struct pipeline *p, cycle_t now) {
  const struct pipeline_signals *s = &p->now;
  if (s->leaves && !s->traps && !id_traps(s->in.kind))
    return CAUSE_ISSUE;
  if (s->in.interrupt && s->in.valid && !s->in.branch_taken)
    return CAUSE_CSR;
  enum controller_state state = p->ctrl.state;
  if (state <= CTRL_FIRST_FETCH)
    return CAUSE_FETCH;
  if (state >= CTRL_WAIT_SLEEP)
    return CAUSE_SLEEP;
  if (state != CTRL_DECODE && state != CTRL_DECODE_HWLOOP)
    return waits_for_data(p) ? (unsigned)CAUSE_OF_ACCESS : (unsigned)CAUSE_CSR;
  if (s->out.decoding)
    return stall_cause(p);
  // A jump's own register, or whatever EX holds, keeps the target's instruction out of ID.
  bool blocked = s->offered && !s->id_ready;
  if (now <= p->refill_until) {
    if (blocked)
      p->refill_until = now + 1;
    return p->refill_cause;
  }
  if (blocked)
    return s->in.jump_stall ? (unsigned)CAUSE_JUMP : stall_cause(p);
  return CAUSE_FETCH;
}

void cause_charge(struct pipeline *p, unsigned cause, uint64_t cycles) {
  if (cause == CAUSE_OF_ACCESS) {
    bool granted = !p->data_posted && p->data_since == CYCLE_NEVER;
    if (granted)
      p->core->count.stall[p->core->wait_cause] += cycles;
    else
      p->waited += cycles;
  } else if (cause != CAUSE_ISSUE) {
    p->core->count.stall[cause] += cycles;
  }
}

// From a redirection, or the last cycle of a flush, to the cycle behind it there is nothing to
// decode.
static void begin_refill(struct pipeline *p, cycle_t now) {
  const struct controller_out *out = &p->now.out;
  if (out->fetch.redirect || p->ctrl.state == CTRL_FLUSH_WB || p->ctrl.state == CTRL_ELW_DONE) {
    p->refill_until = now + 1;
    p->refill_cause = out->fetch.redirect ? out->cause : CAUSE_CSR;
  }
}

static void count_standing(struct pipeline *p, unsigned standing, uint64_t cycles) {
  for (unsigned i = 0; standing >> i; i++)
    p->core->count.event[EVENT_FETCH_MISS + i] += (standing >> i & 1) * cycles;
}

void cause_left_out(struct pipeline *p, unsigned standing, cycle_t now) {
  if (now <= p->last_edge + 1)
    return;
  uint64_t cycles = now - p->last_edge - 1;
  cause_charge(p, p->last_cause, cycles);
  count_standing(p, standing, cycles);
  if (p->refill_until > p->last_edge) // nor has what is blocked moved on in them, see cause_of()
    p->refill_until += cycles;
  p->last_edge = now - 1;
}

// What the event counters see (cv32e40p_id_stage.sv mhpmevent_*, riscv_cs_registers.sv PCCR_in): a
// stall counts once, in its first cycle; so does a jump, on RI5CY if it does not wait for its
// operands then.
static void count_events(struct pipeline *p) {
  const struct pipeline_signals *s = &p->now;
  uint64_t *event = p->core->count.event;
  bool cv = p->config.id.model == CORE_CV32E40P;
  enum id_kind kind = s->in.kind;
  bool first = p->id_was_valid && !(cv && s->out.halt_id);
  event[EVENT_LOAD_STALL] += first && s->load_stall;
  event[EVENT_JUMP_STALL] += first && s->in.jump_stall;
  bool goes = cv ? s->leaves : first && s->out.decoding && !s->load_stall && !s->in.jump_stall;
  event[EVENT_JUMP] += goes && (kind == ID_JAL || kind == ID_JALR);
  bool fetched = cv ? p->fetch.cv.fetch_valid : p->fetch.port.valid && !p->fetch.ri.restart;
  bool elw = p->ctrl.state == CTRL_ELW_EXE || p->ctrl.state == CTRL_ELW_DONE ||
             (p->ctrl.state == CTRL_DECODE && kind == ID_ELW && !s->in.valid);
  bool missing = !fetched && !s->out.fetch.redirect;
  bool denied = p->core->banks && p->lsu.request && !p->lsu.granted;
  p->standing = (uint8_t)(missing | elw << 1 | denied << 2);
  count_standing(p, p->standing, 1);
  p->id_was_valid = s->id_valid;
}

void cause_account(struct pipeline *p, cycle_t now) {
  count_events(p);
  p->last_edge = now;
  begin_refill(p, now);
  p->last_cause = (uint8_t)cause_of(p, now);
  cause_charge(p, p->last_cause, 1);
}

cycle_t pipeline_pending(const struct pipeline *p, cycle_t now, uint64_t stall[CAUSE_COUNT]) {
  const struct core *c = p->core;
  cycle_t from = p->last_edge + 1;
  if (p->ctrl.state == CTRL_BOOT && now < from) { // core_start() has counted up to there
    stall[CAUSE_FETCH] -= from - now;
    return now;
  }
  uint64_t left_out = now > from ? now - from : 0;
  stall[p->last_cause == CAUSE_OF_ACCESS ? c->wait_cause : p->last_cause] += left_out;
  stall[c->wait_cause] += p->waited;
  return from + left_out;
}

void pipeline_stop(struct pipeline *p, cycle_t now) {
  memo_leave(p);
  cause_left_out(p, 0, now);
  p->last_edge = now - 1;
  p->core->count.stall[p->core->wait_cause] += p->waited;
  p->waited = 0;
  p->last_cause = CAUSE_IDLE;
}
