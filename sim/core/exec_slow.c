#include "core/exec_slow.h"

#include "core/block_parts.h"
#include "core/exec.h"
#include "core/loop_exit.h"
#include "core/loop_rules.h"
#include "observe/tap.h"

void exec_stop_at(struct core *c, const struct uop *u, cycle_t t) {
  c->at = u;
  c->t = t;
  c->phase = CORE_IDLE;
}

void exec_request(struct core *c, const struct uop *u, cycle_t t, uint32_t addr, uint32_t data,
                  unsigned shape) {
  exec_stop_at(c, u, t);
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
  exec_stop_at(c, b->uop, t);
  c->phase = CORE_PAUSED;
  engine_schedule(c->engine, c->actor, t);
}

void exec_hold(struct core *c, const struct uop *u, cycle_t t, cycle_t when) {
  exec_stop_at(c, u, t);
  c->phase = CORE_HELD;
  cycle_t now = c->engine->now;
  engine_schedule(c->engine, c->actor, when > now ? when : now);
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
  if (l->count > (c->model == CORE_CV32E40P ? 0 : 1) &&
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

bool exec_note_loop(struct core *c, const struct uop *u, cycle_t t) {
  const char *misuse = c->strict ? loop_misuse(c, u->rd & 1, u->pc) : NULL;
  if (misuse) {
    exec_stop_at(c, u, t);
    c->phase = CORE_HALTED;
    c->host->trap(c->host->self, c, u->pc, misuse, t);
    return false;
  }
  if (c->model == CORE_CV32E40P && !loops_are_regular(c))
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

// Whether the last access that has waited did so just in front of jump `u`, which is due at `t`, or
// in front of that.
static bool has_just_waited(const struct core *c, const struct uop *u, cycle_t t) {
  const struct uop *a = c->waited_by;
  uint32_t between = a ? u->pc - (a->pc + a->size) : UINT32_MAX;
  cycle_t cycles = u->wait.cycles + (cycle_t)(between && u->place ? u[-1].cost : between != 0);
  return between <= 4 && t - c->waited_until <= 1 + cycles;
}

// Rule jump-register: a jalr in ID right behind jump `u` waits for that one's link, and, if its
// coming so early is `hidden` by an access in front of `u`, for what that has loaded.
static bool waits_for_jump(const struct core *c, const struct uop *u, const struct block *target,
                           bool hidden) {
  const struct uop *next = target->uop, *access = c->waited_by;
  if (!target->length || block_class(next) != ISA_CLASS_JALR || next->rs1 == 0)
    return false;
  return next->rs1 == u->rd ||
         (hidden && next->rs1 == access->rd && access->pc + access->size == u->pc);
}

// Rule jump-crossing: behind an access that waits long enough, a jump's target has been fetched
// whole, whether it crosses a word or not. (The first cycles hide the bubble, see struct hidden.)
cycle_t exec_arrive(struct core *c, const struct uop *u, const struct block *target, cycle_t t) {
  bool hidden = has_just_waited(c, u, t);
  bool follows = hidden ? c->target_follows : !u->to.cycles;
  if (target->crossing && !(hidden && c->target_is_whole)) {
    exec_charge(c, u->cross);
    t += (cycle_t)(int64_t)u->cross.cycles;
    follows &= !hidden && !u->cross.cycles;
  }
  if (!follows || !waits_for_jump(c, u, target, hidden))
    return t;
  c->count.stall[CAUSE_JUMP]++;
  return t + 1;
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
