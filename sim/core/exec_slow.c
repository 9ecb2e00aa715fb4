#include "core/exec_slow.h"
#include "core/step.h"

#include <stdlib.h>

#include "core/block_parts.h"
#include "core/csr.h"
#include "core/exec.h"
#include "core/line.h"
#include "core/loop_exit.h"
#include "core/loop_rules.h"
#include "core/prefetch_ri5cy.h"
#include "engine/limit.h"
#include "engine/out_of_memory.h"
#include "isa/fp.h"
#include "observe/tap.h"

void exec_list(struct core *c, struct block *b) {
  uint32_t bit = UINT32_C(1) << c->index;
  if (b->listed & bit)
    return;
  b->listed |= bit;
  if (c->dirty_count == c->dirty_room) {
    unsigned room = c->dirty_room ? 2 * c->dirty_room : LIMIT(256, 1);
    c->dirty = must_have(realloc(c->dirty, room * sizeof *c->dirty));
    c->dirty_room = room;
  }
  c->dirty[c->dirty_count++] = b;
}

static void stop_at(struct core *c, const struct uop *u, cycle_t t) {
  c->at = u;
  c->t = t;
  c->phase = CORE_IDLE;
}

void exec_request(struct core *c, const struct uop *u, cycle_t t, uint32_t addr, uint32_t data,
                  unsigned shape) {
  stop_at(c, u, t);
  c->acc = (struct access){.addr = addr,
                           .data = data,
                           .size = (uint8_t)shape,
                           .kind = (uint8_t)(shape >> 8),
                           .since = t};
  c->phase = CORE_ACCESS;
  engine_schedule(c->engine, c->actor, t);
}

void exec_pause(struct core *c, struct block *b, cycle_t t) {
  c->entering = b;
  stop_at(c, b->uop, t);
  c->phase = CORE_PAUSED;
  engine_schedule(c->engine, c->actor, t);
}

void exec_hold(struct core *c, const struct uop *u, cycle_t t, cycle_t when) {
  stop_at(c, u, t);
  c->phase = CORE_HELD;
  cycle_t now = c->engine->now;
  engine_schedule(c->engine, c->actor, when > now ? when : now);
}

static const uint32_t no_epoch = UINT32_MAX - 1;

static void exec_clock_next(struct core *c) {
  c->clock_next = true;
  c->code_epoch = &no_epoch; // so that the next block is looked at
}

void exec_settle(struct core *c) {
  c->settles = true;
  if (c->phase == CORE_CLOCKED)
    return;
  c->clock_at_jump = true;
  c->code_epoch = &no_epoch;
}

void exec_unsettle(struct core *c) {
  if (c->clock_at_jump && !c->clock_next)
    c->code_epoch = c->cache_epoch;
  c->settles = c->clock_at_jump = false;
}

// A core runs folded only where no instruction fetch can miss. That is so in runs that its private
// cache holds whole: then it is behind a redirection that the cycle model takes over, where the
// state of the fetch is known, not in the middle of a line, where that depends on every wait since.
static bool run_is_resident(struct core *c, struct block *b) {
  uint32_t start = b->pc;
  uint32_t reach =
      c->model == CORE_CV32E40P ? prefetch_reach(b->run_end) : prefetch_ri5cy_reach(b->run_end);
  struct loop_starts loops = {.first = UINT32_MAX};
  if (b->run_loops)
    loops = block_loop_starts(c->blocks, b, c->index);
  if (loops.first < start)
    start = loops.first;
  // A loop that leads elsewhere is not a run.
  if (b->run_irregular || loops.last > b->run_last ||
      !c->host->resident(c->host->self, c, start, reach))
    return false;
  return loops.first > loops.last || !loop_exit_is_unknown(c, b) ||
         exec_verify_wide(c, block_find(c->blocks, b->run_end));
}

static bool is_clocked_next(const struct core *c) {
  return c->clock_next || (c->clock_at_jump ? c->always_clocked : core_stays_clocked(c));
}

