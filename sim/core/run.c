#include "core/run.h"

#include "cluster/tcdm.h"
#include "core/clocked_tap.h"
#include "core/exec.h"
#include "core/exec_slow.h"
#include "core/loop_exit.h"
#include "core/pipeline.h"
#include "core/window.h"
#include "observe/tap.h"

// Cycles, see stay_clocked().
enum { STAY_CLOCKED = 48 };

static void set_bounds(struct core *c, cycle_t now, cycle_t horizon) {
  c->horizon = c->tcdm ? horizon : CYCLE_NEVER;
  c->limit = core_limit(now, horizon);
}

// Offset of an access into the core's window; false if it goes elsewhere.
static bool in_window(const struct core *c, uint32_t *offset) {
  *offset = c->acc.addr - c->window_base;
  return *offset <= c->window_size - c->acc.size;
}

static void serve_window(struct core *c, uint32_t offset) {
  window_serve(c, offset, c->acc.size, c->acc.kind);
}

// An access elsewhere may hide what the fetch does meanwhile, and is the cycle model's. Where one
// has come there are more: taking over for each costs more than clocking what lies between them.
static void stay_clocked(struct core *c, cycle_t now) {
  c->clocked_until = now + STAY_CLOCKED;
}

static void serve(struct core *c, cycle_t now) {
  uint32_t offset;
  if (!in_window(c, &offset)) {
    if (now < c->clocked_until)
      stay_clocked(c, now);
    c->bus.request(c->bus.self, c, now);
  } else if (c->tcdm) {
    c->wait_cause = CAUSE_TCDM_CONFLICT;
    tcdm_post(c->tcdm, c->index, offset);
  } else {
    serve_window(c, offset);
    core_grant(c, now, now + 1);
  }
}

static void present(struct core *c, cycle_t now) {
  c->phase = CORE_WAIT;
  serve(c, now);
}

// An access that crosses a word is made of two, low address first (CV32E40P LSU).
static void split_low(struct core *c) {
  unsigned low = 4 - (c->whole.addr & 3);
  c->acc = c->whole;
  c->acc.size = (uint8_t)low;
  c->acc.split = true;
  if (c->acc.kind == ACCESS_STORE && low < 4)
    c->acc.data &= (UINT32_C(1) << 8 * low) - 1;
}

static void split_high(struct core *c, cycle_t t) {
  unsigned low = 4 - (c->whole.addr & 3);
  if (c->whole.kind != ACCESS_STORE)
    c->whole.data = c->acc.data;
  c->acc.addr = c->whole.addr + low;
  c->acc.size = (uint8_t)(c->whole.size - low);
  if (c->whole.kind == ACCESS_STORE)
    c->acc.data = c->whole.data >> 8 * low;
  c->acc.since = t;
  c->t = t;
  c->count.stall[CAUSE_MISALIGNED]++;
  c->phase = CORE_ACCESS;
  engine_schedule(c->engine, c->actor, t);
}

static void present_any(struct core *c, cycle_t now) {
  if (!c->acc.split && access_crosses_word(&c->acc)) {
    c->whole = c->acc;
    split_low(c);
  }
  present(c, now);
}

void core_served(struct core *c, cycle_t now) {
  uint32_t offset;
  in_window(c, &offset);
  serve_window(c, offset);
  core_grant(c, now, now + 1);
}

static void clock_request(struct core *c, cycle_t now) {
  memo_request(c->pipeline, now);
  engine_wake(c->engine, c->edge_actor, now);
}

static void replay_line(struct core *c, const struct line *line, cycle_t real, cycle_t now) {
  cycle_t first = line->first - line->crossing;
  if (line->resumes) {
    pipeline_resume(c->pipeline, real);
    pipeline_replay(c->pipeline, line->from, real, now);
    return;
  }
  if (line->round) // the replay jumps back once more
    c->loop[line->loop].count++;
  pipeline_take_over(c->pipeline, line->pc, first, real);
  pipeline_replay(c->pipeline, first - 2, real, now);
}

// The cycle model drives the core from block `entering` on, whose first instruction is due at c->t.
static void take_over(struct core *c, cycle_t now) {
  const struct block *b = c->entering;
  cycle_t real = c->t, first = real - b->crossing;
  if (c->line.due) {
    replay_line(c, &c->line, real, now);
    c->line.due = false;
  } else {
    pipeline_take_over(c->pipeline, b->pc, first, real);
    if (first - 2 < now)
      pipeline_catch_up(c->pipeline, first - 2, now);
  }
  if (c->tap && real < now) // the access at hand has left ID once more, in the cycle before
    clocked_tap_edge(c, now - 1);
  c->clock_next = false;
  c->code_epoch = c->cache_epoch;
  c->phase = CORE_CLOCKED;
  c->clocked = true;
  clock_request(c, now);
}

void core_leave_at_access(struct core *c, cycle_t now) {
  stay_clocked(c, now);
  exec_leave_at_access(c);
  engine_cancel(c->engine, c->actor);
  take_over(c, now);
}

