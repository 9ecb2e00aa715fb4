// Single instructions for the cycle model: the same rows once more, with operands taken from the
// decoded instruction and every effect on time or control handed back to the caller.
#include "core/step.h"

#include <stdio.h>
#include <string.h>

#include "core/csr.h"
#include "core/interrupt.h"
#include "core/stack.h"
#include "isa/fp.h"
#include "isa/semantics.h"
#include "isa_ops.h"

// Where numbers begin again, all that depends on one is to be looked at again.
static uint32_t next_context(struct core *c) {
  if (++c->ahead.contexts_made < CONTEXT_NUMBERS)
    return c->ahead.contexts_made;
  memset(c->ahead.context_known, 0, sizeof c->ahead.context_known);
  if (c->host)
    c->host->code_written(c->host->self, c, 0, 0);
  return c->ahead.contexts_made = 1;
}

void step_update_context(struct core *c) {
  const struct hwloop *l = c->loop;
  struct core_context now = {.last = {l[0].last, l[1].last}, .rounds = c->csr.frm <= FP_RMM};
  if (c->model == CORE_CV32E40P)
    now.start[0] = l[0].start, now.start[1] = l[1].start;
  uint32_t hash = (now.last[0] + (now.last[1] << 3 | now.last[1] >> 29)) * UINT32_C(0x9e3779b1);
  struct core_context *k = &c->ahead.context_known[(hash >> 28) % CONTEXTS]; // Fibonacci
  now.number = k->number;
  if (!k->number || memcmp(k, &now, sizeof now) != 0) {
    now.number = next_context(c);
    *k = now;
  }
  c->ahead.context = k->number;
}

static inline unsigned sink(unsigned r) {
  return r ? r : REG_SINK;
}

#define RS1     (c->r[insn->rs1])
#define RS2     (c->r[insn->rs2])
#define RS3     (c->r[insn->rs3])
#define RD      c->r[sink(insn->rd)]
#define RS1_OUT c->r[sink(insn->rs1)]
#define NUM_RS1 (insn->rs1)
#define IMM     (insn->imm)
#define IMM2    ((uint32_t)insn->imm2)
#define PC      pc
#define NEXT_PC (pc + insn->size)
#define LOOP    ((unsigned)insn->rd)
#define NN(n)   c->nn[n]
#define FRM                                                                                        \
  ({                                                                                               \
    uint32_t mode_ = insn->imm2 == 7 ? c->csr.frm : insn->imm2;                                    \
    if (mode_ > 4) {                                                                               \
      TRAP();                                                                                      \
      return;                                                                                      \
    }                                                                                              \
    mode_;                                                                                         \
  })
#define FFLAGS(bits) csr_raise(c, (bits))
#undef FP_IS_FPNEW06
#undef FP_F0
#define FP_IS_FPNEW06 (c->fpnew06)
#define FP_F0         (c->r[32])

static void set_target(struct step_outcome *out, uint32_t target) {
  out->taken = true;
  out->target = target;
}

static uint32_t mret(struct core *c) {
  uint32_t mie = c->csr.mstatus & MSTATUS_MPIE ? MSTATUS_MIE : 0;
  c->csr.mstatus = (c->csr.mstatus & ~(uint32_t)MSTATUS_MIE) | mie | MSTATUS_MPIE;
  return c->csr.mepc & ~UINT32_C(1);
}

#define BRANCH(condition)                                                                          \
  if (condition)                                                                                   \
  set_target(out, PC + (uint32_t)IMM)
#define JUMP_REL() (RD = NEXT_PC, set_target(out, PC + (uint32_t)IMM))
#define JUMP_ABS(address)                                                                          \
  do {                                                                                             \
    uint32_t to_ = (address);                                                                      \
    RD = NEXT_PC;                                                                                  \
    set_target(out, to_);                                                                          \
  } while (0)
#define CSR_READ(number)                                                                           \
  ({                                                                                               \
    uint32_t csr_value_ = 0;                                                                       \
    csr_read(c, (uint32_t)(number)&0xfff, c->t, &csr_value_);                                      \
    csr_value_;                                                                                    \
  })
#define CSR_WRITE(number, value) csr_write(c, (uint32_t)(number)&0xfff, (value), c->t)
#define CSR_CHANGE(number, bits, clears)                                                           \
  csr_change(c, (uint32_t)(number)&0xfff, (bits), (clears), c->t)