bool exec_verify_wide(struct core *c, struct block *b) {
  if (is_clocked_next(c))
    return false;
  if (b->wide[c->index] == *c->cache_epoch)
    return true;
  if (b->irregular || b->run_of_fetch)
    return false;
  if (c->host->resident && !run_is_resident(c, b))
    return false;
  exec_list(c, b);
  b->verified[c->index] = b->wide[c->index] = *c->cache_epoch;
  return true;
}

// Or, if a block is entered by a redirection, as long as none of its accesses waits: then the state
// of the fetch is known throughout, and what it asks for is known in advance.
bool exec_verify(struct core *c, struct block *b) {
  if (exec_verify_wide(c, b))
    return true;
  if (is_clocked_next(c) || b->irregular || !c->host->resident)
    return false;
  uint32_t reach = block_reach(c->blocks, b);
  if (reach == BLOCK_REACHES_ANYWHERE || !c->host->resident(c->host->self, c, b->pc, reach))
    return false;
  exec_list(c, b);
  b->verified[c->index] = *c->cache_epoch;
  return true;
}

// What waits in front of a jump lets the fetch get ahead.
static bool has_waited_lately(const struct core *c, cycle_t t) {
  enum { LATELY = 8 };
  const struct wait *w = core_last_wait(c, 0);
  cycle_t end = w->valid > w->grant ? w->valid : w->grant;
  if (w->since + w->hold > end)
    end = w->since + w->hold;
  return t < end + LATELY;
}

bool exec_settles_at(struct core *c, struct block *b, cycle_t t) {
  return !has_waited_lately(c, t) || !exec_verify(c, b);
}

bool exec_must_be_clocked(struct core *c, struct block *b) {
  return !exec_verify_wide(c, b);
}

// When the first instruction of the block of `u` has left ID if `u` does so in cycle `t`.
static cycle_t first_of_block(const struct uop *u, cycle_t t) {
  for (unsigned i = u->place; i > 0; i--, u--)
    t -= u->cost;
  return t;
}

void exec_hand_over(struct core *c, struct block *b, cycle_t t) {
  c->entering = b;
  stop_at(c, NULL, t);
  c->phase = CORE_TAKEOVER;
  cycle_t clocked_from = t - 2 - b->crossing;
  cycle_t now = c->engine->now;
  engine_schedule(c->engine, c->actor, clocked_from > now ? clocked_from : now);
}

// The replay ends with the jump back of a hardware loop, if `u` has led to `next` by one, and so
// counts it once more.
static void mark_round(const struct core *c, const struct uop *u, const struct block *next,
                       struct line *line) {
  for (unsigned i = 0; u->op == UOP_OP_HWLOOP && next->pc != u->pc && i < 2; i++)
    if (c->loop[i].last == u[-1].pc && c->loop[i].start == next->pc) {
      line->rounds |= (uint8_t)(1 << i);
      return;
    }
}

void exec_leave_line(struct core *c, const struct uop *u, struct block *next, cycle_t t,
                     cycle_t delay) {
  struct block *from = exec_block_of(u);
  exec_hand_over(c, next, t);
  if (exec_is_narrow(c, from))
    c->line = line_from_block(from, first_of_block(u - 1, t - delay - 1));
  else if (!line_since_known(c, u, t - delay, &c->line))
    return;
  mark_round(c, u, next, &c->line);
  engine_move(c->engine, c->actor, t);
}

// ---- links between blocks. They are cached in the micro-operation, which is shared by
// all cores: a pure function of the code, so it does not matter who resolves it.

static struct block *set_link(struct uop *w, struct block *b) {
  w->link = b;
  if (!w->to.other && (!(w->flags & UOP_BOUNDARY) || !w->to.cycles))
    w->flags &= (uint8_t)~UOP_EDGE;
  else
    w->flags |= UOP_EDGE;
  return b;
}

struct block *exec_link(struct core *c, const struct uop *u, uint32_t target) {
  return set_link((struct uop *)u, block_find(c->blocks, target));
}

static struct block *link_behind(struct core *c, const struct uop *u, uint32_t target) {
  struct uop *w = (struct uop *)u;
  struct block *b = block_follow(c->blocks, exec_block_of(u), target, &w->to);
  return set_link(w, b);
}

