// The observed executors: the same rows, with a tap around them. Most are called by observed_run(),
// one after the other, and return to it. Those of which there is little to tell run on by
// themselves: see exec_told.h.
#define FLAVOUR(name) observed_##name
#define OBSERVED      1
#include "core/exec_flavour.h"

#include "observe/tap.h"

uop_exec *exec_observed_function(const struct uop *u);

static struct tap_access access_of(const struct core *c) {
  const struct access *a = c->acc.split ? &c->whole : &c->acc;
  return (struct tap_access){a, a->kind == ACCESS_STORE ? a->data : c->acc.data};
}

// An access is complete: its instruction is done, in the cycle of the grant.
static void close_access(struct tap *tap, struct core *c, cycle_t t) {
  const struct tap_access a = access_of(c);
  if (t != a.access->since || c->engine->now != a.access->since || a.access->kind == ACCESS_ELW)
    tap_collect(tap, c);
  cycle_t done = c->engine->now;
  if (!tap_is_plain_access(tap))
    tap_done(tap, c, done, a);
  else if (tap_plain_access(tap, c, done, a))
    ordered_mark(tap->hub->notes);
}

static inline void tap_delay(struct tap *tap, struct delay d) {
  if (d.cycles != d.other)
    tap_stall(tap, d.cause, d.cycles - d.other);
  if (d.other)
    tap_stall(tap, d.other_cause, d.other);
}

// What the folded time said in advance about the cycles behind `u`.
static inline cycle_t static_time(struct tap *tap, const struct uop *u) {
  if (!(u->flags & UOP_JUMP))
    return u->cost;
  tap_delay(tap, u->to);
  return u->cost + (cycle_t)u->to.cycles;
}

// Float units are waited for in ID, in front of the instruction: it leaves ID that much later.
static void wait_for_fpu(struct tap *tap, const struct core *c) {
  static const uint8_t causes[] = {CAUSE_FPU_DEPENDENCY, CAUSE_FPU_CONTENTION};
  for (unsigned i = 0; i < sizeof causes; i++) {
    uint64_t more = c->count.stall[causes[i]] - tap->seen.stall[causes[i]];
    tap->seen.stall[causes[i]] += more;
    if (more)
      tap_wait_in_id(tap, causes[i], (uint32_t)more);
  }
}

static bool is_taken_branch(const struct core *c, const struct uop *u, cycle_t t) {
  return isa_ops[u->op].cls == ISA_CLASS_BRANCH && c->t == t + u->cost + (cycle_t)u->to.cycles;
}

// What is lost behind a branch that is taken, and has been counted.
static void foresee(struct tap *tap, struct delay d) {
  tap_foreseen(tap, d.cause, d.cycles - d.other);
  if (d.other)
    tap_foreseen(tap, d.other_cause, d.other);
}

// It traps, and so has been left to the cycle model: see exec_trap().
static bool is_left(const struct core *c, const struct uop *u) {
  return c->phase == CORE_TAKEOVER && c->entering->pc == u->pc && !c->entering->length;
}

static inline void finish(struct tap *tap, struct core *c, const struct uop *u, cycle_t t) {
  if (is_left(c, u)) {
    tap_undo(tap, c);
    return;
  }
  cycle_t cost = static_time(tap, u);
  if (is_taken_branch(c, u, t)) {
    foresee(tap, u->to);
  } else if (c->t != t + cost) {
    wait_for_fpu(tap, c);
    tap_collect(tap, c);
  }
  bool memory = u->flags & UOP_MEMORY; // served on the spot
  tap_done(tap, c, tap->event.cycle + 1,
           memory ? (struct tap_access){&c->acc, c->acc.data} : (struct tap_access){0});
}

static void leave_block(struct tap *tap, struct core *c, const struct uop *u, cycle_t t) {
  observed_request[u->op](c, u, t, 0);
  if (c->t != t)
    tap_collect(tap, c);
  tap->seen.instructions = c->count.instructions;
}

static void execute(struct tap *tap, struct core *c, const struct uop *u, cycle_t t) {
  tap_delay(tap, u->wait);
  tap_issue(tap, c, u, t + (cycle_t)u->wait.cycles);
  observed_request[u->op](c, u, t, 0);
  if (c->phase != CORE_ACCESS && c->phase != CORE_ASKS) {
    finish(tap, c, u, t);
    return;
  }
  if (c->t != t + static_time(tap, u)) // close_access() will be called
    wait_for_fpu(tap, c);
}

// Runs a core that is watched from micro-operation `u` on until it has to wait, or comes to one
// that runs on by itself. The access of the one before, if any, has just been completed.
EXECUTOR(observed_run) {
  (void)given;
  struct tap *tap = c->tap;
  if (tap_open(tap))
    close_access(tap, c, t);
  do {
    if (u->flags & UOP_BOUNDARY)
      leave_block(tap, c, u, t);
    else if (tap_holds(tap, c, u->pc, t))
      exec_hold(c, u, t, t);
    else
      execute(tap, c, u, t);
    u = c->at;
    t = c->t;
  } while (c->phase == CORE_RUN && u->exec == observed_run);
}

void exec_alone(struct core *c, const struct uop *u, cycle_t t) {
  observed_request[u->op](c, u, t, 0);
}

#include "core/exec_told.h"

uop_exec *exec_observed_function(const struct uop *u) {
  uop_exec *told = u->flags & UOP_BOUNDARY ? NULL : observed_told[u->op];
  return told && u->cost == 1 ? told : observed_run;
}
