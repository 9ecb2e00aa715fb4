#include "core/csr.h"

#include "core/perf_counter.h"
#include "core/step.h"
#include "core/trap.h"
#include "isa/fp.h"

enum {
  FFLAGS = 0x001,
  FRM = 0x002,
  FCSR = 0x003,
  UHARTID = 0x014,
  MSTATUS = 0x300,
  MISA = 0x301,
  MIE = 0x304,
  MTVEC = 0x305,
  MCOUNTINHIBIT = 0x320,
  MHPMEVENT3 = 0x323,
  MSCRATCH = 0x340,
  MEPC = 0x341,
  MCAUSE = 0x342,
  MTVAL = 0x343,
  MIP = 0x344,
  PCCR0 = 0x780,
  PCCR_ALL = 0x79f,
  TSELECT = 0x7a0,
  TDATA1 = 0x7a1,
  TINFO = 0x7a4,
  MCYCLE = 0xb00,
  CYCLE = 0xc00,
  TIME = 0xc01,
  TIMEH = 0xc81,
  PCER = 0xcc0,
  PCMR = 0xcc1,
  CV_LOOP = 0xcc0,
  UHARTID_CV = 0xcd0,
  PRIVLV = 0xcd1,
  ZFINX = 0xcd2,
  V2_LOOP = 0x7c0, // riscv_defines.sv HWLoop0_START; 0x7b0 in older cores
  MVENDORID = 0xf11,
  MARCHID = 0xf12,
  MIMPID = 0xf13,
  MHARTID = 0xf14,
};

// Loop registers: start, end, count of loop 0, then a gap of one, then loop 1.
static uint32_t *loop_word(struct core *c, uint32_t index) {
  struct hwloop *l = &c->loop[index >> 2];
  return (index & 3) == 0 ? &l->start : (index & 3) == 1 ? &l->last : &l->count;
}

// CORE-V's end is the address behind the body's last instruction.
static uint32_t loop_read(struct core *c, uint32_t index) {
  uint32_t value = *loop_word(c, index);
  return c->corev && (index & 3) == 1 && value ? value + 4 : value;
}

// mcycle and its kin, or their read-only copies: bit 7 selects the upper half.
static uint32_t counter_read(struct core *c, uint32_t number, cycle_t t) {
  uint64_t v = perf_read(c, number & 0x1f, t);
  return (uint32_t)(number & 0x80 ? v >> 32 : v);
}

// Rule float-state: mstatus.FS is dirty from the first float instruction on; SD says so
// (cv32e40p_cs_registers.sv).
enum { FS_DIRTY = 3 << 13, SD = INT32_MIN };

static uint32_t float_state(struct core *c) {
  if (c->model != CORE_CV32E40P || !c->has_fpu)
    return 0;
  uint32_t fs = c->csr.mstatus & FS_DIRTY;
  if (perf_floats(c) != c->csr.clean_floats)
    fs = FS_DIRTY;
  return fs == FS_DIRTY ? fs | (uint32_t)SD : fs;
}

// Words of core.csr, with the bits that a write changes. Some select what is counted
// (cv32e40p_cs_registers.sv, riscv_cs_registers.sv).
static const struct csr_word {
  uint16_t number, at;
  uint32_t writable;
  bool selects, of_ri5cy;
} words[] = {
    {MIE, offsetof(struct core_csr, mie), 0xffff0888, false, false},
    {MSCRATCH, offsetof(struct core_csr, mscratch), UINT32_MAX, false, false},
    {MEPC, offsetof(struct core_csr, mepc), ~UINT32_C(1), false, false},
    {MCAUSE, offsetof(struct core_csr, mcause), 0x8000001f, false, false},
    {MIP, offsetof(struct core_csr, mip), 0, false, false},
    {MCOUNTINHIBIT, offsetof(struct core_csr, mcountinhibit), 0xd, true, false},
    {MHPMEVENT3, offsetof(struct core_csr, mhpmevent[3]), 0xffff, true, false},
    {PCER, offsetof(struct core_csr, pcer), (UINT32_C(1) << PERF_PCCR) - 1, true, true},
    {PCMR, offsetof(struct core_csr, pcmr), 3, true, true}, // on, saturating
};
static const struct {
  uint16_t number;
  uint32_t value;
} constants[] = {{MTVAL, 0}, {MVENDORID, 0x602}, {MARCHID, 4}, {MIMPID, 1}};

// NULL: there is no such word.
static const struct csr_word *find_word(const struct core *c, uint32_t number) {
  for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
    if (words[i].number == number && (!words[i].of_ri5cy || c->model == CORE_RI5CY))
      return &words[i];
  return NULL;
}

static uint32_t *word_of(struct core *c, const struct csr_word *w) {
  return (uint32_t *)((char *)&c->csr + w->at);
}

static bool machine_read(struct core *c, uint32_t number, uint32_t *value) {
  const struct csr_word *word = find_word(c, number);
  if (word)
    return *value = *word_of(c, word), true;
  for (unsigned i = 0; i < sizeof constants / sizeof *constants; i++)
    if (constants[i].number == number)
      return *value = constants[i].value, true;
  if (number == MHARTID)
    return *value = c->hartid, true;
  if (number == MTVEC)
    return *value = trap_base(c) | (c->csr.mtvec & 1), true;
  if (number == MISA) // RV32 I M C X, and F
    return *value = 0x40801104 | (c->has_fpu ? 1 << 5 : 0), true;
  return false;
}