static void look_behind(struct core *c, const struct uop *u, const struct block *next) {
  if (block_hides_behind(c->blocks, exec_block_of(u), next))
    ((struct uop *)u)->flags |= UOP_COVERED;
}

struct block *exec_link_chain(struct core *c, const struct uop *u) {
  struct block *next = link_behind(c, u, u->pc);
  look_behind(c, u, next);
  return next;
}

struct block *exec_link_back(struct core *c, const struct uop *u, uint32_t start) {
  exec_block_of(u)->round = 0;
  struct block *b = link_behind(c, u, start);
  const struct block *behind = exec_link_through(c, u);
  if (behind->irregular || behind->run_of_fetch) // the last rounds are the cycle model's
    ((struct uop *)u)->flags |= UOP_EDGE;
  return b;
}

struct block *exec_link_through(struct core *c, const struct uop *u) {
  struct block *from = exec_block_of(u);
  from->through_block = block_follow(c->blocks, from, u->pc, &from->through);
  look_behind(c, u, from->through_block);
  return from->through_block;
}

// ---- hardware loops

// There is more to the runs of its blocks than there was.
static void verify_anew(struct core *c) {
  for (unsigned i = 0; i < c->dirty_count; i++)
    c->dirty[i]->verified[c->index] = c->dirty[i]->wide[c->index] = BLOCK_UNVERIFIED;
}

// A loop that is being set up has no rounds yet (on RI5CY: one, of its last use), and its bounds
// may be of two loops.
void exec_loop_written(struct core *c, unsigned loop) {
  const struct hwloop *l = &c->loop[loop];
  if (l->count > (c->corev ? 0 : 1) &&
      block_end_loop_at(c->blocks, l->last, l->start, c->index) == LOOP_OF_OTHERS)
    verify_anew(c);
}

void exec_loop_start(struct core *c, unsigned loop, uint32_t address) {
  c->loop_unaligned = c->corev && (address & 3);
  c->loop[loop].start = c->corev ? address & ~UINT32_C(3) : address;
  exec_loop_written(c, loop);
}

void exec_loop_end(struct core *c, unsigned loop, uint32_t address) {
  c->loop_unaligned |= c->corev && (address & 3);
  c->loop[loop].last = c->corev ? (address & ~UINT32_C(3)) - 4 : address;
  exec_loop_written(c, loop);
}

void exec_loop_count(struct core *c, unsigned loop, uint32_t count) {
  c->loop[loop].count = count;
  exec_loop_written(c, loop);
}

static bool inside_active(const struct hwloop *l, uint32_t pc) {
  return l->count > 1 && pc >= l->start && pc <= l->last;
}

static bool runs_folded(struct core *c, const struct hwloop *l) {
  if (l->count < 2 || l->last < l->start)
    return true;
  if (c->checked_start == l->start && c->checked_last == l->last)
    return true;
  if (!loop_is_regular(c, l))
    return false;
  c->checked_start = l->start;
  c->checked_last = l->last;
  return true;
}

bool exec_note_loop(struct core *c, const struct uop *u, cycle_t t) {
  const char *misuse = c->strict ? loop_misuse(c, u->rd & 1, u->pc) : NULL;
  if (misuse) {
    stop_at(c, u, t);
    if (c->notes)
      return false;
    c->phase = CORE_HALTED;
    c->host->trap(c->host->self, c, u->pc, misuse, t);
    return false;
  }
  if (c->model == CORE_CV32E40P && (!runs_folded(c, &c->loop[0]) || !runs_folded(c, &c->loop[1])))
    exec_clock_next(c);
  unsigned loop = u->rd & 1;
  const struct hwloop *l = &c->loop[loop];
  struct block *first = block_find(c->blocks, l->start);
  if (loop_exit_is_near(c, first, loop, l->count) || loop_exit_in_last_round(c, first))
    exec_clock_next(c);
  if (c->model == CORE_CV32E40P && !inside_active(&c->loop[0], u->pc) &&
      !inside_active(&c->loop[1], u->pc))
    c->flushed_at = u->pc;
  return true;
}