bool core_must_not_wait(struct core *c) {
  return exec_is_narrow(c) || (exec_may_hide(c->at) && exec_hides_miss(c));
}

static void present_elsewhere(struct core *c, cycle_t now) {
  bool may_miss = c->host->resident != NULL;
  if (may_miss && !c->acc.split && core_must_not_wait(c))
    core_leave_at_access(c, now);
  else
    present_any(c, now);
}

static void step_folded(struct core *c, cycle_t now, bool alone) {
  switch (c->phase) {
  case CORE_ACCESS:
    present_elsewhere(c, now);
    break;
  case CORE_TAKEOVER:
    take_over(c, now);
    break;
  case CORE_PAUSED:
    set_bounds(c, now, alone ? core_quiet_until(c) : 0);
    exec_enter(c, c->entering, now);
    break;
  case CORE_HELD:
    set_bounds(c, now, 0);
    exec_continue(c, c->at, c->t);
    break;
  default:
    break;
  }
}

void core_step(struct core *c, cycle_t now, bool alone) {
  if (c->phase == CORE_CLOCKED)
    clock_request(c, now);
  else
    step_folded(c, now, alone);
}

static bool may_run_folded(struct core *c, struct block *b, bool redirected) {
  bool fit = redirected ? exec_verify(c, b) : exec_verify_wide(c, b);
  return fit && !loop_exit_in_last_round(c, b->pc);
}

// Folded execution goes on with block `b` at `t`.
static void hand_back(struct core *c, struct block *b, cycle_t t) {
  if (c->tap)
    tap_collect(c->tap, c);
  memo_settle(c->pipeline);
  c->clocked = false;
  c->known_at = b->pc;
  c->known_first = t;
  c->known_from = c->engine->now + 1;
  c->known_resumes = true;
  c->entering = b;
  c->at = NULL;
  c->t = t;
  c->phase = CORE_PAUSED;
  engine_move(c->engine, c->actor, t);
  engine_cancel(c->engine, c->edge_actor);
}

// ... where the pipeline was redirected to in cycle `now`.
static bool hand_back_redirected(struct core *c, const struct handover *h, cycle_t now) {
  struct block *b = block_find(c->blocks, h->pc);
  if (!may_run_folded(c, b, true))
    return false;
  c->count.stall[h->cause]++;
  c->count.stall[CAUSE_FETCH] += b->crossing;
  hand_back(c, b, now + 2 + b->crossing);
  return true;
}

static bool in_last_rounds(struct core *c, const struct pipeline *p, struct block *b) {
  return loop_exit_is_near(c, b, 0, pipeline_rounds_left(p, 0)) ||
         loop_exit_is_near(c, b, 1, pipeline_rounds_left(p, 1));
}

// The block that begins with the instruction in ID, if it may run folded.
static struct block *block_in_line(struct core *c, const struct handover *h) {
  struct block *b = block_find(c->blocks, h->pc);
  if (b->run_end == c->missing_end && *c->code_epoch == c->missing_epoch)
    return NULL;
  struct pipeline *p = c->pipeline;
  memo_settle(p);
  if (pipeline_begins_last_round(p) || in_last_rounds(c, p, b))
    return NULL;
  if (!may_run_folded(c, b, false)) {
    c->missing_end = b->run_end;
    c->missing_epoch = *c->code_epoch;
    return NULL;
  }
  return b;
}

// ... with the instruction that has entered ID at the edge of cycle `now`.
static bool hand_back_in_line(struct core *c, const struct handover *h, cycle_t now) {
  struct block *b = block_in_line(c, h);
  if (!b)
    return false;
  pipeline_settle_loops(c->pipeline);
  hand_back(c, b, now + 1);
  return true;
}

static bool hands_back(struct core *c, const struct handover *h, cycle_t now) {
  if (h->kind == HANDOVER_REDIRECTED)
    return pipeline_hands_over(c->pipeline, h, now) && hand_back_redirected(c, h, now);
  bool begins = h->begins_round || block_known(c->blocks, h->pc);
  return begins && pipeline_hands_over(c->pipeline, h, now) && hand_back_in_line(c, h, now);
}

// Behind the edge of cycle `now`; `next`: when it is to be clocked again.
static inline void go_on(struct core *c, cycle_t now, cycle_t next, const struct handover *h) {
  if (h->kind != HANDOVER_NONE && !c->always_clocked && c->phase == CORE_CLOCKED &&
      now >= c->clocked_until && !interrupt_possible(c) && hands_back(c, h, now))
    return;
  if (next != CYCLE_NEVER && c->phase == CORE_CLOCKED)
    engine_wake(c->engine, c->actor, next);
}

static void clock_edge(void *self, cycle_t now) {
  struct core *c = self;
  struct handover h = {0};
  cycle_t next = memo_edge(c->pipeline, now, &h);
  go_on(c, now, next, &h);
}

