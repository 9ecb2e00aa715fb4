#include "observe/core_tap.h"

#include <string.h>

#include "core/core.h"
#include "core/pipeline_stages.h"
#include "isa_ops.h"
#include "observe/tap.h"

static void begin(struct tap *tap, const struct core *c, const struct isa_insn *insn, uint32_t pc) {
  tap->clocked = (struct tap_insn){.pc = pc,
                                   .word = insn->word,
                                   .enc = insn->enc,
                                   .size = insn->size,
                                   .rd = insn->rd,
                                   .rs1 = insn->rs1,
                                   .rs2 = insn->rs2,
                                   .rs3 = insn->rs3,
                                   .rs1_out = insn->rs1};
  tap_describe(&tap->clocked, insn);
  tap_begin(tap, c, &tap->clocked);
  tap->fresh = true;
}

// An instruction leaves ID: its sources are read before it is executed.
static void issue(struct core *c, const struct isa_insn *insn, uint32_t pc,
                  struct step_outcome *out) {
  struct tap *tap = c->watcher_self;
  bool returns = insn->op == ISA_OP_mret || insn->op == ISA_OP_dret; // executed later
  if (!returns)
    begin(tap, c, insn, pc);
  step_issue(c, insn, pc, out);
  tap->clocked_access = out->mem;
  tap->clocked_memory = out->kind == STEP_MEMORY;
}

// The cycles lost so far are those in front of it.
static void time_late(struct tap *tap, cycle_t now) {
  struct tap_late *late = &tap->late;
  memcpy(late->waiting, tap->waiting, sizeof late->waiting);
  memset(tap->waiting, 0, sizeof tap->waiting);
  late->waits = tap->waits;
  tap->waits = 0;
  late->cycle = now;
  late->timed = true;
}

// The access in front of it has been told.
static void tell_late(struct tap *tap, struct core *c) {
  struct tap_late *late = &tap->late;
  int32_t waiting[CAUSE_COUNT];
  uint32_t waits = tap->waits;
  late->left = false;
  begin(tap, c, &late->insn, late->pc);
  if (!late->timed) // it leaves in this cycle
    return;
  late->timed = tap->fresh = false;
  memcpy(waiting, tap->waiting, sizeof waiting);
  memcpy(tap->waiting, late->waiting, sizeof waiting);
  tap->waits = late->waits;
  tap_time(tap, late->cycle);
  tap_done(tap, c, late->cycle + 1, (struct tap_access){0});
  for (uint32_t m = waits; m; m &= m - 1)
    tap_stall(tap, (unsigned)__builtin_ctz(m), waiting[__builtin_ctz(m)]);
}

// Its access is granted, the whole of it.
static void complete(struct core *c, const struct isa_insn *insn, uint32_t pc, uint32_t data) {
  struct tap *tap = c->watcher_self;
  step_complete(c, insn, pc, data);
  if (!tap_open(tap))
    return;
  const struct access *a = &tap->clocked_access;
  tap_done(tap, c, c->engine->now,
           (struct tap_access){a, a->kind == ACCESS_STORE ? a->data : data});
  if (tap->late.left) {
    tap->clocked_memory = false;
    tell_late(tap, c);
  }
}

// Also called for what leaves ID without being executed: fences, returns, traps.
static void left_id(void *self, const struct core *c, const struct isa_insn *insn, uint32_t pc,
                    bool traps, cycle_t now) {
  struct tap *tap = self;
  (void)now;
  if (!tap->fresh && !traps && tap_open(tap)) {
    tap->late = (struct tap_late){.left = true, .insn = *insn, .pc = pc};
    return;
  }
  if (!tap->fresh && !traps) {
    begin(tap, c, insn, pc);
    tap->clocked_memory = false;
  }
  if (traps && tap->fresh)
    tap_drop(tap);
  tap->fresh &= !traps;
}

// Whether a debugger wants the core to stop in front of the instruction that leaves ID at this
// edge.
static bool holds(struct core *c, cycle_t now) {
  struct pipeline *p = c->pipeline;
  struct tap *tap = c->watcher_self;
  if (!tap->hub->armed)
    return false;
  memo_leave(p);
  ex_find_ready(p, now);
  if (!p->now.out.decoding || !p->now.id_valid || !tap_holds(tap, c, p->id.pc, now))
    return false;
  engine_schedule(c->engine, c->edge_actor, now);
  return true;
}

static void edge(struct core *c, cycle_t now) {
  struct tap *tap = c->watcher_self;
  tap_collect(tap, c);
  if (tap->late.left && !tap->late.timed)
    time_late(tap, now);
  if (!tap->fresh)
    return;
  tap->fresh = false;
  tap_time(tap, now);
  if (!tap->clocked_memory)
    tap_done(tap, c, now + 1, (struct tap_access){0});
}

void core_tap_attach(struct core *c) {
  struct pipeline *p = c->pipeline;
  p->config.issue = issue;
  p->config.complete = complete;
  p->watch = left_id;
  p->watch_self = c->watcher_self;
  static const struct core_watcher watcher = {holds, edge};
  core_watch_edges(c, &watcher);
}

void core_tap_detach(struct core *c) {
  struct pipeline *p = c->pipeline;
  p->config.issue = step_issue;
  p->config.complete = step_complete;
  p->watch = NULL;
  p->watch_self = NULL;
  core_watch_edges(c, NULL);
}
