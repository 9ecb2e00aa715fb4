// The bare executors. See exec_flavour.h; exec_observed.c compiles the same for observers.
#define FLAVOUR(name) bare_##name
#define OBSERVED      0
#include "core/exec_flavour.h"

uop_exec *exec_observed_function(const struct uop *u);

uop_exec *exec_function(const struct uop *u, bool observed) {
  return observed ? exec_observed_function(u) : bare_request[u->op];
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
  exec_note_entry(c, b);
  exec_continue(c, b->uop, t);
}