static void clock_edge_watched(void *self, cycle_t now) {
  struct core *c = self;
  if (clocked_tap_holds(c, now))
    return;
  struct handover h = {0};
  cycle_t next = memo_edge(c->pipeline, now, &h);
  clocked_tap_edge(c, now);
  go_on(c, now, next, &h);
}

void core_watch_edges(struct core *c) {
  engine_step_by(c->engine, c->edge_actor, clock_edge_watched);
}

void core_present(struct core *c, cycle_t now) {
  serve(c, now);
}

void core_attach_pipeline(struct core *c, struct pipeline *p) {
  c->pipeline = p;
  p->core = c;
  engine_add(c->engine, c->edge_actor, clock_edge, c);
}

// Of an access's waiting, what passes unseen because of the jump (or flush) that follows: it
// redirects the fetch while the access still waits.
static cycle_t hidden_behind(const struct core *c, cycle_t grant) {
  const struct uop *u = c->at;
  if (!(u->flags & (UOP_HIDES | UOP_HIDES2)))
    return 0;
  const struct block *b = exec_block_of(u);
  bool half = c->acc.split;
  cycle_t late = grant - (half ? c->whole.since + 1 : c->acc.since);
  if (late >= HIDDEN_LATE)
    late = HIDDEN_LATE - 1;
  return b->hidden[u->flags & UOP_HIDES ? 0 : 1][half][late];
}

static void note_wait(struct core *c, cycle_t grant, cycle_t valid) {
  bool split = c->acc.split;
  c->wait[c->waits++ % CORE_WAITS] = (struct wait){.since = split ? c->whole.since : c->acc.since,
                                                   .grant = grant,
                                                   .valid = valid,
                                                   .first_grant = split ? c->acc.since - 1 : grant,
                                                   .split = split};
}

// Charges what an access has waited that was granted in cycle `grant`, its data valid in `valid`;
// `half`: the second half of one that crosses a word. Returns the time of its instruction.
static inline cycle_t charge_wait(struct core *c, cycle_t grant, cycle_t valid, bool half) {
  cycle_t waited = grant - c->acc.since;
  c->count.stall[c->wait_cause] += waited;
  cycle_t t = grant;
  if (valid > grant + 1) { // the next instruction may enter EX, the one behind it waits
    c->count.stall[c->wait_cause] += valid - grant - 1;
    t = valid - 1;
  }
  if (half || waited || valid > grant + 1)
    note_wait(c, grant, valid);
  if (half || waited) {
    c->waited_until = grant;
    c->waited = grant - (half ? c->whole.since : c->acc.since);
    c->waited_split = half;
  }
  cycle_t hidden = hidden_behind(c, grant);
  if (hidden)
    exec_take_back_hidden(c, exec_block_of(c->at), hidden);
  return t - hidden;
}

void core_grant(struct core *c, cycle_t grant, cycle_t valid) {
  if (c->phase == CORE_CLOCKED) {
    pipeline_data_grant(c->pipeline, grant, valid);
    engine_wake(c->engine, c->edge_actor, grant);
    return;
  }
  bool half = c->acc.split;
  if (half && c->acc.addr == c->whole.addr) {
    c->count.stall[c->wait_cause] += grant - c->acc.since;
    split_high(c, grant + 1);
    return;
  }
  if (half && c->whole.kind != ACCESS_STORE)
    c->acc.data = c->whole.data | c->acc.data << 8 * (4 - (c->whole.addr & 3));
  cycle_t t = charge_wait(c, grant, valid, half);
  set_bounds(c, grant, 0);
  exec_complete(c, t);
}

void core_served_late(struct core *c, cycle_t now) {
  exec_go_on_granted(c, charge_wait(c, now, now + 1, false));
}

void core_run_held(struct core *c) {
  engine_cancel(c->engine, c->actor);
  set_bounds(c, c->t, 0);
  exec_continue(c, c->at, c->t);
}

void core_access_fault(struct core *c, cycle_t now) {
  if (c->phase == CORE_CLOCKED) {
    c->phase = CORE_HALTED;
    c->host->trap(c->host->self, c, memo_pc_in_ex(c->pipeline),
                  c->acc.kind == ACCESS_STORE ? "store outside memory" : "load outside memory",
                  now);
    return;
  }
  exec_trap(c, c->at, now, c->acc.kind == ACCESS_STORE ? TRAP_STORE : TRAP_LOAD);
}

void core_start(struct core *c, uint32_t pc, cycle_t now) {
  // Reset, boot address, first fetch. Cycle 1 is the one in which reset is released; the first
  // instruction leaves ID in cycle 5 (RI5CY: 4), as in the measurements (programs.tsv).
  const cycle_t boot = c->model == CORE_CV32E40P ? 5 : 4;
  c->started = now;
  c->active = true;
  c->count.stall[CAUSE_FETCH] += boot;
  struct block *b = block_find(c->blocks, pc);
  if (exec_verify(c, b))
    exec_pause(c, b, now + boot);
  else
    exec_hand_over(c, b, now + boot);
}
