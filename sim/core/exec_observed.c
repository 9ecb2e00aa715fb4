// The observed executors: the same rows, returning after each instruction, with a tap around them.
// All have one and the same function, which goes on from one to the next.
#define FLAVOUR(name) observed_##name
#define OBSERVED      1
#include "core/exec_flavour.h"

#include "observe/tap.h"

uop_exec *exec_observed_function(unsigned op);

// An access is complete: its instruction is done, in the cycle of the grant.
static void close_access(struct tap *tap, struct core *c, cycle_t t) {
  const struct access *a = c->acc.split ? &c->whole : &c->acc;
  struct access whole = *a;
  if (whole.kind != ACCESS_STORE)
    whole.data = c->acc.data;
  if (t != a->since || c->engine->now != a->since || a->kind == ACCESS_ELW)
    tap_collect(tap, c);
  tap_access(tap, &whole);
  tap_done(tap, c, c->engine->now);
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

static inline void finish(struct tap *tap, struct core *c, const struct uop *u, cycle_t t) {
  bool trapped = c->count.instructions < tap->seen.instructions;
  cycle_t cost = static_time(tap, u);
  if (c->t != t + cost || trapped) {
    wait_for_fpu(tap, c);
    tap_collect(tap, c);
  }
  if (trapped) {
    tap_drop(tap);
    return;
  }
  if (u->flags & UOP_MEMORY) // served on the spot
    tap_access(tap, &c->acc);
  tap_done(tap, c, tap->event.cycle + 1);
}

static void hold(struct core *c, const struct uop *u, cycle_t t) {
  c->at = u;
  c->t = t;
  c->phase = CORE_HELD;
  cycle_t now = c->engine->now; // `t` is earlier where a jump hides some of an access's waiting
  engine_schedule(c->engine, c->actor, t > now ? t : now);
}

static void leave_block(struct tap *tap, struct core *c, const struct uop *u, cycle_t t) {
  observed_request[u->op](c, u, t);
  if (c->t != t)
    tap_collect(tap, c);
  tap->seen.instructions = c->count.instructions;
}

static inline void execute(struct tap *tap, struct core *c, const struct uop *u, cycle_t t) {
  tap_delay(tap, u->wait);
  struct tap_insn insn = {.pc = u->pc,
                          .word = u->word,
                          .enc = u->enc,
                          .size = u->size,
                          .shows = u->shows,
                          .rd = u->rd,
                          .rs1 = u->rs1,
                          .rs2 = u->rs2,
                          .rs3 = u->rs3};
  tap_issue(tap, c, &insn, t + (cycle_t)u->wait.cycles);
  observed_request[u->op](c, u, t);
  if (c->phase != CORE_ACCESS && c->phase != CORE_ASKS) {
    finish(tap, c, u, t);
    return;
  }
  if (c->t != t + static_time(tap, u)) // close_access() will be called
    wait_for_fpu(tap, c);
}

// Runs a core that is watched from micro-operation `u` on until it has to wait. The access of the
// one before, if any, has just been completed.
static void observed_run(struct core *c, const struct uop *u, cycle_t t) {
  struct tap *tap = c->tap;
  do {
    if (tap->open)
      close_access(tap, c, t);
    if (u->flags & UOP_BOUNDARY)
      leave_block(tap, c, u, t);
    else if (tap_holds(tap, c, u->pc, t))
      hold(c, u, t);
    else
      execute(tap, c, u, t);
    u = c->at;
    t = c->t;
  } while (c->phase == CORE_RUN);
}

uop_exec *exec_observed_function(unsigned op) {
  (void)op;
  return observed_run;
}
