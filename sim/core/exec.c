#include "core/exec.h"

#include <string.h>

#include "core/pipeline.h"
#include "core/step.h"
#include "core/window.h"
#include "isa/fp.h"
#include "isa/semantics.h"

#include "core/exec_words.h"

#undef FP_RAISED
#undef FP_RD
#define FP_RAISED (c->csr.fflags)
#define FP_RD(expression)                                                                          \
  do {                                                                                             \
    unsigned fl = c->csr.fflags;                                                                   \
    RD = (expression);                                                                             \
    if (unlikely(fl != c->csr.fflags))                                                             \
      csr_raise(c, fl);                                                                            \
  } while (0)

// ---- leaving ID

static inline void describe(struct core *c, uint32_t addr, unsigned size, unsigned kind,
                            uint32_t data) {
  struct access *a = &c->in_ex;
  a->addr = addr;
  a->size = (uint8_t)size;
  a->kind = (uint8_t)kind;
  a->data = data;
}

#define LOAD(type, address)                                                                        \
  ({                                                                                               \
    describe(c, (address), sizeof(type), ACCESS_LOAD, 0);                                          \
    return EXEC_DONE;                                                                              \
    0;                                                                                             \
  })
#define STORE(type, address, value)                                                                \
  do {                                                                                             \
    describe(c, (address), sizeof(type), ACCESS_STORE, (value));                                   \
    return EXEC_DONE;                                                                              \
  } while (0)

