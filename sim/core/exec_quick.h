// sim/core/exec_quick.h: compiles rows once more, for their usual case and for the instruction set
// that this unit is compiled for. Included by exec_quick.c and exec_avx2.c, which define
//
//   QUICK(name)  the name of what is defined here
//   QUICK_DOTS   whether it pays for integer products
//
// Float rows are executed as if core.csr.settled, which is looked at first. What turns out to need
// more than that has had no effect, and is left to the row's bare executor.
#define OBSERVED          0
#define FP_LONG_WAY(call) (*flags |= FP_UNDONE, 0)
#define FP_FUSED_ONLY     1
#include "isa/fp.h"
#include "isa/semantics.h"

#include "core/exec_quick_table.h"
#include "core/exec_words.h"

#undef FRM
#undef FP_RD
#define FRM FP_RNE
#define FP_RD(expression)                                                                          \
  do {                                                                                             \
    unsigned fl = FP_NX;                                                                           \
    uint32_t value_ = (expression);                                                                \
    if (unlikely(fl != FP_NX)) {                                                                   \
      exec_in_full(c, u, t);                                                                       \
      return;                                                                                      \
    }                                                                                              \
    RD = value_;                                                                                   \
  } while (0)

#define QUICK_ROW(id, CLASS, condition, ...)                                                       \
  static void QUICK(id)(struct core * c, const struct uop *u, cycle_t t) {                         \
    enum { RS3_IS_RD = TIES_RS3(CLASS) };                                                          \
    if (unlikely(!(condition))) {                                                                  \
      exec_in_full(c, u, t);                                                                       \
      return;                                                                                      \
    }                                                                                              \
    __VA_ARGS__;                                                                                   \
    GO(u + 1, t);                                                                                  \
  }
#define QUICK_ALU(id, ...) QUICK_ROW(id, ALU, true, __VA_ARGS__)
#define QUICK_MULH(...)
#define QUICK_DIV(...)
#define QUICK_LOAD(...)
#define QUICK_STORE(...)
#define QUICK_ELW(...)
#define QUICK_MACLOAD(...)
#define QUICK_BRANCH(...)
#define QUICK_JAL(...)
#define QUICK_JALR(...)
#define QUICK_CSR(...)
#define QUICK_FENCE(...)
#define QUICK_SYSTEM(...)
#define QUICK_HWLOOP(...)
#define QUICK_FP_ADDMUL(id, ...) QUICK_ROW(id, FP_ADDMUL, c->csr.settled, __VA_ARGS__)
#define QUICK_FP_DOTP(id, ...)   QUICK_ROW(id, FP_DOTP, c->csr.settled, __VA_ARGS__)
#define QUICK_FP_DIVSQRT(...)
#define QUICK_FP_NONCOMP(...)
#define QUICK_FP_CONV(...)
#define QUICK_FP_LOAD(...)
#define QUICK_FP_STORE(...)
#define INSN(id, CLASS, MACS, ENCODINGS, ...) QUICK_##CLASS(id, __VA_ARGS__)
#include "isa/rows/all.def"
#undef INSN

#define NAME_ALU(id, macs)        (QUICK_DOTS && (macs) ? QUICK(id) : NULL)
#define NAME_MULH(id, macs)       NULL
#define NAME_DIV(id, macs)        NULL
#define NAME_LOAD(id, macs)       NULL
#define NAME_STORE(id, macs)      NULL
#define NAME_ELW(id, macs)        NULL
#define NAME_MACLOAD(id, macs)    NULL
#define NAME_BRANCH(id, macs)     NULL
#define NAME_JAL(id, macs)        NULL
#define NAME_JALR(id, macs)       NULL
#define NAME_CSR(id, macs)        NULL
#define NAME_FENCE(id, macs)      NULL
#define NAME_SYSTEM(id, macs)     NULL
#define NAME_HWLOOP(id, macs)     NULL
#define NAME_FP_ADDMUL(id, macs)  QUICK(id)
#define NAME_FP_DOTP(id, macs)    QUICK(id)
#define NAME_FP_DIVSQRT(id, macs) NULL
#define NAME_FP_NONCOMP(id, macs) NULL
#define NAME_FP_CONV(id, macs)    NULL
#define NAME_FP_LOAD(id, macs)    NULL
#define NAME_FP_STORE(id, macs)   NULL
uop_exec *const QUICK(table)[UOP_OP_COUNT] = {
#define INSN(id, CLASS, MACS, ...) NAME_##CLASS(id, MACS),
#include "isa/rows/all.def"
#undef INSN
};
