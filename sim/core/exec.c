// The bare executors, and the choice among all. See exec_flavour.h; exec_observed.c compiles the
// same for observers.
#define FLAVOUR(name) bare_##name
#define OBSERVED      0
#include "core/exec_flavour.h"
#include "core/exec_leave.h"
#include "core/exec_quick_table.h"
#include "core/stack.h"

uop_exec *exec_observed_function(const struct uop *u);

// Whether `u` comes behind an instruction of its block that forwards what it writes, which is for
// register `r`.
static bool is_forwarded(const struct uop *u, unsigned r) {
  if (!EXEC_TAIL_CALLS || u->place == 0 || u[-1].rd != r)
    return false;
  const struct isa_op_info *front = &isa_ops[u[-1].op];
  return front->cls == ISA_CLASS_ALU && !front->macs; // those have quick executors
}

// A function's frame: what overflows the stack is left to the cycle model.
static uint32_t stack_after(const struct core *c, const struct uop *u) {
  uint32_t from = c->r[STACK_POINTER];
  return u->op == ISA_OP_addi  ? from + (uint32_t)u->imm
         : u->op == ISA_OP_add ? from + c->r[u->rs2]
                               : from - c->r[u->rs2];
}

static void bare_frame(struct core *c, const struct uop *u, cycle_t t, uint32_t given) {
  if (stack_overflows(c, c->r[STACK_POINTER], stack_after(c, u)))
    exec_trap(c, u, t + u->lead);
  else
    bare_request[u->op](c, u, t, given);
}

static void observed_frame(struct core *c, const struct uop *u, cycle_t t, uint32_t given) {
  if (stack_overflows(c, c->r[STACK_POINTER], stack_after(c, u)))
    exec_trap(c, u, t);
  else
    exec_observed_function(u)(c, u, t, given);
}

static uop_exec *bare_function(const struct uop *u) {
  const struct forwarding none = {0};
  const struct forwarding *f = u->flags & UOP_BOUNDARY ? &none : &bare_forwarding[u->op];
  if (f->rs1 && is_forwarded(u, u->rs1))
    return f->rs1;
  if (f->rs2 && is_forwarded(u, u->rs2))
    return f->rs2;
  return bare_request[u->op];
}

uop_exec *exec_function(const struct uop *u, bool observed) {
  if (!(u->flags & UOP_BOUNDARY) && stack_may_grow(u->op, u->rd, u->rs1))
    return observed ? observed_frame : bare_frame;
  return observed ? exec_observed_function(u) : bare_function(u);
}

void exec_in_full(struct core *c, const struct uop *u, cycle_t t, uint32_t given) {
  bare_request[u->op](c, u, t, given);
}

// Those who observe look at c->acc, and their executors return.
static void granted_and_on(struct core *c, const struct uop *u, cycle_t t) {
  window_serve(c, c->asked, (uint8_t)c->asked_shape, c->asked_shape >> 8);
  exec_completion[u->op](c, u, t);
  while (c->phase == CORE_RUN)
    c->at->exec(c, c->at, c->t, exec_anything());
}

uop_finish *exec_granted_function(const struct uop *u, bool observed) {
  bool returns = observed || !EXEC_TAIL_CALLS;
  if (!bare_granted[u->op] || returns)
    return bare_granted[u->op] ? granted_and_on : NULL;
  return u[1].op == u->op ? bare_again[u->op] : bare_granted[u->op];
}

void exec_continue(struct core *c, const struct uop *u, cycle_t t) {
  c->phase = CORE_RUN;
  c->at = u;
  c->t = t;
  do
    c->at->exec(c, c->at, c->t, exec_anything());
  while (c->phase == CORE_RUN);
}

void exec_enter(struct core *c, struct block *b, cycle_t t) {
  exec_list(c, b);
  b->entered[c->index]++;
  exec_continue(c, b->uop, t);
}
