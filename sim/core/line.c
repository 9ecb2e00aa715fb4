#include "core/line.h"

#include "core/block_parts.h"
#include "core/exec.h"
#include "core/exec_slow.h"
#include "isa_ops.h"

bool line_replays(const struct uop *u) {
  switch (isa_ops[u->op].cls) {
  case ISA_CLASS_FP_DIVSQRT:
  case ISA_CLASS_JAL:
  case ISA_CLASS_JALR:
  case ISA_CLASS_CSR:
  case ISA_CLASS_FENCE:
  case ISA_CLASS_SYSTEM:
  case ISA_CLASS_ELW:
    return false;
  default:
    return true;
  }
}

static cycle_t done(const struct wait *w) {
  return w->valid > w->grant + 1 ? w->valid - 1 : w->grant;
}

// When the access that was done in `end` was in EX first.
static cycle_t requested(const struct core *c, cycle_t end) {
  for (unsigned i = 0; i < CORE_WAITS; i++) {
    const struct wait *w = core_last_wait(c, i);
    if (done(w) == end)
      return w->since;
    if (!w->hold && done(w) < end)
      break;
  }
  return end;
}

enum { SHORTEST_DIVISION = 3 }; // is folded

struct line line_from_block(const struct block *b, cycle_t first) {
  return (struct line){.due = true, .pc = b->pc, .crossing = b->crossing, .first = first};
}

// A loop's set-up changes what the fetch looks for; what a division took is not known backwards.
static bool in_tail(const struct uop *u) {
  enum isa_class cls = isa_ops[u->op].cls;
  return line_replays(u) && cls != ISA_CLASS_HWLOOP && cls != ISA_CLASS_DIV;
}

enum { TAIL = 8 };

unsigned line_tail(const struct uop *u) {
  unsigned n = 0;
  while (n < u->place && n < TAIL && in_tail(&u[-1 - (int)n]))
    n++;
  return n;
}

struct line line_of_last(const struct core *c, const struct uop *u, unsigned n, cycle_t t) {
  const struct uop *first = u - n;
  for (const struct uop *i = u - 1;; i--) {
    if (i->flags & UOP_MEMORY)
      t = requested(c, t);
    if (i == first)
      break;
    t -= i->cost;
  }
  bool crossing = (first->pc & 2) && first->size == 4;
  return (struct line){.due = true, .pc = first->pc, .crossing = crossing, .first = t - 1};
}

// Runs through block `b` from `*t`; false if that cannot be replayed.
static bool run_through(const struct core *c, const struct block *b, cycle_t *t) {
  for (const struct uop *u = b->uop; u < b->uop + b->length; u++) {
    if (!line_replays(u))
      return false;
    *t += u->cost;
    bool divides = isa_ops[u->op].cls == ISA_CLASS_DIV;
    const struct wait *w = (u->flags & UOP_MEMORY) || divides ? core_wait_since(c, *t) : NULL;
    if (w)
      *t = divides ? *t + w->hold - SHORTEST_DIVISION : done(w);
  }
  return true;
}

// The round that is known has been all there was up to boundary `u`, where it ends.
static bool is_known_round(const struct core *c, const struct uop *u) {
  const struct block *from = exec_block_of(u);
  return c->known_by == KNOWN_ROUND && from->round > 1 && from->round_built == c->blocks->built &&
         u->link && u->link->pc == c->known_at;
}

// When it has ended, its waits included.
static cycle_t end_of_round(const struct core *c, const struct uop *u) {
  cycle_t t = c->known_first + exec_block_of(u)->round_cycles;
  for (unsigned i = 0; i < CORE_WAITS; i++) {
    const struct wait *w = core_last_wait(c, i);
    if (w->since <= c->known_first)
      break;
    t += w->hold ? w->hold - (cycle_t)SHORTEST_DIVISION : done(w) - w->since;
  }
  return t;
}

// Blocks may have been built anew since. The time decides: a jump of a hardware loop in between, or
// something that is no longer noted, and it does not come out.
bool line_since_known(struct core *c, const struct uop *u, cycle_t t, struct line *line) {
  if (c->model != CORE_RI5CY || !c->known_at || (u[-1].flags & UOP_MEMORY)) // in EX still
    return false;
  if (is_known_round(c, u)) {
    *line = c->known_line;
    return end_of_round(c, u) == t;
  }
  const struct block *b = block_find(c->blocks, c->known_at);
  cycle_t at = c->known_first;
  struct line from = c->known_by == KNOWN_ROUND ? c->known_line : line_from_block(b, at);
  from.resumes = c->known_by == KNOWN_GIVEN_BACK;
  from.from = c->known_from;
  for (unsigned n = 0; n < LINE_BLOCKS && run_through(c, b, &at); n++) {
    const struct uop *end = &b->uop[b->length];
    if (end->pc == u->pc && at == t) {
      *line = from;
      return true;
    }
    if (end->op != UOP_OP_CHAIN)
      break;
    const struct block *next = end->link ? end->link : exec_link_chain(c, end);
    at += (cycle_t)(int64_t)end->to.cycles;
    b = next;
  }
  return false;
}
