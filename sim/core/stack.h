// sim/core/stack.h: what makes a stack grow, and when it has grown too far.
//
// The linker scripts of this project give each core a stack (__stack_top, __stack_size; core 0's on
// top), below which lies another's. A stack grows by addi, add or sub on the stack pointer alone: a
// program that sets it otherwise has a stack elsewhere.
#ifndef PULPSIM_STACK_H
#define PULPSIM_STACK_H

#include "core/core.h"
#include "isa_ops.h"

enum { STACK_POINTER = 2 };

static inline bool stack_may_grow(unsigned op, unsigned rd, unsigned rs1) {
  return rd == STACK_POINTER && rs1 == STACK_POINTER &&
         (op == ISA_OP_addi || op == ISA_OP_add || op == ISA_OP_sub);
}

// Whether the core's stack overflows as its pointer goes from `from` to `to`.
static inline bool stack_overflows(const struct core *c, uint32_t from, uint32_t to) {
  return __builtin_expect(to < c->stack_bottom, 0) && from >= c->stack_bottom &&
         from <= c->stack_top;
}

#endif