cycle_t exec_covered(struct core *c, const struct uop *u, cycle_t t) {
  const struct block *b = exec_block_of(u);
  cycle_t distance = t - c->waited_until;
  if (distance > 1)
    return 0;
  cycle_t late = c->waited - (c->waited_split ? 1 : 0);
  return exec_take_back(c, &b->hidden_behind[distance][c->waited_split], late);
}

// ---- traps

static const char *trap_text(enum trap cause) {
  switch (cause) {
  case TRAP_FETCH:
    return "instruction fetch outside memory";
  case TRAP_ILLEGAL:
    return "illegal instruction";
  case TRAP_BREAKPOINT:
    return "ebreak without a handler";
  case TRAP_LOAD:
    return "load outside memory";
  case TRAP_STORE:
    return "store outside memory";
  case TRAP_ECALL:
    return "ecall without a handler";
  }
  return "trap";
}

enum { MSTATUS_MIE = 1 << 3, MSTATUS_MPIE = 1 << 7, MSTATUS_MPP = 3 << 11 };

// Without a handler a host call is answered and returns; anything else ends the run.
static uint32_t trap_to_host(struct core *c, uint32_t pc, uint32_t cause) {
  cycle_t now = c->engine->now;
  bool goes_on = cause == TRAP_ECALL && c->host->call(c->host->self, c, now);
  if (cause != TRAP_ECALL)
    c->host->trap(c->host->self, c, pc, trap_text(cause), now);
  if (!goes_on)
    c->phase = CORE_HALTED;
  return pc + 4;
}

uint32_t step_trap(struct core *c, uint32_t pc, uint32_t cause) {
  if (!c->csr.mtvec_written)
    return trap_to_host(c, pc, cause);
  uint32_t status = c->csr.mstatus;
  uint32_t mpie = status & MSTATUS_MIE ? MSTATUS_MPIE : 0;
  c->csr.mstatus = (status & ~(uint32_t)(MSTATUS_MIE | MSTATUS_MPIE)) | mpie | MSTATUS_MPP;
  c->csr.mepc = pc;
  c->csr.mcause = cause;
  return c->csr.mtvec & ~UINT32_C(0xff);
}

// Traps, returns from them, and what else empties the pipeline in its own way are the cycle
// model's. It takes over at `u`, which is in EX in cycle `t` and has had no effect.
static void leave_to_cycle_model(struct core *c, const struct uop *u, cycle_t t) {
  stop_at(c, u, t);
  if (c->notes)
    return;
  exec_abandon(c); // without `u` and what is behind it in its block
  c->count.stall[u->wait.cause] += (uint64_t)(u->wait.cycles - u->wait.other);
  c->count.stall[u->wait.other_cause] += (uint64_t)u->wait.other;
  exec_hand_over(c, block_irregular(c->blocks, u->pc), t - 1);
}

// The jump that may redirect the fetch while the access of `u` waits; NULL: none.
static const struct uop *jump_behind(const struct uop *u) {
  const struct block *b = exec_block_of(u);
  const struct uop *boundary = &b->uop[b->length], *last = boundary - 1;
  if (!(u->flags & (UOP_HIDES | UOP_HIDES2))) {
    bool loop = boundary->op == UOP_OP_HWLOOP;
    const struct block *next = loop ? b->through_block : boundary->link;
    if (!(boundary->flags & UOP_COVERED) || u + 2 < boundary || !next)
      return NULL;
    last = &next->uop[next->length - 1];
  }
  return last->flags & UOP_JUMP ? last : NULL;
}

bool exec_hides_miss(struct core *c) {
  const struct uop *jump = jump_behind(c->at);
  if (!jump)
    return false;
  bool relative = isa_ops[jump->op].cls == ISA_CLASS_JAL;
  uint32_t base = relative ? jump->pc : c->r[jump->rs1];
  struct block *b = block_find(c->blocks, (base + (uint32_t)jump->imm) & ~UINT32_C(1));
  return exec_must_be_clocked(c, b); // while the access waits, the fetch runs ahead there
}

