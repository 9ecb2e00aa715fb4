// The bare executors. See exec_flavour.h; exec_observed.c compiles the same for observers.
#define FLAVOUR(name) bare_##name
#define OBSERVED      0
#include "core/block.h"

static void exec_long_way(struct core *c, const struct uop *u, cycle_t t);
static void exec_raise(struct core *c, const struct uop *u, cycle_t t, unsigned flags);

#include "core/exec_flavour.h"
#include "core/exec_quick_table.h"

uop_exec *exec_observed_function(const struct uop *u);

uop_exec *exec_function(const struct uop *u, bool observed) {
  return observed ? exec_observed_function(u) : bare_request[u->op];
}

void exec_in_full(struct core *c, const struct uop *u, cycle_t t) {
  bare_request[u->op](c, u, t);
}

// Those who observe look at c->acc, and their executors return.
static void granted_and_on(struct core *c, const struct uop *u, cycle_t t) {
  window_serve(c, c->asked, (uint8_t)c->asked_shape, c->asked_shape >> 8);
  exec_completion[u->op](c, u, t);
  while (c->phase == CORE_RUN)
    c->at->exec(c, c->at, c->t);
}

uop_exec *exec_granted_function(const struct uop *u, bool observed) {
  bool returns = observed || !EXEC_TAIL_CALLS;
  if (!bare_granted[u->op] || returns)
    return bare_granted[u->op] ? granted_and_on : NULL;
  return u[1].op == u->op ? bare_again[u->op] : bare_granted[u->op];
}

// Of a float operation: executes it alone. `t` is its own time.
static __attribute__((noinline, cold)) void exec_long_way(struct core *c, const struct uop *u,
                                                          cycle_t t) {
  cycle_t not_counted = uop_is_timed(isa_ops[u->op].cls) ? 0 : u->lead;
  exec_alone(c, u, t - u->cost);
  if (c->phase == CORE_RUN) // no trap
    GO(c->at, c->t - not_counted);
}

// Float operation `u`, with its result written, raises flags.
static __attribute__((noinline, cold)) void exec_raise(struct core *c, const struct uop *u,
                                                       cycle_t t, unsigned flags) {
  csr_raise(c, flags);
  GO(u + 1, t);
}

void exec_continue(struct core *c, const struct uop *u, cycle_t t) {
  c->phase = CORE_RUN;
  c->at = u;
  c->t = t;
  do
    c->at->exec(c, c->at, c->t);
  while (c->phase == CORE_RUN);
}

void exec_enter(struct core *c, struct block *b, cycle_t t) {
  exec_list(c, b);
  b->entered[c->index]++;
  exec_continue(c, b->uop, t);
}
