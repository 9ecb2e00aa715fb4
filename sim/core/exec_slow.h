// sim/core/exec_slow.h: what executors call off the hot path.
#ifndef PULPSIM_EXEC_SLOW_H
#define PULPSIM_EXEC_SLOW_H

#include "cluster/tcdm.h"
#include "core/block.h"
#include "core/exec_leave.h"

static inline void exec_charge(struct core *c, struct delay d) {
  c->count.stall[d.cause] += (uint64_t)(int64_t)(d.cycles - d.other);
  c->count.stall[d.other_cause] += (uint64_t)(int64_t)d.other;
}

// Takes back what an access's waiting, the last there was, has hidden: `late` cycles. Returns the
// cycles hidden.
static inline cycle_t exec_take_back(struct core *c, const struct hidden *h, cycle_t late) {
  const struct delay *d = &h->late[late < HIDDEN_LATE ? late : HIDDEN_LATE - 1];
  unsigned cause = d->cause == CAUSE_ISSUE ? c->wait_cause : d->cause;
  c->count.stall[cause] -= (uint64_t)(int64_t)(d->cycles - d->other);
  c->count.stall[d->other_cause] -= (uint64_t)(int64_t)d->other;
  c->target_is_whole = h->whole_from != NEVER && late >= h->whole_from;
  c->target_follows = h->follows_from != NEVER && late >= h->follows_from;
  return (cycle_t)(int64_t)d->cycles;
}

// Stops at `u`, which is reached at `t`.
void exec_stop_at(struct core *c, const struct uop *u, cycle_t t);

// Leaves an access to the core's actor and stops. `shape` as below: with six arguments the call
// ends an executor as a jump.
#define EXEC_SHAPE(size, kind) ((unsigned)(size) | (unsigned)(kind) << 8)
void exec_request(struct core *c, const struct uop *u, cycle_t t, uint32_t addr, uint32_t data,
                  unsigned shape);

// The same for an access that is known to be to one word of the shared window, at `offset`; the
// data of a store are in c->acc.data. The rest of c->acc is filled in by exec_describe_asked(), for
// those who look at it while it waits.
// `word`: the word of the window that it is in.
static inline void exec_ask(struct core *c, const struct uop *u, cycle_t t, uint32_t offset,
                            uint32_t word, unsigned shape) {
  unsigned bank = word & c->bank_mask;
  c->at = u;
  c->t = t;
  c->asked = offset;
  c->asked_bank = bank;
  c->phase = CORE_ASKS;
  c->wait_cause = CAUSE_TCDM_CONFLICT; // if it waits
  c->asked_shape = (uint16_t)shape;
  if (__builtin_expect(t < c->limit, 1)) // what comes before that can be promised
    engine_promise(c->engine, c->actor_bit, t, tcdm_bank_bit(bank));
  else
    engine_schedule(c->engine, c->actor, t);
}

static inline void exec_describe_asked(struct core *c) {
  c->acc = (struct access){.addr = c->window_base + c->asked,
                           .data = c->acc.data,
                           .size = (uint8_t)c->asked_shape,
                           .kind = (uint8_t)(c->asked_shape >> 8),
                           .since = c->t};
}

// Stops before entering `b` at `t`, until the actor is stepped.
void exec_pause(struct core *c, struct block *b, cycle_t t);

// Stops in front of `u`, which is reached at `t`, until the actor is stepped: in cycle `when`, or
// this one if that is over.
void exec_hold(struct core *c, const struct uop *u, cycle_t t, cycle_t when);

static inline void exec_note_division(struct core *c, cycle_t since, unsigned hold) {
  *core_next_wait(c) = (struct wait){.since = since, .hold = (uint8_t)hold};
}

// Resolves links; stores them in `u` for the next time.
struct block *exec_link(struct core *c, const struct uop *u, uint32_t target);
struct block *exec_link_chain(struct core *c, const struct uop *u);
struct block *exec_link_back(struct core *c, const struct uop *u, uint32_t start);
struct block *exec_link_through(struct core *c, const struct uop *u);

// Writes a register of a hardware loop.
void exec_loop_start(struct core *c, unsigned loop, uint32_t address);
void exec_loop_end(struct core *c, unsigned loop, uint32_t address);
void exec_loop_count(struct core *c, unsigned loop, uint32_t count);

// One was written: as soon as the loop can jump back, blocks are to end where it does.
void exec_loop_written(struct core *c, unsigned loop);

// A loop was set up by `u`: unless it lies in another active loop, the controller knows none yet.
// Under `core.strict` a misuse stops the core: false.
bool exec_note_loop(struct core *c, const struct uop *u, cycle_t t);

// Rule late-loop: the controller follows a loop without cost once it has decoded an instruction of
// the body that is not among its last two. Until then (behind a flush) the end of the body, at
// `last`, jumps back like a jal. Returns the cycles lost at boundary `u`.
static inline bool exec_may_be_late(const struct core *c, uint32_t last) {
  return last - c->flushed_at <= 8;
}

static inline cycle_t exec_late_loop(struct core *c, const struct uop *u) {
  c->flushed_at = NEVER_FLUSHED;
  if (u[-1].wait.cycles)
    return 0; // hidden while the last instruction waits in ID
  c->count.stall[CAUSE_JUMP]++;
  return 1;
}

// The time at which jalr `u`, due at `t`, leads to `target`, which is awkward, beyond u->to.cycles.
cycle_t exec_arrive(struct core *c, const struct uop *u, const struct block *target, cycle_t t);

// What it costs to go round a hardware loop, whose last instruction was done in `t`, at boundary
// `u`, beyond u->to.cycles: returns `t` with it.
static inline cycle_t exec_go_round(struct core *c, const struct uop *u, cycle_t t) {
  exec_charge(c, u->to);
  if (exec_may_be_late(c, u[-1].pc) && c->model == CORE_CV32E40P)
    t += exec_late_loop(c, u);
  return t;
}

// Cycles of an access's waiting, just in front of boundary `u`, that the jump in the block behind
// it hides. They are taken back from what was counted when that was built.
cycle_t exec_covered(struct core *c, const struct uop *u, cycle_t t);

// A debugger moves the core elsewhere: what its block counted in advance is taken back.
void exec_abandon(struct core *c);

#endif