// The end of the block in front of `from`, if what that holds up is known; `t`: when the first
// instruction of `from` was done.
static void line_in_front(struct core *c, const struct block *from, cycle_t t) {
  const struct block *b = from->behind;
  if (!b)
    return;
  const struct uop *end = &b->uop[b->length];
  bool through = end->op == UOP_OP_HWLOOP && end->pc == from->pc;
  struct delay edge = through ? b->through : end->to;
  cycle_t reached = t - from->uop[0].cost - (cycle_t)(int64_t)edge.cycles;
  c->line = line_of_last(c, end, line_tail(end), reached);
  mark_round(c, end, from, &c->line);
}

void exec_leave_at_access(struct core *c) {
  const struct block *from = exec_block_of(c->at);
  const struct uop *u = c->at;
  unsigned tail = line_tail(u);
  bool narrow = exec_is_narrow(c, from);
  cycle_t since = c->acc.since, first = first_of_block(u, since - 1);
  leave_to_cycle_model(c, u, since);
  if (c->tap)
    tap_undo(c->tap, c);
  if (narrow)
    c->line = line_from_block(from, first);
  else if (tail) // so that it waits for what they deliver
    c->line = line_of_last(c, u, tail, since - u->cost);
  else if (u == from->uop)
    line_in_front(c, from, since);
}

void exec_trap(struct core *c, const struct uop *u, cycle_t t) {
  unsigned tail = line_tail(u);
  leave_to_cycle_model(c, u, t);
  if (!tail || c->notes)
    return;
  c->line = line_of_last(c, u, tail, t - u->cost); // it waits for what is in front of it
  bool access = u[-1].flags & UOP_MEMORY;          // in EX in cycle c->t: replayed as well
  cycle_t next = c->engine->now + 1;
  engine_move(c->engine, c->actor, c->t + access > next ? c->t + access : next);
}

// ---- counters

// Folds what is kept of `b`. Returns whether it stays listed: it does not if it was not entered
// since the last time, and is not the one in progress, of which what is known is still needed.
static bool fold_block(struct core *c, struct block *b) {
  uint64_t n = b->entered[c->index];
  if (!n && (!c->at || exec_block_of(c->at) != b)) {
    b->listed &= ~(UINT32_C(1) << c->index);
    b->verified[c->index] = b->wide[c->index] = BLOCK_UNVERIFIED;
    return false;
  }
  b->entered[c->index] = 0;
  c->count.instructions += n * b->length;
  c->count.macs += n * b->macs;
  for (unsigned i = 0; i < EVENT_COUNT; i++)
    c->count.event[i] += n * b->event[i];
  for (unsigned i = 0; i < CAUSE_COUNT; i++)
    c->count.stall[i] += n * (uint64_t)(int64_t)b->stall[i];
  if (c->tap)
    tap_note_fold(c->tap, b, n);
  return true;
}

static void take_back_delay(struct core_counters *k, struct delay d) {
  k->stall[d.cause] -= (uint64_t)(int64_t)(d.cycles - d.other);
  k->stall[d.other_cause] -= (uint64_t)(int64_t)d.other;
}

static void take_back(struct core_counters *k, const struct uop *u) {
  k->instructions--;
  k->macs -= isa_ops[u->op].macs;
  events_add(k->event, isa_ops[u->op].cls, u->size, (uint64_t)-1);
  take_back_delay(k, u->wait);
  if (u->flags & UOP_JUMP)
    take_back_delay(k, u->to);
}

void exec_abandon(struct core *c) {
  struct core_counters k = exec_counters(c);
  c->count = k;
  if (c->tap)
    c->tap->seen = k;
}

struct core_counters exec_counters(struct core *c) {
  unsigned kept = 0;
  for (unsigned i = 0; i < c->dirty_count; i++)
    if (fold_block(c, c->dirty[i]))
      c->dirty[kept++] = c->dirty[i];
  c->dirty_count = kept;
  struct core_counters k = c->count;
  if (!c->at || c->phase == CORE_PAUSED)
    return k;
  // The block in progress was counted whole: take back what has not been executed.
  const struct uop *u = c->at;
  if (c->phase == CORE_ACCESS || c->phase == CORE_ASKS || c->phase == CORE_WAIT ||
      c->phase == CORE_HALTED)
    u++;
  for (const struct block *b = exec_block_of(c->at); u < b->uop + b->length; u++)
    take_back(&k, u);
  return k;
}
