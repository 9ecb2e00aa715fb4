#include "core/loop_exit.h"

#include <limits.h>

#include "core/block_parts.h"
#include "core/exec.h"
#include "core/exec_slow.h"
#include "core/line.h"
#include "isa_ops.h"

// ---- the instructions that are replayed

// TAIL_MIN: the last one is seen in IF when the one two before it leaves ID; and one more, so that
// what is in front of them cannot hold them up.
enum { TAIL_MIN = 4 };

// Whether the last instruction in front of boundary `u` never waits in IF, because the one before
// it leaves ID one cycle behind the one before that.
static bool goes_through_if(const struct uop *u) {
  return u[-2].cost == 1 && !(u[-3].flags & UOP_MEMORY) && !(u[-4].flags & UOP_MEMORY);
}

// How many, in front of boundary `u`; 0: they do not do.
static unsigned tail_length(const struct uop *u) {
  unsigned n = line_tail(u);
  return n >= TAIL_MIN && goes_through_if(u) ? n : 0;
}

static unsigned replayed(const struct core *c, const struct uop *boundary) {
  struct block *b = exec_block_of(boundary);
  if (!b->tail)
    b->tail = (uint8_t)(1 + (c->model == CORE_RI5CY ? tail_length(boundary) : 0));
  return b->tail - 1u;
}

// ---- which loops, when

// ... where the last instructions do not do: on RI5CY, all that there are.
static uint32_t many_rounds(const struct core *c) {
  return c->model == CORE_RI5CY ? UINT32_MAX : LOOP_EXIT_ROUNDS;
}

static uint32_t clocked_rounds(const struct core *c, const struct uop *boundary) {
  return replayed(c, boundary) ? 1 : many_rounds(c);
}

// Of a loop: the block behind it is the cycle model's, by itself or because of the loop around.
static bool goes_on_clocked(struct core *c, struct block *behind) {
  return exec_must_be_clocked(c, behind) || loop_exit_in_last_round(c, behind);
}

bool loop_exit_is_due(struct core *c, const struct uop *u, unsigned loop) {
  struct block *from = exec_block_of(u), *next = from->through_block;
  if (c->loop[loop].count > clocked_rounds(c, u))
    return false;
  if (!next)
    next = exec_link_through(c, u);
  return goes_on_clocked(c, next);
}

// How many of `count` instructions may have to wait, and are noted when they do; UINT_MAX: one of
// them cannot be replayed, or leads elsewhere, or another hides that it waits.
static unsigned waits_of(const struct uop *u, unsigned count) {
  unsigned waits = 0;
  for (unsigned i = 0; i < count; i++) {
    enum isa_class cls = isa_ops[u[i].op].cls;
    if (!line_replays(&u[i]) || cls == ISA_CLASS_HWLOOP || cls == ISA_CLASS_BRANCH ||
        (u[i].flags & (UOP_HIDES | UOP_HIDES2)))
      return UINT_MAX;
    waits += (u[i].flags & UOP_MEMORY) || cls == ISA_CLASS_DIV;
  }
  return waits;
}

static uint32_t cycles_of(const struct block *b) {
  uint32_t cycles = 0;
  for (const struct uop *u = b->uop; u < b->uop + b->length; u++)
    cycles += u->cost;
  return cycles;
}

// The whole round that begins at `b` and ends at boundary `u`, and what is replayed before.
static bool can_be_replayed(struct core *c, const struct block *b, const struct uop *u,
                            uint32_t *cycles) {
  unsigned n = replayed(c, u), waits = n;
  *cycles = 0;
  for (unsigned i = 0; n && i < LINE_BLOCKS && waits <= CORE_WAITS; i++) {
    const struct uop *end = &b->uop[b->length];
    unsigned more = waits_of(b->uop, b->length);
    if (more == UINT_MAX)
      return false;
    waits += more;
    *cycles += cycles_of(b);
    if (end == u)
      return waits <= CORE_WAITS && !(u[-1].flags & UOP_MEMORY) && !(u->flags & UOP_COVERED);
    if (end->op != UOP_OP_CHAIN)
      return false;
    const struct block *next = end->link ? end->link : exec_link_chain(c, end);
    if (end->flags & UOP_COVERED)
      return false;
    *cycles += (uint32_t)end->to.cycles;
    b = next;
  }
  return false;
}

