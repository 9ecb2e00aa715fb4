// sim/core/exec_words.h: the words in which the rows' bodies are written, for micro-operations, but
// for those of memory.
#ifndef PULPSIM_EXEC_WORDS_H
#define PULPSIM_EXEC_WORDS_H

#include "core/csr.h"
#include "core/exec.h"
#include "core/step.h"

// No matter which: a parameter that nobody looks at costs nothing.
static inline uint32_t exec_anything(void) {
  uint32_t value;
  __asm__("" : "=r"(value));
  return value;
}

// A tail call. The next one is given what this one has computed.
#define EXEC_GO_GIVING(uop_, value_)                                                               \
  do {                                                                                             \
    const struct uop *go_ = (uop_);                                                                \
    __asm__("" : "+r"(go_)); /* its address first, or it is computed twice */                      \
    return go_->exec(c, go_, (value_));                                                            \
  } while (0)
#define EXEC_GO(uop_) EXEC_GO_GIVING(uop_, exec_anything())

#define EXECUTOR(name_)                                                                            \
  __attribute__((unused)) static enum exec_result name_(struct core *c, const struct uop *u,       \
                                                        __attribute__((unused)) uint32_t given)
// Of an operation that adds to its destination, that is the third source, too. (Of x0 it is the
// sink's value that goes to the sink.)
#define TIES_RS3(CLASS) (ISA_CLASS_##CLASS == ISA_CLASS_ALU)

#define RS1     (c->r[u->rs1])
#define RS2     (c->r[u->rs2])
#define RS3     (c->r[RS3_IS_RD ? u->rd : u->rs3])
#define RD      c->r[u->rd]
#define RS1_OUT c->r[u->rs1_out]
#define NUM_RS1 (u->rs1)
#define IMM     (u->imm)
#define IMM2    ((uint32_t)u->imm2)
#define PC      (u->pc)
#define NEXT_PC (u->pc + u->size)
#define LOOP    ((unsigned)u->rd)
#define NN(n)   c->nn[n]
// Segments with float operations are run only where frm holds a mode that exists.
#define FRM          (u->imm2 == 7 ? c->csr.frm : u->imm2)
#define FFLAGS(bits) csr_raise(c, (bits))
#undef FP_IS_FPNEW06
#undef FP_F0
#define FP_IS_FPNEW06 (c->fpnew06)
#define FP_F0         (c->r[32])

// None of these is part of a segment: see may_be_part() in segment_make.c.
#define CSR_READ(number)                 0
#define CSR_WRITE(number, value)         ((void)0)
#define CSR_CHANGE(number, bits, clears) ((void)0)
#define ECALL()                          ((void)0)
#define EBREAK()                         ((void)0)
#define MRET()                           ((void)0)
#define DRET()                           ((void)0)
#define TRAP_ILLEGAL()                   ((void)0)
#define WFI()                            ((void)0)
#define FENCE()                          ((void)0)
#define FENCE_I()                        ((void)0)

// Where they go is the pipeline's business.
#define JUMP_REL()        (RD = NEXT_PC)
#define JUMP_ABS(address) (RD = NEXT_PC)
// A branch of the host, too, which foresees what comes then.
#define BRANCH(condition)                                                                          \
  do {                                                                                             \
    if (condition) {                                                                               \
      c->count.event[EVENT_TAKEN]++;                                                               \
      return EXEC_TAKEN;                                                                           \
    }                                                                                              \
  } while (0)
#define HWLOOP_START(loop_, address) step_loop_start(c, (loop_), (address))
#define HWLOOP_END(loop_, address)   step_loop_end(c, (loop_), (address))
#define HWLOOP_COUNT(loop_, value)   step_loop_count(c, (loop_), (value))

#endif
