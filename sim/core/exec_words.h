// sim/core/exec_words.h: the words in which the rows' bodies are written that have to do neither
// with memory nor with control, and how an executor goes on. OBSERVED as in exec_flavour.h.
#ifndef PULPSIM_EXEC_WORDS_H
#define PULPSIM_EXEC_WORDS_H

#include "core/csr.h"
#include "core/exec.h"
#include "core/exec_slow.h"

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

// Tail calls need an optimizing compiler; without one (or with sanitizers, which keep frames
// alive) the bare flavour returns to its caller as well.
#define EXEC_GO_CALL(uop_, time_, gives_)                                                          \
  do {                                                                                             \
    const struct uop *go_ = (uop_);                                                                \
    __asm__("" : "+r"(go_)); /* its address first, or it is computed twice */                      \
    go_->exec(c, go_, (time_), (gives_));                                                          \
    return;                                                                                        \
  } while (0)
#define EXEC_GO_RETURN(uop_, time_, gives_)                                                        \
  do {                                                                                             \
    c->at = (uop_);                                                                                \
    c->t = (time_);                                                                                \
    return;                                                                                        \
  } while (0)
#if !OBSERVED && EXEC_TAIL_CALLS
#define GO_GIVING(uop_, time_, value_) EXEC_GO_CALL(uop_, time_, value_)
#else
#define GO_GIVING(uop_, time_, value_) EXEC_GO_RETURN(uop_, time_, value_)
#endif
#define GO(uop_, time_) GO_GIVING(uop_, time_, exec_anything())

#define EXECUTOR(name_)                                                                            \
  static void name_(struct core *c, const struct uop *u, cycle_t t,                                \
                    uint32_t given __attribute__((unused)))

// ---- time. In the bare flavour it stands still in instructions that do not need it, see
// uop_is_timed(); NOW is right in any.

#define IS_TIMED(CLASS) (OBSERVED || uop_is_timed(ISA_CLASS_##CLASS))
#define TIES_RS3(CLASS) (ISA_CLASS_##CLASS == ISA_CLASS_ALU)
#define COST            (OBSERVED ? u->cost : u->lead)
#define BOUNDARY_COST   (OBSERVED ? 0 : u->lead)
#if OBSERVED
#define NOW t
#else
#define NOW (timed ? t : t + u->lead)
#endif

// ---- the vocabulary of isa/rows/all.def

#define RS1 (c->r[u->rs1])
#define RS2 (c->r[u->rs2])
// Of x0 it is the sink's value that goes to the sink.
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
// A mode of frm that does not exist makes the instruction illegal (cv32e40p_decoder.sv,
// check_fprm).
#define FRM                                                                                        \
  ({                                                                                               \
    uint32_t mode_ = u->imm2 == 7 ? c->csr.frm : u->imm2;                                          \
    if (unlikely(mode_ > 4)) {                                                                     \
      exec_trap(c, u, NOW);                                                                        \
      return;                                                                                      \
    }                                                                                              \
    mode_;                                                                                         \
  })
#define FFLAGS(bits) csr_raise(c, (bits))
#undef FP_IS_FPNEW06
#undef FP_F0
#define FP_IS_FPNEW06 (c->fpnew06)
#define FP_F0         (c->r[32])

#endif
