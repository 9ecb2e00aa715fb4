// sim/core/exec_flavour.h: compiles every row's body into executors. Included once per flavour:
//
//   bare      a micro-operation ends by calling its successor (a tail call): no loop, no tests
//   observed  it returns to exec_continue() after each instruction
//
// Each row becomes one function; a memory row becomes two: `request` runs the body up to its
// LOAD or STORE, and, unless the access can be served on the spot, leaves it in core.acc and
// returns; `complete` runs the body again when the access has been granted.
#include <string.h>

#include "core/csr.h"
#include "core/exec.h"
#include "core/exec_slow.h"
#include "core/loop_exit.h"
#include "core/window.h"
// The bare flavour leaves to long_way() what floats need beyond the host's arithmetic: with no
// call in them, its executors have no frame.
#if !OBSERVED
#define FP_LONG_WAY(call) (*flags |= FP_UNDONE, 0)
#endif
#include "isa/fp.h"
#include "isa/semantics.h"

#include "core/exec_words.h"

#undef FP_RAISED
#define FP_RAISED (c->csr.fflags)
#if !OBSERVED
#undef FP_RD
#define FP_RD(expression)                                                                          \
  do {                                                                                             \
    unsigned fl = FP_RAISED;                                                                       \
    uint32_t value_ = (expression);                                                                \
    if (unlikely(fl & FP_UNDONE)) {                                                                \
      FLAVOUR(long_way)(c, u, NOW);                                                                \
      return;                                                                                      \
    }                                                                                              \
    RD = value_;                                                                                   \
    if (unlikely(fl != FP_RAISED)) {                                                               \
      FLAVOUR(raise)(c, u, t, fl);                                                                 \
      return;                                                                                      \
    }                                                                                              \
  } while (0)
#endif
#include "core/exec_boundary.h"
#if !OBSERVED

// Of a float operation: executes it alone. `t` is its own time.
RARE FLAVOUR(long_way)(struct core *c, const struct uop *u, cycle_t t) {
  cycle_t not_counted = uop_is_timed(isa_ops[u->op].cls) ? 0 : u->lead;
  exec_alone(c, u, t - u->cost);
  if (c->phase == CORE_RUN) // no trap
    GO(c->at, c->t - not_counted);
}

// Float operation `u`, with its result written, raises flags.
RARE FLAVOUR(raise)(struct core *c, const struct uop *u, cycle_t t, unsigned flags) {
  csr_raise(c, flags);
  GO(u + 1, t);
}
#endif

#define CSR_READ(number)                                                                           \
  ({                                                                                               \
    uint32_t csr_value_ = 0;                                                                       \
    if (!csr_read(c, (uint32_t)(number)&0xfff, u, t, &csr_value_)) {                               \
      exec_trap(c, u, t);                                                                          \
      return;                                                                                      \
    }                                                                                              \
    csr_value_;                                                                                    \
  })
#define CSR_WRITE(number, value)                                                                   \
  do {                                                                                             \
    if (!csr_write(c, (uint32_t)(number)&0xfff, (value), u, t)) {                                  \
      exec_trap(c, u, t);                                                                          \
      return;                                                                                      \
    }                                                                                              \
  } while (0)
// Never executed folded, see takes_along() in block.c.
#define ECALL()        ((void)0)
#define EBREAK()       ((void)0)
#define MRET()         ((void)0)
#define DRET()         ((void)0)
#define TRAP_ILLEGAL() ((void)0)
#define WFI()          ((void)0)
#define FENCE()        ((void)0)
#define FENCE_I()      ((void)0)

#define HWLOOP_START(loop_, address) exec_loop_start(c, (loop_), (address))
#define HWLOOP_END(loop_, address)   exec_loop_end(c, (loop_), (address))
#define HWLOOP_COUNT(loop_, value)   exec_loop_count(c, (loop_), (value))

// ---- time of each class beyond the folded cost

