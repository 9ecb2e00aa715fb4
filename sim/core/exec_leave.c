#include "core/exec_leave.h"

#include "core/exec.h"
#include "core/exec_slow.h"
#include "core/line.h"
#include "observe/tap.h"

// When the first instruction of the block of `u` has left ID if `u` does so in cycle `t`.
static cycle_t first_of_block(const struct uop *u, cycle_t t) {
  for (unsigned i = u->place; i > 0; i--, u--)
    t -= u->cost;
  return t;
}

void exec_hand_over(struct core *c, struct block *b, cycle_t t) {
  c->entering = b;
  exec_stop_at(c, NULL, t);
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

// Traps, returns from them, and what else empties the pipeline in its own way are the cycle
// model's. It takes over at `u`, which is in EX in cycle `t` and has had no effect.
static void leave_to_cycle_model(struct core *c, const struct uop *u, cycle_t t) {
  exec_stop_at(c, u, t);
  exec_abandon(c); // without `u` and what is behind it in its block
  c->count.stall[u->wait.cause] += (uint64_t)(u->wait.cycles - u->wait.other);
  c->count.stall[u->wait.other_cause] += (uint64_t)u->wait.other;
  exec_hand_over(c, block_irregular(c->blocks, u->pc), t - 1);
}

// The block behind `boundary` if a jump in it may hide waiting in front of that; NULL: none. Where
// the core has not gone straight on yet, nobody has looked: it may.
static const struct block *covering(struct core *c, const struct block *b,
                                    const struct uop *boundary) {
  if (boundary->op == UOP_OP_CHAIN && !boundary->link)
    return block_find(c->blocks, boundary->pc);
  if (!(boundary->flags & UOP_COVERED))
    return NULL;
  return boundary->op == UOP_OP_HWLOOP ? b->through_block : boundary->link;
}

// The jump that may redirect the fetch while the access of `u` waits; NULL: none.
static const struct uop *jump_behind(struct core *c, const struct uop *u) {
  const struct block *b = exec_block_of(u);
  const struct uop *boundary = &b->uop[b->length], *last = boundary - 1;
  if (!(last->flags & UOP_JUMP)) {
    const struct block *next = u + 2 < boundary ? NULL : covering(c, b, boundary);
    if (!next || !next->length)
      return NULL;
    last = &next->uop[next->length - 1];
  } else if (last - u > 2) {
    return NULL;
  }
  return last->flags & UOP_JUMP ? last : NULL;
}

static bool writes(const struct uop *u, unsigned r) {
  return (u->writes > 0 && u->first == r) || (u->writes > 1 && u->rs1_out == r);
}

// A jump to what the access of `u`, or an instruction between, computes waits for that: a return
// behind the load of its address does not redirect the fetch meanwhile.
static bool base_is_awaited(const struct uop *u, const struct uop *jump) {
  const struct block *b = exec_block_of(u), *last = exec_block_of(jump);
  if (isa_ops[jump->op].cls == ISA_CLASS_JAL)
    return false;
  bool awaited = false;
  for (const struct uop *v = b == last ? last->uop + u->place : last->uop; v < jump; v++)
    awaited |= writes(v, jump->rs1);
  for (const struct uop *v = u; b != last && v < &b->uop[b->length]; v++)
    awaited |= writes(v, jump->rs1);
  return awaited;
}

bool exec_hides_miss(struct core *c) {
  const struct uop *jump = jump_behind(c, c->at);
  if (!jump || base_is_awaited(c->at, jump))
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
  if (!tail)
    return;
  c->line = line_of_last(c, u, tail, t - u->cost); // it waits for what is in front of it
  bool access = u[-1].flags & UOP_MEMORY;          // in EX in cycle c->t: replayed as well
  cycle_t next = c->engine->now + 1;
  engine_move(c->engine, c->actor, c->t + access > next ? c->t + access : next);
}