bool loop_exit_can_wait(struct core *c, const struct uop *u) {
  struct block *from = exec_block_of(u);
  if (!from->round || from->round_built != c->blocks->built) {
    from->round = (uint8_t)(1 + can_be_replayed(c, u->link, u, &from->round_cycles));
    from->round_built = c->blocks->built;
  }
  return from->round > 1 && !c->clock_next && exec_must_be_clocked(c, from->through_block);
}

void loop_exit_note(struct core *c, const struct uop *u, cycle_t t, cycle_t first, unsigned loop) {
  c->known_line = line_of_last(c, u, replayed(c, u), t);
  c->known_line.rounds = (uint8_t)(1 << loop);
  c->known_by = KNOWN_ROUND;
  c->known_at = u->link->pc;
  c->known_first = first;
}

void loop_exit(struct core *c, const struct uop *u, struct block *start, cycle_t t, unsigned loop) {
  cycle_t next = exec_go_round(c, u, t) + (cycle_t)(int64_t)u->to.cycles;
  unsigned n = replayed(c, u);
  exec_hand_over(c, start, next);
  if (n)
    c->line = line_of_last(c, u, n, t);
  else if (!line_since_known(c, u, t, &c->line))
    return;
  c->line.rounds = (uint8_t)(1 << loop);
  bool access = u[-1].flags & UOP_MEMORY; // in EX in cycle `next`: replayed as well
  engine_move(c->engine, c->actor, next + access);
}

static bool is_in(const struct hwloop *l, uint32_t pc) {
  return pc >= l->start && pc <= l->last;
}

static struct block *block_behind(struct core *c, const struct hwloop *l) {
  return block_find(c->blocks, l->last + block_size_at(c->blocks, l->last));
}

// The boundary at the end of a loop whose last instruction is at `last` that folded execution comes
// to from `b` on; NULL: something else comes before.
static const struct uop *boundary_of(struct core *c, const struct block *b, uint32_t last) {
  const struct uop *u = &b->uop[b->length];
  while (u->op == UOP_OP_CHAIN && u->pc <= last) {
    const struct block *next = u->link ? u->link : exec_link_chain(c, u);
    u = &next->uop[next->length];
  }
  return u->op == UOP_OP_HWLOOP && u[-1].pc == last ? u : NULL;
}

// How many rounds of a loop that `b` is in are the cycle model's, if what is behind it is.
static uint32_t last_rounds(struct core *c, const struct block *b, const struct hwloop *l) {
  const struct uop *boundary = boundary_of(c, b, l->last);
  return boundary ? clocked_rounds(c, boundary) : many_rounds(c);
}

bool loop_exit_is_unknown(struct core *c, struct block *b) {
  if (c->model == CORE_RI5CY && !b->unknown) {
    const struct uop *boundary = boundary_of(c, b, b->run_last);
    b->unknown = (uint8_t)(1 + (!boundary || !replayed(c, boundary)));
  }
  return b->unknown > 1;
}

// Whether `b` is in a loop inside of `outer` that jumps back often enough to decide there.
static bool decides_later(struct core *c, const struct block *b, unsigned outer) {
  const struct hwloop *o = &c->loop[outer], *l = &c->loop[!outer];
  bool nested = is_in(l, b->pc) && l->start >= o->start && l->last < o->last;
  // One decrement of the counter may be under way.
  return nested && l->count > 1 && l->count - 1 > last_rounds(c, b, l);
}

bool loop_exit_in_last_round(struct core *c, const struct block *b) {
  for (unsigned i = 0; i < 2; i++)
    if (c->loop[i].count == 1 && is_in(&c->loop[i], b->pc) && !decides_later(c, b, i) &&
        exec_must_be_clocked(c, block_behind(c, &c->loop[i])))
      return true;
  return false;
}

bool loop_exit_is_near(struct core *c, struct block *b, unsigned loop, uint32_t rounds) {
  const struct hwloop *l = &c->loop[loop];
  if (rounds < 1 || !is_in(l, b->pc) || b->run_last != l->last)
    return false;
  return rounds <= last_rounds(c, b, l) && goes_on_clocked(c, block_behind(c, l));
}
