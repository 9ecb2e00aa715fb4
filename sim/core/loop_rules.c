// What the manuals ask of hardware loops.
//
// CV32E40P user manual v1.8, "CORE-V Hardware Loop": bounds are word aligned; a body has at least
// three instructions, none compressed, none that jumps, branches or traps; the outer loop ends at
// least two instructions behind the inner one; loop registers are not written in the loop's own
// body. RI5CY user manual rev. 4, chapter 6: at least two instructions. Programs that break these
// rules run as the hardware runs them; with `core.strict` they are stopped and told.
#include "core/pipeline_stages.h"
#include "isa_ops.h"

// The instruction at `pc`; false: there is none.
static bool decode(struct pipeline *p, uint32_t pc, struct isa_insn *insn) {
  uint32_t word = fetch_word(p, pc & ~UINT32_C(3));
  if (pc & 2)
    word = fetch_word(p, pc + 2) << 16 | word >> 16;
  return isa_decode(p->decoder, (word & 3) == 3 ? word : word & 0xffff, insn);
}

// Compressed, or leaves the body: not allowed on CV32E40P.
static bool is_foreign(const struct isa_insn *insn) {
  switch (isa_ops[insn->op].cls) {
  case ISA_CLASS_BRANCH:
  case ISA_CLASS_JAL:
  case ISA_CLASS_JALR:
  case ISA_CLASS_SYSTEM:
    return true;
  default:
    return insn->size == 2;
  }
}

static bool has_foreign(struct core *c, const struct hwloop *l) {
  struct isa_insn insn;
  for (uint32_t pc = l->start; pc <= l->last; pc += insn.size)
    if (!decode(c->pipeline, pc, &insn) || is_foreign(&insn))
      return true;
  return false;
}

static bool is_armed(const struct hwloop *l) {
  return l->count > 1 && l->last >= l->start;
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

const char *loop_misuse(struct core *c, unsigned loop, uint32_t pc) {
  if (c->loop_unaligned)
    return "hardware loop with a bound that is not word aligned; CV32E40P drops its low bits";
  for (unsigned i = 0; i < 2; i++) {
    const struct hwloop *l = &c->loop[i];
    if (i == loop && l->count > 0 && pc >= l->start && pc <= l->last)
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
