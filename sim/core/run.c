#include "core/run.h"

#include "cluster/tcdm.h"
#include "core/clocked.h"
#include "core/exec.h"
#include "core/exec_slow.h"
#include "core/pipeline.h"
#include "core/window.h"

static void set_bounds(struct core *c, cycle_t now, cycle_t horizon) {
  c->horizon = c->tcdm ? horizon : CYCLE_NEVER;
  c->limit = core_limit(c->engine, now, horizon);
}

// Offset of an access into the core's window; false if it goes elsewhere, or is a store that the
// bus is to see.
static bool in_window(const struct core *c, uint32_t *offset) {
  *offset = c->acc.addr - c->window_base;
  return *offset <= c->window_size - c->acc.size &&
         (c->acc.kind != ACCESS_STORE || !(c->window_code[*offset >> CODE_SHIFT] & CODE_WATCHED));
}

static void serve_window(struct core *c, uint32_t offset) {
  window_serve(c, offset, c->acc.size, c->acc.kind);
}

static void serve(struct core *c, cycle_t now) {
  uint32_t offset;
  if (!in_window(c, &offset)) {
    clocked_note_elsewhere(c, now);
    c->bus.request(c->bus.self, c, now);
  } else if (c->tcdm && !c->bank_granted) {
    c->wait_cause = CAUSE_TCDM_CONFLICT;
    tcdm_post(c->tcdm, c->index, offset);
  } else {
    c->bank_granted = false;
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
    c->whole.data = lsu_low_bytes(c->acc.data, low);
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

static void present_elsewhere(struct core *c, cycle_t now) {
  if (core_may_have_to_leave(c) && !c->acc.split && exec_must_not_wait(c))
    clocked_take_over_at_access(c, now);
  else
    present_any(c, now);
}

// An executor that is not observed adds to its time what led to it.
static void go_on_held(struct core *c, cycle_t now) {
  set_bounds(c, now, 0);
  exec_continue(c, c->at, c->t - (c->tap ? 0 : c->at->lead));
}

static void step_folded(struct core *c, cycle_t now, bool alone) {
  switch (c->phase) {
  case CORE_ACCESS:
    present_elsewhere(c, now);
    break;
  case CORE_TAKEOVER:
    clocked_take_over(c, now);
    break;
  case CORE_PAUSED:
    set_bounds(c, now, alone ? core_quiet_until(c) : 0);
    exec_enter(c, c->entering, now);
    break;
  case CORE_HELD:
    go_on_held(c, now);
    break;
  default:
    break;
  }
}

bool core_step(struct core *c, cycle_t now, bool alone) {
  if (c->phase == CORE_CLOCKED)
    return clocked_step(c, now);
  step_folded(c, now, alone);
  return false;
}

void core_present(struct core *c, cycle_t now) {
  serve(c, now);
}

// Takes back, of an access's waiting, what passes unseen because of the jump (or flush) that
// follows: it redirects the fetch while the access still waits. Returns the cycles.
static cycle_t take_back_hidden(struct core *c, cycle_t grant) {
  const struct uop *u = c->at;
  if (!(u->flags & (UOP_HIDES | UOP_HIDES2)))
    return 0;
  const struct block *b = exec_block_of(u);
  bool half = c->acc.split;
  cycle_t late = grant - (half ? c->whole.since + 1 : c->acc.since);
  return exec_take_back(c, &b->hidden[u->flags & UOP_HIDES ? 0 : 1][half], late);
}

static inline void note_wait(struct core *c, cycle_t grant, cycle_t valid, bool split) {
  *core_next_wait(c) = (struct wait){.since = split ? c->whole.since : c->acc.since,
                                     .grant = grant,
                                     .valid = valid,
                                     .first_grant = split ? c->acc.since - 1 : grant,
                                     .split = split};
}

// Charges what an access has waited that was granted in cycle `grant`, its data valid in `valid`;
// `half`: the second half of one that crosses a word. Returns the time of its instruction.
static inline __attribute__((always_inline)) cycle_t charge_wait(struct core *c, cycle_t grant,
                                                                 cycle_t valid, bool half) {
  cycle_t waited = grant - c->acc.since;
  c->count.stall[c->wait_cause] += waited;
  cycle_t t = grant;
  if (valid > grant + 1) { // the next instruction may enter EX, the one behind it waits
    c->count.stall[c->wait_cause] += valid - grant - 1;
    t = valid - 1;
  }
  if (half || waited || valid > grant + 1)
    note_wait(c, grant, valid, half);
  if (half || waited) {
    c->waited_until = grant;
    c->waited = grant - (half ? c->whole.since : c->acc.since);
    c->waited_split = half;
    c->target_is_whole = c->target_follows = false;
    c->waited_by = c->at;
  }
  return t - take_back_hidden(c, grant);
}

void core_grant(struct core *c, cycle_t grant, cycle_t valid) {
  if (c->phase == CORE_CLOCKED) {
    pipeline_data_grant(c->pipeline, grant, valid);
    clocked_edge_is_due(c, grant);
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

void core_leave_at_access(struct core *c, cycle_t now) {
  clocked_take_over_at_access(c, now);
}

void core_served_late(struct core *c, cycle_t now) {
  if (c->phase == CORE_CLOCKED)
    clocked_served(c, now);
  else
    exec_go_on_granted(c, charge_wait(c, now, now + 1, false));
}

void core_run_held(struct core *c) {
  engine_cancel(c->engine, c->actor);
  go_on_held(c, c->engine->now);
}

void core_access_fault(struct core *c, cycle_t now) {
  bool clocked = c->phase == CORE_CLOCKED;
  if (!clocked) {
    c->count.stall[c->wait_cause] += now - c->acc.since;
    c->t = now;
  }
  c->phase = CORE_HALTED;
  c->host->trap(c->host->self, c, clocked ? memo_pc_in_ex(c->pipeline) : c->at->pc,
                c->acc.kind == ACCESS_STORE ? "store outside memory" : "load outside memory", now);
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