#define TIME_ALU(id)
#define TIME_MULH(id)
#define TIME_DIV(id)                                                                               \
  {                                                                                                \
    unsigned hold_ = fold_divider(ISA_OP_##id == ISA_OP_div || ISA_OP_##id == ISA_OP_rem, RS2);    \
    if (u->rs2 != 0) { /* the shortest is folded; by x0, the longest */                            \
      exec_note_division(c, t, hold_);                                                             \
      t += hold_ - 3;                                                                              \
      c->count.stall[CAUSE_MULTICYCLE] += hold_ - 3;                                               \
    }                                                                                              \
  }
#define TIME_LOAD(id)
#define TIME_STORE(id)
#define TIME_BRANCH(id)
#define TIME_JAL(id)
#define TIME_JALR(id)
#define TIME_CSR(id)
#define TIME_FENCE(id)
#define TIME_SYSTEM(id)
#define TIME_HWLOOP(id)
#define TIME_ELW(id)
#define TIME_MACLOAD(id)
#define TIME_FP_ADDMUL(id)
#define TIME_FP_DIVSQRT(id)
#define TIME_FP_NONCOMP(id)
#define TIME_FP_CONV(id)
#define TIME_FP_DOTP(id)
#define TIME_FP_LOAD(id)
#define TIME_FP_STORE(id)

// ---- what comes behind an instruction: the CV32E40P's controller remembers no hardware loop
// behind a flush of the pipeline, such as behind every event load.

#define NOTE_FLUSH() (c->flushed_at = u->pc)
#define NOTE_IF_FLUSH()                                                                            \
  if (u->flags & UOP_FLUSH)                                                                        \
  NOTE_FLUSH()
#define AFTER_ALU GO_GIVING(u + 1, t, c->r[u->rd])
#define AFTER_MULH
#define AFTER_DIV
#define AFTER_LOAD
#define AFTER_STORE
#define AFTER_BRANCH
#define AFTER_JAL
#define AFTER_JALR
#define AFTER_CSR   NOTE_IF_FLUSH()
#define AFTER_FENCE NOTE_FLUSH()
#define AFTER_SYSTEM
#define AFTER_HWLOOP                                                                               \
  if (!exec_note_loop(c, u, t))                                                                    \
  return
#define AFTER_ELW NOTE_FLUSH()
#define AFTER_MACLOAD
#define AFTER_FP_ADDMUL
#define AFTER_FP_DIVSQRT
#define AFTER_FP_NONCOMP
#define AFTER_FP_CONV
#define AFTER_FP_DOTP
#define AFTER_FP_LOAD
#define AFTER_FP_STORE

// ---- first pass: every row; memory rows stop at their access

#define ASK(offset_, word_, shape_)                                                                \
  do {                                                                                             \
    exec_ask(c, u, t, (offset_), (word_), (shape_));                                               \
    if (OBSERVED)                                                                                  \
      exec_describe_asked(c);                                                                      \
  } while (0)

// Whether an access is not to one word of the window; `word` is then which. Of one to four bytes,
// both at once: rotated, the offset is too large where its low bits are not 0.
static inline bool FLAVOUR(is_elsewhere)(const struct core *c, uint32_t offset, unsigned size,
                                         uint32_t *word) {
  *word = size == 4 ? offset >> 2 | offset << 30 : offset >> 2;
  return *word >= c->window_words || (size < 4 && (offset & 3) + size > 4);
}

// An access elsewhere, or to two words, is somebody else's; one to the window waits until nobody
// else can act before it.
#define LOAD(type, address)                                                                        \
  ({                                                                                               \
    uint32_t at_ = (address), offset_ = at_ - c->window_base, word_;                               \
    if (unlikely(FLAVOUR(is_elsewhere)(c, offset_, sizeof(type), &word_))) {                       \
      exec_request(c, u, t, at_, 0, EXEC_SHAPE(sizeof(type), ACCESS_KIND));                        \
      return;                                                                                      \
    }                                                                                              \
    if (t >= c->horizon) {                                                                         \
      ASK(offset_, word_, EXEC_SHAPE(sizeof(type), ACCESS_KIND));                                  \
      return;                                                                                      \
    }                                                                                              \
    type loaded_;                                                                                  \
    memcpy(&loaded_, c->window + offset_, sizeof loaded_);                                         \
    if (c->tcdm)                                                                                   \
      tcdm_grant_alone(c->tcdm, word_ & c->bank_mask, c->index);                                   \
    if (OBSERVED)                                                                                  \
      c->acc = (struct access){.addr = at_,                                                        \
                               .data = (uint32_t)loaded_,                                          \
                               .size = sizeof(type),                                               \
                               .kind = ACCESS_KIND,                                                \
                               .since = t};                                                        \
    (uint32_t) loaded_;                                                                            \
  })
#define STORE(type, address, value)                                                                \
  do {                                                                                             \
    uint32_t at_ = (address), offset_ = at_ - c->window_base, word_;                               \
    if (unlikely(FLAVOUR(is_elsewhere)(c, offset_, sizeof(type), &word_) ||                        \
                 c->window_code[offset_ >> CODE_SHIFT])) {                                         \
      exec_request(c, u, t, at_, (value), EXEC_SHAPE(sizeof(type), ACCESS_STORE));                 \
      return;                                                                                      \
    }                                                                                              \
    if (t >= c->horizon) {                                                                         \
      c->acc.data = (value);                                                                       \
      ASK(offset_, word_, EXEC_SHAPE(sizeof(type), ACCESS_STORE));                                 \
      return;                                                                                      \
    }                                                                                              \
    type stored_ = (type)(value);                                                                  \
    if (c->tcdm)                                                                                   \
      tcdm_grant_alone(c->tcdm, word_ & c->bank_mask, c->index);                                   \
    memcpy(c->window + offset_, &stored_, sizeof stored_);                                         \
    if (OBSERVED)                                                                                  \
      c->acc = (struct access){.addr = at_,                                                        \
                               .data = (uint32_t)stored_,                                          \
                               .size = sizeof(type),                                               \
                               .kind = ACCESS_STORE,                                               \
                               .since = t};                                                        \
  } while (0)

#define ACCESS_KIND_OF(CLASS) (ISA_CLASS_##CLASS == ISA_CLASS_ELW ? ACCESS_ELW : ACCESS_LOAD)
#define ROW_FUNCTION(name, id, CLASS, ...)                                                         \
  EXECUTOR(FLAVOUR(name)) {                                                                        \
    enum { ACCESS_KIND = ACCESS_KIND_OF(CLASS), RS3_IS_RD = TIES_RS3(CLASS) };                     \
    const bool timed = IS_TIMED(CLASS);                                                            \
    (void)timed;                                                                                   \
    if (timed)                                                                                     \
      t += COST;                                                                                   \
    TIME_##CLASS(id);                                                                              \
    __VA_ARGS__;                                                                                   \
    AFTER_##CLASS;                                                                                 \
    GO(u + 1, t);                                                                                  \
  }
#define INSN(id, CLASS, MACS, ENCODINGS, ...) ROW_FUNCTION(request_##id, id, CLASS, __VA_ARGS__)
#include "isa/rows/all.def"
#undef INSN

static uop_exec *const FLAVOUR(request)[] = {
#define INSN(id, ...) FLAVOUR(request_##id),
#include "isa/rows/all.def"
#undef INSN
    FLAVOUR(chain), FLAVOUR(hwloop), FLAVOUR(region), FLAVOUR(chain)};

#if !OBSERVED
#include "core/exec_forward.h"
#endif

// ---- second pass: memory rows once the access is granted; t is the cycle of the grant. Twice:
// `complete` after the access, with a load's data in core.acc, and `granted`, which makes the one
// that was asked for. Who observes does so in front of it and behind.

#if !OBSERVED

#undef LOAD
#undef STORE
#define LOAD(type, address)                                                                        \
  ({                                                                                               \
    type loaded_ = (type)c->acc.data;                                                              \
    if (ACCESS_IS_DUE)                                                                             \
      memcpy(&loaded_, c->window + c->asked, sizeof loaded_);                                      \
    (uint32_t) loaded_;                                                                            \
  })
#define STORE(type, address, value)                                                                \
  do {                                                                                             \
    type stored_ = (type)(value);                                                                  \
    if (ACCESS_IS_DUE)                                                                             \
      window_store(c, c->asked, &stored_, sizeof stored_);                                         \
  } while (0)
#define SECOND_ALU(...)
#define SECOND_MULH(...)
#define SECOND_DIV(...)
#define SECOND_BRANCH(...)
#define SECOND_JAL(...)
#define SECOND_JALR(...)
#define SECOND_CSR(...)
#define SECOND_FENCE(...)
#define SECOND_SYSTEM(...)
#define SECOND_HWLOOP(...)
#define SECOND_FP_ADDMUL(...)
#define SECOND_FP_DIVSQRT(...)
#define SECOND_FP_NONCOMP(...)
#define SECOND_FP_CONV(...)
#define SECOND_FP_DOTP(...)
#define SECOND_PASS(name, due, go_on, CLASS, ...)                                                  \
  static void FLAVOUR(name)(struct core * c, const struct uop *u, cycle_t t) {                     \
    enum { ACCESS_IS_DUE = due, RS3_IS_RD = TIES_RS3(CLASS) };                                     \
    __VA_ARGS__;                                                                                   \
    AFTER_##CLASS;                                                                                 \
    go_on;                                                                                         \
  }
// `again`: where the same operation comes next.
#define SECOND(id, CLASS, ...)                                                                     \
  SECOND_PASS(complete_##id, false, GO(u + 1, t), CLASS, __VA_ARGS__)                              \
  SECOND_PASS(granted_##id, true, GO(u + 1, t), CLASS, __VA_ARGS__)                                \
  SECOND_PASS(again_##id, true, FLAVOUR(request_##id)(c, u + 1, t, exec_anything()), CLASS,        \
              __VA_ARGS__)
#define SECOND_LOAD(id, ...)                  SECOND(id, LOAD, __VA_ARGS__)
#define SECOND_STORE(id, ...)                 SECOND(id, STORE, __VA_ARGS__)
#define SECOND_ELW(id, ...)                   SECOND(id, ELW, __VA_ARGS__)
#define SECOND_MACLOAD(id, ...)               SECOND_LOAD(id, __VA_ARGS__)
#define SECOND_FP_LOAD(id, ...)               SECOND_LOAD(id, __VA_ARGS__)
#define SECOND_FP_STORE(id, ...)              SECOND_LOAD(id, __VA_ARGS__)
#define INSN(id, CLASS, MACS, ENCODINGS, ...) SECOND_##CLASS(id, __VA_ARGS__)
#include "isa/rows/all.def"
#undef INSN
#undef LOAD
#undef STORE

#define PICK_ALU(name)        NULL
#define PICK_MULH(name)       NULL
#define PICK_DIV(name)        NULL
#define PICK_BRANCH(name)     NULL
#define PICK_JAL(name)        NULL
#define PICK_JALR(name)       NULL
#define PICK_CSR(name)        NULL
#define PICK_FENCE(name)      NULL
#define PICK_SYSTEM(name)     NULL
#define PICK_HWLOOP(name)     NULL
#define PICK_FP_ADDMUL(name)  NULL
#define PICK_FP_DIVSQRT(name) NULL
#define PICK_FP_NONCOMP(name) NULL
#define PICK_FP_CONV(name)    NULL
#define PICK_FP_DOTP(name)    NULL
#define PICK_LOAD(name)       FLAVOUR(name)
#define PICK_STORE(name)      FLAVOUR(name)
#define PICK_ELW(name)        FLAVOUR(name)
#define PICK_MACLOAD(name)    FLAVOUR(name)
#define PICK_FP_LOAD(name)    FLAVOUR(name)
#define PICK_FP_STORE(name)   FLAVOUR(name)
uop_finish *const exec_completion[UOP_OP_COUNT] = {
#define INSN(id, CLASS, ...) PICK_##CLASS(complete_##id),
#include "isa/rows/all.def"
#undef INSN
};
static uop_finish *const FLAVOUR(granted)[UOP_OP_COUNT] = {
#define INSN(id, CLASS, ...) PICK_##CLASS(granted_##id),
#include "isa/rows/all.def"
#undef INSN
};
static uop_finish *const FLAVOUR(again)[UOP_OP_COUNT] = {
#define INSN(id, CLASS, ...) PICK_##CLASS(again_##id),
#include "isa/rows/all.def"
#undef INSN
};
#endif