#define TRAP()                       ((void)(out->kind = STEP_TRAP))
#define ECALL()                      TRAP()
#define EBREAK()                     TRAP()
#define MRET()                       set_target(out, mret(c))
#define DRET()                       TRAP()
#define TRAP_ILLEGAL()               TRAP()
#define WFI()                        ((void)0)
#define FENCE()                      ((void)0)
#define FENCE_I()                    ((void)0)
#define HWLOOP_START(loop_, address) step_loop_start(c, (loop_), (address))
#define HWLOOP_END(loop_, address)   step_loop_end(c, (loop_), (address))
#define HWLOOP_COUNT(loop_, value)   step_loop_count(c, (loop_), (value))

// ---- leaving ID

static void describe(struct step_outcome *out, uint32_t addr, unsigned size, unsigned kind,
                     uint32_t data) {
  out->kind = STEP_MEMORY;
  out->mem =
      (struct access){.addr = addr, .size = (uint8_t)size, .kind = (uint8_t)kind, .data = data};
}

#define LOAD(type, address)                                                                        \
  ({                                                                                               \
    describe(out, (address), sizeof(type), KIND, 0);                                               \
    return;                                                                                        \
    0;                                                                                             \
  })
#define STORE(type, address, value)                                                                \
  do {                                                                                             \
    describe(out, (address), sizeof(type), ACCESS_STORE, (value));                                 \
    return;                                                                                        \
  } while (0)

#define INSN(id, CLASS, MACS, ENCODINGS, ...)                                                      \
  static void issue_##id(struct core *c, const struct isa_insn *insn, uint32_t pc,                 \
                         struct step_outcome *out) {                                               \
    enum { KIND = ISA_CLASS_##CLASS == ISA_CLASS_ELW ? ACCESS_ELW : ACCESS_LOAD };                 \
    (void)c, (void)insn, (void)pc, (void)out;                                                      \
    __VA_ARGS__;                                                                                   \
  }
#include "isa/rows/all.def"
#undef INSN
#undef LOAD
#undef STORE

static step_fn *const issue[] = {
#define INSN(id, ...) issue_##id,
#include "isa/rows/all.def"
#undef INSN
};

// ---- at the grant of a memory access: of the others, none comes here

#define LOAD(type, address)         ((uint32_t)(type)rdata)
#define STORE(type, address, value) ((void)0)
typedef void complete_fn(struct core *c, const struct isa_insn *insn, uint32_t pc, uint32_t rdata);
#define INSN(id, CLASS, MACS, ENCODINGS, ...)                                                      \
  static void complete_##id(struct core *c, const struct isa_insn *insn, uint32_t pc,              \
                            uint32_t rdata) {                                                      \
    struct step_outcome none, *out = &none;                                                        \
    (void)c, (void)insn, (void)pc, (void)rdata, (void)out;                                         \
    __VA_ARGS__;                                                                                   \
  }
#include "isa/rows/all.def"
#undef INSN

static complete_fn *const complete[] = {
#define INSN(id, ...) complete_##id,
#include "isa/rows/all.def"
#undef INSN
};

static void halt(struct core *c, uint32_t pc, const char *text) {
  c->phase = CORE_HALTED;
  c->host->trap(c->host->self, c, pc, text, c->t - 1);
}

// A function's frame may take more than the stack has left.
static void issue_frame(struct core *c, const struct isa_insn *insn, uint32_t pc,
                        struct step_outcome *out) {
  uint32_t from = c->r[STACK_POINTER];
  issue[insn->op](c, insn, pc, out);
  if (!stack_overflows(c, from, c->r[STACK_POINTER]))
    return;
  char text[160];
  snprintf(text, sizeof text,
           "stack overflow: %u bytes beyond the %u of its stack: raise __stack_size (kernels/rt: "
           "rt_stack_size), or use less,",
           (unsigned)(c->stack_bottom - c->r[STACK_POINTER]),
           (unsigned)(c->stack_top - c->stack_bottom));
  halt(c, pc, text);
}

step_fn *step_function(const struct isa_insn *insn) {
  return stack_may_grow(insn->op, insn->rd, insn->rs1) ? issue_frame : issue[insn->op];
}

void step_issue(struct core *c, const struct isa_insn *insn, uint32_t pc,
                struct step_outcome *out) {
  memset(out, 0, sizeof *out);
  step_function(insn)(c, insn, pc, out);
  const char *misuse = c->strict && isa_ops[insn->op].cls == ISA_CLASS_HWLOOP
                           ? loop_misuse(c, insn->rd & 1, pc)
                           : NULL;
  if (misuse)
    halt(c, pc, misuse);
}

void step_complete(struct core *c, const struct isa_insn *insn, uint32_t pc, uint32_t rdata) {
  complete[insn->op](c, insn, pc, rdata);
}

bool step_marks_region(const struct isa_insn *insn) {
  return insn->op == ISA_OP_slti && insn->rd == 0 && (insn->imm == 1 || insn->imm == 2);
}
