// sim/core/exec_slow.h: what executors call off the hot path.
#ifndef PULPSIM_EXEC_SLOW_H
#define PULPSIM_EXEC_SLOW_H

#include <stddef.h>

#include "cluster/tcdm.h"
#include "core/block.h"
#include "core/notes.h"

// mcause values (RISC-V privileged manual, table 3.6).
enum trap {
  TRAP_FETCH = 1,
  TRAP_ILLEGAL = 2,
  TRAP_BREAKPOINT = 3,
  TRAP_LOAD = 5,
  TRAP_STORE = 7,
  TRAP_ECALL = 11
};

static inline struct block *exec_block_of(const struct uop *u) {
  return (struct block *)((char *)(u - u->place) - offsetof(struct block, uop));
}

// Puts `b` among those whose entries are folded, unless it is there.
void exec_list(struct core *c, struct block *b);

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
  c->target_is_whole = h->whole_from != NEVER_WHOLE && late >= h->whole_from;
  return (cycle_t)(int64_t)d->cycles;
}

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
  c->asked_bank = &c->banks[bank];
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

// The cycle model takes over, and does not give back as long as c->settles: behind the next
// redirection, where the state of the pipeline is known for certain.
void exec_settle(struct core *c);
void exec_unsettle(struct core *c);

// Whether that is so at block `b`, to which the fetch is redirected: its first instruction leaves
// ID in cycle `t`.
bool exec_settles_at(struct core *c, struct block *b, cycle_t t);

// Whether block `b` may run folded now if it is entered by a redirection, or in whatever way;
// remembered until the code epoch changes.
bool exec_verify(struct core *c, struct block *b);
bool exec_verify_wide(struct core *c, struct block *b);

// Whether it may run folded only as long as no access waits. Before one does,
// exec_leave_at_access().
static inline bool exec_is_narrow(const struct core *c, const struct block *b) {
  return b->wide[c->index] != *c->cache_epoch && b->verified[c->index] == *c->cache_epoch;
}

// Leaves block `next`, entered at `t` behind boundary `u` without a redirection, to the cycle
// model, and stops. `delay`: cycles lost at the boundary.
void exec_leave_line(struct core *c, const struct uop *u, struct block *next, cycle_t t,
                     cycle_t delay);

// Leaves block `b`, entered at `t`, to the cycle model, and stops.
void exec_hand_over(struct core *c, struct block *b, cycle_t t);

// Stops before entering `b` at `t`, until the actor is stepped.
void exec_pause(struct core *c, struct block *b, cycle_t t);

// Stops in front of `u`, which is reached at `t`, until the actor is stepped: in cycle `when`, or
// this one if that is over.
void exec_hold(struct core *c, const struct uop *u, cycle_t t, cycle_t when);

static inline void exec_note_division(struct core *c, cycle_t since, unsigned hold) {
  core_note_wait(c, (struct wait){.since = since, .hold = (uint8_t)hold});
}

// Resolves links; stores them in `u` for the next time.
struct block *exec_link(struct core *c, const struct uop *u, uint32_t target);
struct block *exec_link_chain(struct core *c, const struct uop *u);
struct block *exec_link_back(struct core *c, const struct uop *u, uint32_t start);
struct block *exec_link_through(struct core *c, const struct uop *u);

// Whether block `b`, entered in whatever way, is for the cycle model to run.
bool exec_must_be_clocked(struct core *c, struct block *b);

// False: no jump that hides some of the waiting of `u`'s access follows it. (Behind a block's
// boundary there is one more, of no meaning.)
static inline bool exec_may_hide(const struct uop *u) {
  unsigned behind = u[1].flags | u[2].flags;
  return (u->flags & (UOP_HIDES | UOP_HIDES2)) | (behind & UOP_COVERED);
}

// Whether a jump behind the access that the core is about to present would, while that waits, fetch
// what is not in its cache. Then exec_leave_at_access() leaves the access to the cycle model, which
// must be run at once.
bool exec_hides_miss(struct core *c);
void exec_leave_at_access(struct core *c);

// Whether it is to do so if the access that the core is about to present has to wait.
static inline bool exec_must_not_wait(struct core *c) {
  return (exec_may_hide(c->at) && exec_hides_miss(c)) ||
         (c->host->resident && exec_is_narrow(c, exec_block_of(c->at)));
}

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

// Rule jump-crossing: behind an access that waits long enough, a jump's target has been fetched
// whole, whether it crosses a word or not. (The first cycles hide the bubble, see struct hidden.)
static inline bool exec_crossing_hidden(const struct core *c, cycle_t t) {
  return c->target_is_whole && t - c->waited_until <= 1;
}

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

void exec_trap(struct core *c, const struct uop *u, cycle_t t);

// A debugger moves the core elsewhere: what its block counted in advance is taken back.
void exec_abandon(struct core *c);

#endif
