// sim/core/exec_runs.h: several multiply-accumulates of one operation in a row, executed by one
// executor: the host goes straight from one to the next, instead of jumping to where it cannot
// foresee. Included by exec_flavour.h for the bare flavour.

#define RUN_STEP(id, CLASS, ...)                                                                   \
  TIME_##CLASS(id);                                                                                \
  __VA_ARGS__;                                                                                     \
  AFTER_##CLASS;                                                                                   \
  u++;
#define RUN(name, id, CLASS, ...)                                                                  \
  static void FLAVOUR(name##_##id)(struct core * c, const struct uop *u, cycle_t t) {              \
    const bool timed = IS_TIMED(CLASS);                                                            \
    (void)timed;                                                                                   \
    RUN_##name(id, CLASS, __VA_ARGS__) /* */                                                       \
        GO(u, t);                                                                                  \
  }
#define RUN_two(...)         RUN_STEP(__VA_ARGS__) RUN_STEP(__VA_ARGS__)
#define RUN_four(...)        RUN_two(__VA_ARGS__) RUN_two(__VA_ARGS__)
#define RUNS(id, CLASS, ...) RUN(two, id, CLASS, __VA_ARGS__) RUN(four, id, CLASS, __VA_ARGS__)

// By the class and the number of MACs. What is done to rows: DO(id, CLASS, body).
#define RUNS_ALU(DO, id, ...)       DO(id, ALU, __VA_ARGS__)
#define RUNS_FP_ADDMUL(DO, id, ...) DO(id, FP_ADDMUL, __VA_ARGS__)
#define RUNS_FP_DOTP(DO, id, ...)   DO(id, FP_DOTP, __VA_ARGS__)
#define RUNS_MACLOAD(...)
#define RUNS_0(...)
#define RUNS_1(DO, id, CLASS, ...)  RUNS_##CLASS(DO, id, __VA_ARGS__)
#define RUNS_2(DO, id, CLASS, ...)  RUNS_##CLASS(DO, id, __VA_ARGS__)
#define RUNS_4(DO, id, CLASS, ...)  RUNS_##CLASS(DO, id, __VA_ARGS__)
#define RUNS_8(DO, id, CLASS, ...)  RUNS_##CLASS(DO, id, __VA_ARGS__)
#define RUNS_16(DO, id, CLASS, ...) RUNS_##CLASS(DO, id, __VA_ARGS__)

#define INSN(id, CLASS, MACS, ENCODINGS, ...) RUNS_##MACS(RUNS, id, CLASS, __VA_ARGS__)
#include "isa/rows/all.def"
#undef INSN

#define ENTRY(id, ...) [ISA_OP_##id] = {FLAVOUR(two_##id), FLAVOUR(four_##id)},
static uop_exec *const FLAVOUR(runs)[UOP_OP_COUNT][2] = {
#define INSN(id, CLASS, MACS, ENCODINGS, ...) RUNS_##MACS(ENTRY, id, CLASS, __VA_ARGS__)
#include "isa/rows/all.def"
#undef INSN
};
