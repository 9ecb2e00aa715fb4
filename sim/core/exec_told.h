// sim/core/exec_told.h: compiles the rows of which there is nothing to tell but a result, in the
// cycle behind the instruction in front, into executors that tell it and go on by themselves. A
// part of exec_observed.c.

#undef GO
#if EXEC_TAIL_CALLS
#define GO(uop_, time_) EXEC_GO_CALL(uop_, time_, 0)
#else
#define GO(uop_, time_) EXEC_GO_RETURN(uop_, time_, 0)
#endif

// There is more to tell: of the access in front, which is complete, or of this one.
static void told_not(struct core *c, const struct uop *u, cycle_t t) {
  struct tap *tap = c->tap;
  if (!tap_open(tap)) {
    observed_run(c, u, t, 0);
    return;
  }
  close_access(tap, c, t);
  GO(u, t);
}

static void told_mark(struct core *c, const struct uop *u, cycle_t t) {
  ordered_mark(c->tap->hub->notes);
  GO(u, t);
}

// Goes on with `u_`, in cycle `t_`, when all that came before is told.
#define GO_TOLD(mark_, uop_, time_)                                                                \
  do {                                                                                             \
    if (unlikely(mark_)) {                                                                         \
      told_mark(c, (uop_), (time_));                                                               \
      return;                                                                                      \
    }                                                                                              \
    GO((uop_), (time_));                                                                           \
  } while (0)

#undef BRANCH
#define BRANCH(condition)                                                                          \
  if (condition) {                                                                                 \
    if (tap_plain(tap, c, u, t - 1))                                                               \
      ordered_mark(tap->hub->notes);                                                               \
    foresee(tap, u->to);                                                                           \
    TAKE_BRANCH();                                                                                 \
  }

#define TOLD_BEGIN()                                                                               \
  struct tap *tap = c->tap;                                                                        \
  if (unlikely(!tap_is_plain(tap))) {                                                              \
    told_not(c, u, t);                                                                             \
    return;                                                                                        \
  }                                                                                                \
  t++

#define TOLD(id, ...)                                                                              \
  EXECUTOR(observed_told_##id) {                                                                   \
    enum { RS3_IS_RD = false };                                                                    \
    TOLD_BEGIN();                                                                                  \
    __VA_ARGS__;                                                                                   \
    GO_TOLD(tap_plain(tap, c, u, t - 1), u + 1, t);                                                \
  }

// What accesses memory is told here if it is served on the spot, else by close_access().
#define TOLD_MEMORY(id, CLASS, ...)                                                                \
  EXECUTOR(observed_told_##id) {                                                                   \
    enum { ACCESS_KIND = ACCESS_KIND_OF(CLASS), RS3_IS_RD = false };                               \
    TOLD_BEGIN();                                                                                  \
    tap->insn = u;                                                                                 \
    tap->event.cycle = t - 1;                                                                      \
    tap->attention |= TAP_OPEN;                                                                    \
    __VA_ARGS__;                                                                                   \
    tap_done(tap, c, t, (struct tap_access){&c->acc, c->acc.data});                                \
    GO(u + 1, t);                                                                                  \
  }
#define TOLD_ALU(id, ...)        TOLD(id, __VA_ARGS__)
#define TOLD_MULH(id, ...)       TOLD(id, __VA_ARGS__)
#define TOLD_BRANCH(id, ...)     TOLD(id, __VA_ARGS__)
#define TOLD_FP_ADDMUL(id, ...)  TOLD(id, __VA_ARGS__)
#define TOLD_FP_NONCOMP(id, ...) TOLD(id, __VA_ARGS__)
#define TOLD_FP_CONV(id, ...)    TOLD(id, __VA_ARGS__)
#define TOLD_FP_DOTP(id, ...)    TOLD(id, __VA_ARGS__)
#define TOLD_LOAD(id, ...)       TOLD_MEMORY(id, LOAD, __VA_ARGS__)
#define TOLD_STORE(id, ...)      TOLD_MEMORY(id, STORE, __VA_ARGS__)
#define TOLD_FP_LOAD(id, ...)    TOLD_MEMORY(id, FP_LOAD, __VA_ARGS__)
#define TOLD_FP_STORE(id, ...)   TOLD_MEMORY(id, FP_STORE, __VA_ARGS__)
#define TOLD_DIV(...)
#define TOLD_JAL(...)
#define TOLD_JALR(...)
#define TOLD_CSR(...)
#define TOLD_FENCE(...)
#define TOLD_SYSTEM(...)
#define TOLD_HWLOOP(...)
#define TOLD_ELW(...)
#define TOLD_MACLOAD(...)
#define TOLD_FP_DIVSQRT(...)
#define INSN(id, CLASS, MACS, ENCODINGS, ...) TOLD_##CLASS(id, __VA_ARGS__)
#include "isa/rows/all.def"
#undef INSN

// By operation; NULL: none.
static uop_exec *const observed_told[] = {
#define NAME_ALU(id)         observed_told_##id
#define NAME_MULH(id)        observed_told_##id
#define NAME_BRANCH(id)      observed_told_##id
#define NAME_FP_ADDMUL(id)   observed_told_##id
#define NAME_FP_NONCOMP(id)  observed_told_##id
#define NAME_FP_CONV(id)     observed_told_##id
#define NAME_FP_DOTP(id)     observed_told_##id
#define NAME_DIV(id)         NULL
#define NAME_LOAD(id)        observed_told_##id
#define NAME_STORE(id)       observed_told_##id
#define NAME_JAL(id)         NULL
#define NAME_JALR(id)        NULL
#define NAME_CSR(id)         NULL
#define NAME_FENCE(id)       NULL
#define NAME_SYSTEM(id)      NULL
#define NAME_HWLOOP(id)      NULL
#define NAME_ELW(id)         NULL
#define NAME_MACLOAD(id)     NULL
#define NAME_FP_DIVSQRT(id)  NULL
#define NAME_FP_LOAD(id)     observed_told_##id
#define NAME_FP_STORE(id)    observed_told_##id
#define INSN(id, CLASS, ...) NAME_##CLASS(id),
#include "isa/rows/all.def"
#undef INSN
};
