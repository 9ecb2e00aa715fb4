// sim/core/exec_quick.h: compiles rows once more, for their usual case and for the instruction set
// that this unit is compiled for. Included by exec_quick.c and exec_avx2.c, which define
//
//   QUICK(name)  the name of what is defined here
//
// Float rows are executed as if core.csr.settled, which is looked at first. What turns out to need
// more than that has had no effect, and is left to the row's executor for all cases.
//
// Multiply-accumulates of one operation in a row are executed by one executor, two or four: the
// host goes straight from one to the next, instead of jumping to where it cannot foresee. Four that
// have one second operand, such as a column of a block of a matrix, look it up, and widen it, once.
#define FP_LONG_WAY(call) (*flags |= FP_UNDONE, 0)
#define FP_FUSED_ONLY     1
#include "isa/fp.h"
#include "isa/semantics.h"

#include "core/exec_quick_table.h"
#include "core/exec_words.h"

#undef RS2
#undef FRM
#undef FP_RD
#define RS2 second
#define FRM FP_RNE
#define FP_RD(expression)                                                                          \
  do {                                                                                             \
    unsigned fl = FP_NX;                                                                           \
    uint32_t value_ = (expression);                                                                \
    if (unlikely(fl != FP_NX)) {                                                                   \
      return exec_in_full(c, u, 0);                                                                \
    }                                                                                              \
    RD = value_;                                                                                   \
  } while (0)

#define QUICK_STEP(condition, ...)                                                                 \
  if (unlikely(!(condition))) {                                                                    \
    return exec_in_full(c, u, 0);                                                                  \
  }                                                                                                \
  __VA_ARGS__;                                                                                     \
  u++;
#define QUICK_SECOND                                                                               \
  const uint32_t second = c->r[u->rs2];                                                            \
  (void)second;
#define QUICK_ONE(...)                                                                             \
  { QUICK_SECOND QUICK_STEP(__VA_ARGS__) }
#define QUICK_TWO(...)  QUICK_ONE(__VA_ARGS__) QUICK_ONE(__VA_ARGS__)
#define QUICK_FOUR(...) QUICK_TWO(__VA_ARGS__) QUICK_TWO(__VA_ARGS__)
#define QUICK_COLUMN(...)                                                                          \
  QUICK_SECOND QUICK_STEP(__VA_ARGS__) QUICK_STEP(__VA_ARGS__) QUICK_STEP(__VA_ARGS__)             \
      QUICK_STEP(__VA_ARGS__)
#define QUICK_FUNCTION(name, STEPS, CLASS, ...)                                                    \
  EXECUTOR(QUICK(name)) {                                                                          \
    enum { RS3_IS_RD = TIES_RS3(CLASS) };                                                          \
    STEPS(__VA_ARGS__)                                                                             \
    EXEC_GO(u);                                                                                    \
  }
#define QUICK_ROW(id, CLASS, ...)                                                                  \
  QUICK_FUNCTION(one_##id, QUICK_ONE, CLASS, __VA_ARGS__)                                          \
  QUICK_FUNCTION(two_##id, QUICK_TWO, CLASS, __VA_ARGS__)                                          \
  QUICK_FUNCTION(four_##id, QUICK_FOUR, CLASS, __VA_ARGS__)                                        \
  QUICK_FUNCTION(column_##id, QUICK_COLUMN, CLASS, __VA_ARGS__)
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

#define NO_NAMES                                                                                   \
  { NULL, NULL, NULL, NULL }
#define IF_MACS(id, macs, function) ((macs) ? QUICK(function##_##id) : NULL)
#define NAME_ALU(id, macs)                                                                         \
  {                                                                                                \
    IF_MACS(id, macs, one), IF_MACS(id, macs, two), IF_MACS(id, macs, four),                       \
        IF_MACS(id, macs, column)                                                                  \
  }
#define NAME_MULH(id, macs)    NO_NAMES
#define NAME_DIV(id, macs)     NO_NAMES
#define NAME_LOAD(id, macs)    NO_NAMES
#define NAME_STORE(id, macs)   NO_NAMES
#define NAME_ELW(id, macs)     NO_NAMES
#define NAME_MACLOAD(id, macs) NO_NAMES
#define NAME_BRANCH(id, macs)  NO_NAMES
#define NAME_JAL(id, macs)     NO_NAMES
#define NAME_JALR(id, macs)    NO_NAMES
#define NAME_CSR(id, macs)     NO_NAMES
#define NAME_FENCE(id, macs)   NO_NAMES
#define NAME_SYSTEM(id, macs)  NO_NAMES
#define NAME_HWLOOP(id, macs)  NO_NAMES
#define NAME_FP_ADDMUL(id, macs)                                                                   \
  { QUICK(one_##id), IF_MACS(id, macs, two), IF_MACS(id, macs, four), IF_MACS(id, macs, column) }
#define NAME_FP_DOTP(id, macs)    NAME_FP_ADDMUL(id, macs)
#define NAME_FP_DIVSQRT(id, macs) NO_NAMES
#define NAME_FP_NONCOMP(id, macs) NO_NAMES
#define NAME_FP_CONV(id, macs)    NO_NAMES
#define NAME_FP_LOAD(id, macs)    NO_NAMES
#define NAME_FP_STORE(id, macs)   NO_NAMES
const struct quick QUICK(table)[ISA_OP_COUNT] = {
#define INSN(id, CLASS, MACS, ...) NAME_##CLASS(id, MACS),
#include "isa/rows/all.def"
#undef INSN
};
