#include "core/loop_rules.h"

#include "core/block.h"

// Compressed, or leaves the body: not allowed on CV32E40P.
static bool is_foreign(const struct uop *u) {
  switch (isa_ops[u->op].cls) {
  case ISA_CLASS_BRANCH:
  case ISA_CLASS_JAL:
  case ISA_CLASS_JALR:
  case ISA_CLASS_SYSTEM:
    return true;
  default:
    return u->size == 2;
  }
}

static bool has_foreign(struct core *c, const struct hwloop *l) {
  for (uint32_t pc = l->start; pc <= l->last;) {
    const struct block *b = block_find(c->blocks, pc);
    if (!b->length)
      return true;
    for (unsigned i = 0; i < b->length && b->uop[i].pc <= l->last; i++)
      if (is_foreign(&b->uop[i]))
        return true;
    pc = b->end;
  }
  return false;
}

// The controller forgets the loop behind it, and when it sees the end depends on what waits there.
static bool is_flushed_late(const struct block *b, const struct hwloop *l) {
  for (const struct uop *u = b->uop; u < b->uop + b->length; u++)
    if (l->last - u->pc <= 8 && (u->flags & UOP_FLUSH || isa_ops[u->op].cls == ISA_CLASS_ELW))
      return true;
  return false;
}

// The cycle model would take over in the middle of it, not knowing that the controller follows the
// loop.
static bool has_irregular(struct core *c, const struct hwloop *l) {
  for (uint32_t pc = l->start; pc <= l->last;) {
    const struct block *b = block_find(c->blocks, pc);
    if (b->irregular || is_flushed_late(b, l))
      return true;
    pc = b->end;
  }
  return false;
}

static bool is_armed(const struct hwloop *l) {
  return l->count > 1 && l->last >= l->start;
}

static bool is_regular(struct core *c, const struct hwloop *l) {
  if (!is_armed(l) || (c->checked_start == l->start && c->checked_last == l->last))
    return true;
  if (l->last < l->start + 8 || has_foreign(c, l) || has_irregular(c, l))
    return false;
  c->checked_start = l->start;
  c->checked_last = l->last;
  return true;
}

// The controller looks at their ends together.
static bool end_apart(const struct hwloop *a, const struct hwloop *b) {
  return !a->count || !b->count || a->last >= b->last + 8 || b->last >= a->last + 8;
}

bool loops_are_regular(struct core *c) {
  return is_regular(c, &c->loop[0]) && is_regular(c, &c->loop[1]) &&
         end_apart(&c->loop[0], &c->loop[1]);
}

static const char *body_misuse(struct core *c, const struct hwloop *l) {
  if (c->model == CORE_RI5CY)
    return l->last == l->start ? "hardware loop of one instruction; RI5CY needs at least two"
                               : NULL;
  if (has_foreign(c, l))
    return "hardware loop with a compressed instruction or a jump in its body, which CV32E40P does "
           "not allow";
  if (l->last < l->start + 8)
    return "hardware loop of fewer than three instructions; CV32E40P needs at least three";
  return NULL;
}

static bool writes_itself(const struct hwloop *l, uint32_t pc) {
  return l->count > 0 && pc >= l->start && pc <= l->last;
}

const char *loop_misuse(struct core *c, unsigned loop, uint32_t pc) {
  if (c->loop_unaligned)
    return "hardware loop with a bound that is not word aligned; CV32E40P drops its low bits";
  for (unsigned i = 0; i < 2; i++) {
    const struct hwloop *l = &c->loop[i];
    if (i == loop && writes_itself(l, pc))
      return "hardware loop registers written inside the loop's own body";
    const char *text = is_armed(l) ? body_misuse(c, l) : NULL;
    if (text)
      return text;
  }
  const struct hwloop *inner = &c->loop[0], *outer = &c->loop[1];
  bool nested = is_armed(inner) && is_armed(outer) && inner->start >= outer->start &&
                inner->start <= outer->last;
  if (c->model == CORE_CV32E40P && nested && outer->last < inner->last + 8)
    return "nested hardware loops that end less than two instructions apart";
  return NULL;
}
