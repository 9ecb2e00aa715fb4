// sim/core/exec_quick.h: compiles rows once more, for their usual case and for the instruction set
// that this unit is compiled for. Included by exec_quick.c and exec_avx2.c, which define
//
//   QUICK(name)  the name of what is defined here
//
// Multiply-accumulates of integers, and sums and products of floats, which are executed as if
// core.csr.rne_inexact, which is looked at first. What turns out to need more than that has had no
// effect, and is left to the row's executor for all cases.
#define FP_LONG_WAY(call) (*flags |= FP_UNDONE, 0)
#define FP_FUSED_ONLY     1
#include "isa/fp.h"
#include "isa/semantics.h"

#include "core/exec_words.h"

#undef FRM
#undef FP_RD
#define FRM FP_RNE
#define FP_RD(expression)                                                                          \
  do {                                                                                             \
    unsigned fl = FP_NX;                                                                           \
    uint32_t value_ = (expression);                                                                \
    if (unlikely(fl != FP_NX))                                                                     \
      return exec_in_full(c, u, 0);                                                                \
    RD = value_;                                                                                   \
  } while (0)

#define LOAD(type, address)         0
#define STORE(type, address, value) ((void)0)

#define ROUNDS(CLASS)                                                                              \
  (ISA_CLASS_##CLASS == ISA_CLASS_FP_ADDMUL || ISA_CLASS_##CLASS == ISA_CLASS_FP_DOTP)
#define ADDS(CLASS, MACS) (ISA_CLASS_##CLASS == ISA_CLASS_ALU && (MACS))

#define QUICK_ROW(id, CLASS, ...)                                                                  \
  EXECUTOR(QUICK(id)) {                                                                            \
    enum { RS3_IS_RD = TIES_RS3(CLASS) };                                                          \
    if (ROUNDS(CLASS) && unlikely(!c->csr.rne_inexact))                                            \
      return exec_in_full(c, u, 0);                                                                \
    __VA_ARGS__;                                                                                   \
    EXEC_GO(u + 1);                                                                                \
  }
#define INSN(id, CLASS, MACS, ENCODINGS, ...) QUICK_ROW(id, CLASS, __VA_ARGS__)
#include "isa/rows/all.def"
#undef INSN

uop_exec *const QUICK(table)[ISA_OP_COUNT] = {
#define INSN(id, CLASS, MACS, ...)                                                                 \
  [ISA_OP_##id] = ROUNDS(CLASS) || ADDS(CLASS, MACS) ? QUICK(id) : NULL,
#include "isa/rows/all.def"
#undef INSN
};
