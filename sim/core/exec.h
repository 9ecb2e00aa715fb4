// sim/core/exec.h: executors of micro-operations, compiled from the rows' bodies.
#ifndef PULPSIM_EXEC_H
#define PULPSIM_EXEC_H

#include "core/block.h"
#include "isa_ops.h"

// Micro-operations that are not instructions: they end a block.
enum {
  UOP_OP_CHAIN = ISA_OP_COUNT, // go on with the block at uop.pc
  UOP_OP_HWLOOP,               // a hardware loop may end here
  UOP_OP_REGION,               // the hint in front of it begins or ends a region
  UOP_OP_TRAP,                 // no legal instruction at uop.pc, so the block is the cycle model's
  UOP_OP_COUNT
};

// The executor of a micro-operation whose time is known, as far as it can be.
uop_exec *exec_function(const struct uop *u, bool observed);

// Executes a single micro-operation and leaves the next one in c->at, c->t.
void exec_alone(struct core *c, const struct uop *u, cycle_t t);

// Whether the bare executors return only when the core has to wait. That takes tail calls, hence an
// optimizing compiler; without one (or with sanitizers, which keep frames alive) they return after
// each instruction.
#if defined __OPTIMIZE__ && !defined __SANITIZE_ADDRESS__
#define EXEC_TAIL_CALLS 1
#else
#define EXEC_TAIL_CALLS 0
#endif

// Of a block's micro-operation: what finishes a memory operation whose access the group of cores
// has granted, and returns only when the core has to wait; else NULL.
uop_finish *exec_granted_function(const struct uop *u, bool observed);

// Of the next `length` instructions of a block: lets the first one's bare executor be one for its
// usual case, if there is any, that executes as many as it can: returns how many.
unsigned exec_choose_quick(struct uop *u, unsigned length);

// Runs the core from micro-operation `u` with time `t` until it has to wait.
void exec_continue(struct core *c, const struct uop *u, cycle_t t);

// By operation; NULL: it accesses no memory.
extern uop_finish *const exec_completion[];

// For an executor that takes nothing from the instruction in front: what is in a register anyway,
// on x86-64 in that of the fourth argument.
#ifdef __x86_64__
#define EXEC_ANY_REGISTER "=c"
#else
#define EXEC_ANY_REGISTER "=r"
#endif
static inline uint32_t exec_anything(void) {
  uint32_t anything;
  __asm__("" : EXEC_ANY_REGISTER(anything));
  return anything;
}

// Finishes the memory micro-operation c->at, granted in cycle `t` (data in c->acc.data), and runs
// on.
static inline void exec_complete(struct core *c, cycle_t t) {
  c->phase = CORE_RUN;
  exec_completion[c->at->op](c, c->at, t);
  while (c->phase == CORE_RUN)
    c->at->exec(c, c->at, c->t, exec_anything());
}

// Makes the access that c->at has asked for, granted in cycle `t`, finishes it, and runs on.
static inline void exec_go_on_granted(struct core *c, cycle_t t) {
  c->phase = CORE_RUN;
  c->at->granted(c, c->at, t);
}

// Enters block `b` at time `t` and runs on.
void exec_enter(struct core *c, struct block *b, cycle_t t);

// Adds the static part of all blocks entered so far to c->count, and returns it, as if the core had
// stopped before the instruction at c->at (or, while an access waits, within it).
struct core_counters exec_counters(struct core *c);

#endif