#define GOES_ON(CLASS)                                                                             \
  (ISA_CLASS_##CLASS != ISA_CLASS_BRANCH && ISA_CLASS_##CLASS != ISA_CLASS_HWLOOP)
#define WHOLE_ROW(name, CLASS, ...)                                                                \
  EXECUTOR(name) {                                                                                 \
    enum { RS3_IS_RD = TIES_RS3(CLASS) };                                                          \
    __VA_ARGS__;                                                                                   \
    if (ISA_CLASS_##CLASS == ISA_CLASS_ALU)                                                        \
      EXEC_GO_GIVING(u + 1, RD);                                                                   \
    if (GOES_ON(CLASS))                                                                            \
      EXEC_GO(u + 1);                                                                              \
    return EXEC_DONE;                                                                              \
  }
#define INSN(id, CLASS, MACS, ENCODINGS, ...) WHOLE_ROW(whole_##id, CLASS, __VA_ARGS__)
#include "isa/rows/all.def"
#undef INSN

// In a chain of instructions, each of which needs what the one in front has written, the host would
// wait for each store into core.r until it could be loaded again: these take it from `given`.
#pragma push_macro("RS1")
#undef RS1
#define RS1                                   given
#define INSN(id, CLASS, MACS, ENCODINGS, ...) WHOLE_ROW(rs1_##id, CLASS, __VA_ARGS__)
#include "core/exec_forward_rows.def"
#undef INSN
#pragma pop_macro("RS1")
#pragma push_macro("RS2")
#undef RS2
#define RS2                                   given
#define INSN(id, CLASS, MACS, ENCODINGS, ...) WHOLE_ROW(rs2_##id, CLASS, __VA_ARGS__)
#include "core/exec_forward_rows.def"
#undef INSN
#pragma pop_macro("RS2")
#undef LOAD
#undef STORE

static uop_exec *const whole[] = {
#define INSN(id, ...) whole_##id,
#include "isa/rows/all.def"
#undef INSN
};

static const struct {
  uop_exec *rs1, *rs2;
} forwarded[ISA_OP_COUNT] = {
#define INSN(id, ...) [ISA_OP_##id] = {rs1_##id, rs2_##id},
#include "core/exec_forward_rows.def"
#undef INSN
};

// ---- the access

static inline uint8_t *in_window(const struct core *c) {
  return c->window + (c->in_ex.addr - c->window_base);
}

#define LOAD(type, address)                                                                        \
  ({                                                                                               \
    type loaded_;                                                                                  \
    memcpy(&loaded_, in_window(c), sizeof loaded_);                                                \
    (uint32_t) loaded_;                                                                            \
  })
#define STORE(type, address, value)                                                                \
  do {                                                                                             \
    type stored_ = (type)c->in_ex.data;                                                            \
    (void)(value);                                                                                 \
    window_store(c, c->in_ex.addr - c->window_base, &stored_, sizeof stored_);                     \
  } while (0)
#define ACCESS_ROW(id, ...)                                                                        \
  EXECUTOR(access_##id) {                                                                          \
    enum { RS3_IS_RD = false };                                                                    \
    __VA_ARGS__;                                                                                   \
    EXEC_GO(u + 1);                                                                                \
  }
#define INSN(id, CLASS, MACS, ENCODINGS, ...) ACCESS_ROW(id, __VA_ARGS__)
#include "isa/rows/all.def"
#undef INSN

// Executors of the other rows are never named, and left out by the compiler.
#define ACCESSES(CLASS)                                                                            \
  (ISA_CLASS_##CLASS == ISA_CLASS_LOAD || ISA_CLASS_##CLASS == ISA_CLASS_STORE ||                  \
   ISA_CLASS_##CLASS == ISA_CLASS_MACLOAD || ISA_CLASS_##CLASS == ISA_CLASS_FP_LOAD ||             \
   ISA_CLASS_##CLASS == ISA_CLASS_FP_STORE)
static uop_exec *const access_of[] = {
#define INSN(id, CLASS, ...) ACCESSES(CLASS) ? access_##id : NULL,
#include "isa/rows/all.def"
#undef INSN
};

#undef LOAD
#undef STORE

// ---- both at once

// Whether the access can be made: that is to a word, or part of one, of the shared window, and no
// store that anybody looks at. If so, it gets its bank; else it is left in EX.
static inline bool takes_bank(struct core *c, const struct uop *u, uint32_t addr, unsigned size,
                              unsigned kind, uint32_t data) {
  uint32_t offset = addr - c->window_base;
  bool in_window = offset < c->shared_end && (offset & 3) + size <= 4;
  if (unlikely(!in_window || (kind == ACCESS_STORE && c->window_code[offset >> CODE_SHIFT]))) {
    describe(c, addr, size, kind, data);
    c->ahead.left_at = u;
    return false;
  }
  bank_grant_lic(c->banks, offset >> 2 & c->bank_mask, c->index);
  return true;
}

#define LOAD(type, address)                                                                        \
  ({                                                                                               \
    uint32_t at_ = (address);                                                                      \
    type loaded_;                                                                                  \
    if (!takes_bank(c, u, at_, sizeof loaded_, ACCESS_LOAD, 0))                                    \
      return EXEC_LEFT;                                                                            \
    memcpy(&loaded_, c->window + (at_ - c->window_base), sizeof loaded_);                          \
    (uint32_t) loaded_;                                                                            \
  })
#define STORE(type, address, value)                                                                \
  do {                                                                                             \
    uint32_t at_ = (address), data_ = (value);                                                     \
    if (!takes_bank(c, u, at_, sizeof(type), ACCESS_STORE, data_))                                 \
      return EXEC_LEFT;                                                                            \
    memcpy(c->window + (at_ - c->window_base), &data_, sizeof(type));                              \
  } while (0)
#define ALONE_ROW(id, CLASS, ...)                                                                  \
  EXECUTOR(alone_##id) {                                                                           \
    enum { RS3_IS_RD = false };                                                                    \
    __VA_ARGS__;                                                                                   \
    if (ISA_CLASS_##CLASS == ISA_CLASS_LOAD)                                                       \
      EXEC_GO_GIVING(u + 1, RD);                                                                   \
    EXEC_GO(u + 1);                                                                                \
  }
#define INSN(id, CLASS, MACS, ENCODINGS, ...) ALONE_ROW(id, CLASS, __VA_ARGS__)
#include "isa/rows/all.def"
#undef INSN

static uop_exec *const alone_of[] = {
#define INSN(id, CLASS, ...) ACCESSES(CLASS) ? alone_##id : NULL,
#include "isa/rows/all.def"
#undef INSN
};

// ---- micro-operations

EXECUTOR(count_down) {
  c->loop[0].count -= u->rs1;
  c->loop[1].count -= u->rs2;
  EXEC_GO(u + 1);
}

EXECUTOR(end) {
  (void)c, (void)u;
  return EXEC_DONE;
}

static uint8_t sink(unsigned r) {
  return (uint8_t)(r ? r : REG_SINK);
}

void exec_fill(struct uop *u, const struct isa_insn *insn, uint32_t pc, enum exec_part part) {
  bool loop = isa_ops[insn->op].cls == ISA_CLASS_HWLOOP;
  *u = (struct uop){
      .exec = part == EXEC_ACCESS ? access_of[insn->op] : whole[insn->op],
      .imm = insn->imm,
      .pc = pc,
      .op = insn->op & 0xfff,
      .size = insn->size & 15,
      .rd = loop ? insn->rd : sink(insn->rd),
      .rs1 = insn->rs1,
      .rs2 = insn->rs2,
      .rs3 = insn->rs3,
      .rs1_out = sink(insn->rs1),
      .imm2 = insn->imm2,
  };
}

void exec_access_at_once(struct uop *u) {
  u->exec = alone_of[u->op];
}

// Whether `u`, which computes, says what.
static bool gives(const struct uop *u) {
  enum isa_class cls = isa_ops[u->op].cls;
  return (cls == ISA_CLASS_ALU && (u->exec == whole[u->op] || u->exec == forwarded[u->op].rs1 ||
                                   u->exec == forwarded[u->op].rs2)) ||
         (cls == ISA_CLASS_LOAD && u->exec == alone_of[u->op]);
}

void exec_forward(struct uop *u, unsigned length) {
  for (unsigned i = 1; i < length; i++) {
    enum isa_class cls = isa_ops[u[i].op].cls;
    if ((cls != ISA_CLASS_ALU && cls != ISA_CLASS_BRANCH) || u[i].exec != whole[u[i].op] ||
        !forwarded[u[i].op].rs1 || !gives(&u[i - 1]))
      continue;
    if (u[i].rs1 == u[i - 1].rd)
      u[i].exec = forwarded[u[i].op].rs1;
    else if (u[i].rs2 == u[i - 1].rd)
      u[i].exec = forwarded[u[i].op].rs2;
  }
}

void exec_count_down(struct uop *u, const uint8_t rounds[2]) {
  *u = (struct uop){.exec = count_down, .rs1 = rounds[0], .rs2 = rounds[1]};
}

void exec_end(struct uop *u) {
  *u = (struct uop){.exec = end};
}

enum exec_result exec_in_full(struct core *c, const struct uop *u, uint32_t given) {
  return whole[u->op](c, u, given);
}
