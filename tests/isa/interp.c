// tests/isa/interp.c: the bodies of the rows on a plain struct.
#include "interp.h"

#include <string.h>

#include "isa/fp.h"
#include "isa/semantics.h"
#include "isa_ops.h"

static uint32_t load(struct interp *m, uint32_t address, uint32_t size) {
  uint32_t value = 0;
  if (address > m->size || m->size - address < size)
    m->event = INTERP_BAD_ADDRESS;
  else
    memcpy(&value, m->memory + address, size);
  return value;
}

static void store(struct interp *m, uint32_t address, uint32_t value, uint32_t size) {
  if (address > m->size || m->size - address < size)
    m->event = INTERP_BAD_ADDRESS;
  else
    memcpy(m->memory + address, &value, size);
}

static uint32_t csr_read(const struct interp *m, uint32_t number) {
  switch (number) {
  case 1:
    return m->fflags;
  case 2:
    return m->frm;
  case 3:
    return m->frm << 5 | m->fflags;
  default:
    return m->csr[number];
  }
}

static void csr_write(struct interp *m, uint32_t number, uint32_t value) {
  if (number == 1 || number == 3)
    m->fflags = value & 31;
  if (number == 2)
    m->frm = value & 7;
  if (number == 3)
    m->frm = value >> 5 & 7;
  m->csr[number] = value;
}

#define RS1                         (m->x[i->rs1])
#define RS2                         (m->x[i->rs2])
#define RS3                         (m->x[i->rs3])
#define RD                          (*rd)
#define RS1_OUT                     (*rs1_out)
#define IMM                         (i->imm)
#define IMM2                        ((uint32_t)i->imm2)
#define PC                          (m->pc)
#define NEXT_PC                     (m->pc + i->size)
#define LOOP                        (i->rd)
#define NUM_RS1                     (i->rs1)
#define LOAD(type, address)         ((uint32_t)(type)load(m, address, sizeof(type)))
#define STORE(type, address, value) store(m, address, value, sizeof(type))
#define BRANCH(condition)                                                                          \
  if (condition)                                                                                   \
  *next_pc = PC + (uint32_t)IMM
#define JUMP_REL()                                                                                 \
  *next_pc = PC + (uint32_t)IMM;                                                                   \
  RD = NEXT_PC
#define JUMP_ABS(address)                                                                          \
  *next_pc = (address);                                                                            \
  RD = NEXT_PC
#define CSR_READ(number)         csr_read(m, (uint32_t)(number))
#define CSR_WRITE(number, value) csr_write(m, (uint32_t)(number), value)
#define CSR_CHANGE(number, bits, clears)                                                           \
  csr_write(m, (uint32_t)(number), clears ? old & ~(bits) : old | (bits))
#define ECALL()        m->event = INTERP_ECALL
#define EBREAK()       m->event = INTERP_EBREAK
#define MRET()         m->event = INTERP_MRET
#define DRET()         m->event = INTERP_DRET
#define WFI()          m->event = INTERP_WFI
#define TRAP_ILLEGAL() m->event = INTERP_ILLEGAL
#define FENCE()
#define FENCE_I()
#define HWLOOP_START(loop, address) m->loop_start[loop] = (address)
#define HWLOOP_END(loop, address)   m->loop_end[loop] = (address)
#define HWLOOP_COUNT(loop, value)   m->loop_count[loop] = (uint32_t)(value)
#define NN(n)                       (m->nn[n])
#define FRM                         (i->imm2 == FP_DYN ? m->frm : i->imm2)
#define FFLAGS(bits)                m->fflags |= (bits)

// One function per row. `rd` and `rs1_out` point to a register, or to nowhere for x0.
#define INSN(id, cls, macs, encs, ...)                                                             \
  static void run_##id(struct interp *m, const struct isa_insn *i, uint32_t *rd,                   \
                       uint32_t *rs1_out, uint32_t *next_pc) {                                     \
    (void)m, (void)i, (void)rd, (void)rs1_out, (void)next_pc;                                      \
    __VA_ARGS__;                                                                                   \
  }
#include "isa/rows/all.def"
#undef INSN

static void (*const run[])(struct interp *, const struct isa_insn *, uint32_t *, uint32_t *,
                           uint32_t *) = {
#define INSN(id, ...) run_##id,
#include "isa/rows/all.def"
#undef INSN
};

void interp_step(struct interp *m, const struct isa_insn *insn) {
  uint32_t sink, next = m->pc + insn->size;
  m->event = INTERP_NONE;
  run[insn->op](m, insn, insn->rd ? &m->x[insn->rd] : &sink, insn->rs1 ? &m->x[insn->rs1] : &sink,
                &next);
  m->pc = next;
}