static uint32_t float_read(const struct core *c, uint32_t number) {
  if (number == FFLAGS)
    return c->csr.fflags;
  return number == FRM ? c->csr.frm : c->csr.frm << 5 | c->csr.fflags;
}

bool csr_read(struct core *c, uint32_t number, cycle_t t, uint32_t *value) {
  if (number >= FFLAGS && number <= FCSR)
    return *value = float_read(c, number), true;
  if (machine_read(c, number, value))
    return true;
  if (number > MHPMEVENT3 && number < MHPMEVENT3 + 29)
    return *value = 0, true;
  if (number == MSTATUS) {
    *value = (c->csr.mstatus & ~(uint32_t)FS_DIRTY) | 0x1800 | float_state(c);
    return true;
  }
  bool copy = number >= CYCLE && number < CYCLE + 0x100 && number != TIME && number != TIMEH;
  if (((number >= MCYCLE && number < MCYCLE + 0x100) || copy) && (number & 0x60) == 0) {
    *value = counter_read(c, number, t);
    return true;
  }
  if (c->corev) {
    if (number >= CV_LOOP && number < CV_LOOP + 7 && (number & 3) != 3)
      return *value = loop_read(c, number - CV_LOOP), true;
    if (number == UHARTID_CV)
      return *value = c->hartid, true;
    if (number == PRIVLV)
      return *value = 3, true;
    if (number == ZFINX)
      return *value = 0, true;
    if (number >= TSELECT && number <= TINFO) { // one address trigger, off
      *value = number == TDATA1 ? 0x28001040 : number == TINFO ? 4 : 0;
      return true;
    }
    return false;
  }
  if (number >= V2_LOOP && number < V2_LOOP + 7 && (number & 3) != 3)
    return *value = loop_read(c, number - V2_LOOP), true;
  if (number == UHARTID)
    return *value = c->hartid, true;
  if (number >= PCCR0 && number < PCCR0 + PERF_PCCR) {
    *value = (uint32_t)perf_read(c, number - PCCR0, t);
    return true;
  }
  return *value = 0, true; // RI5CY traps on no CSR number
}

bool csr_is_constant(const struct core *c, uint32_t number) {
  return number == MHARTID || (number == UHARTID && c->model == CORE_RI5CY);
}

static void set_counter(struct core *c, uint32_t number, uint32_t value, cycle_t t) {
  unsigned i = number & 0x1f;
  uint64_t now = perf_read(c, i, t);
  perf_write(c, i,
             number & 0x80 ? (uint64_t)value << 32 | (uint32_t)now : (now >> 32 << 32) | value, t);
}

static void write_floats(struct core *c, uint32_t frm, uint32_t fflags) {
  bool differs = c->csr.frm != frm;
  c->csr.frm = frm;
  c->csr.fflags = (uint8_t)fflags;
  c->csr.rne_inexact = frm == FP_RNE && (fflags & FP_NX);
  if (differs)
    step_update_context(c);
}

void csr_raise(struct core *c, unsigned flags) {
  write_floats(c, c->csr.frm, c->csr.fflags | flags);
}

static bool word_write(struct core *c, uint32_t number, uint32_t value, cycle_t t) {
  const struct csr_word *word = find_word(c, number);
  if (!word || !word->writable)
    return false;
  if (word->selects)
    perf_stop(c, t);
  *word_of(c, word) = value & word->writable;
  if (word->selects)
    perf_restart(c, t);
  return true;
}

static bool machine_write(struct core *c, uint32_t number, uint32_t value) {
  switch (number) {
  case FFLAGS:
  case FRM:
  case FCSR:
    write_floats(c, number == FFLAGS ? c->csr.frm : (number == FRM ? value : value >> 5) & 7,
                 number == FRM ? c->csr.fflags : value & 31);
    c->csr.clean_floats--; // writing the float state makes it dirty
    return true;
  case MSTATUS:
    c->csr.mstatus = value & 0x6088;
    c->csr.clean_floats = perf_floats(c);
    return true;
  case MTVEC:
    if (!c->boots_at)
      c->csr.mtvec = value & (~c->mtvec_low | 1);
    c->csr.mtvec_given = value;
    c->csr.mtvec_written = true;
    return true;
  case MISA:
  case MTVAL:
  case MIP:
    return true;
  default:
    return false;
  }
}

bool csr_write(struct core *c, uint32_t number, uint32_t value, cycle_t t) {
  if (word_write(c, number, value, t) || machine_write(c, number, value))
    return true;
  if (number >= MHPMEVENT3 && number < MHPMEVENT3 + 29)
    return true; // hard-wired to 0
  if (number >= MCYCLE && number < MCYCLE + 0x100 && (number & 0x60) == 0) {
    set_counter(c, number, value, t);
    return true;
  }
  if (c->corev)
    return number >= TSELECT && number <= TINFO;
  if (number >= V2_LOOP && number < V2_LOOP + 7 && (number & 3) != 3)
    return *loop_word(c, number - V2_LOOP) = value, true;
  if (number == PCCR_ALL)
    for (unsigned n = 0; n < PERF_PCCR; n++)
      perf_write(c, n, value, t);
  else if (number >= PCCR0 && number < PCCR0 + PERF_PCCR)
    perf_write(c, number - PCCR0, value, t);
  return true;
}
