#include "core/csr.h"

#include "core/perf_counter.h"
#include "core/pipeline.h"
#include "core/step.h"
#include "isa/fp.h"

enum { FFLAGS = 0x001, FRM, FCSR, MSTATUS = 0x300, MISA, MIE = 0x304, MTVEC };
enum { MCOUNTINHIBIT = 0x320, MHPMEVENT3 = 0x323, MHPMEVENT31 = 0x33f };
enum { MSCRATCH = 0x340, MEPC, MCAUSE, MTVAL, MIP };
enum { TSELECT = 0x7a0, TDATA1, TDATA2, TDATA3, TINFO, MCYCLE = 0xb00 };
enum { CYCLE = 0xc00, TIME, TIMEH = 0xc81 };
enum { CV_LOOP = 0xcc0, CV_UHARTID = 0xcd0, CV_PRIVLV, CV_ZFINX };
enum { MVENDORID = 0xf11, MARCHID, MIMPID, MHARTID };
// Of RI5CY (riscv_defines.sv; loops from 0x7b0 on in older cores).
enum { UHARTID = 0x014, LOOP = 0x7c0, PCER_M = 0x7e0, PCMR_M, PRIVLV = 0xc10, PCER = 0xcc0, PCMR };

// Loop registers: start, end, count of loop 0, then a gap of one, then loop 1. NULL: none.
static uint32_t *loop_word(struct core *c, uint32_t number) {
  uint32_t index = number - (c->model == CORE_RI5CY ? LOOP : CV_LOOP);
  struct hwloop *l = &c->loop[index >> 2 & 1];
  uint32_t *const word[] = {&l->start, &l->last, &l->count, NULL};
  return index < 8 ? word[index & 3] : NULL;
}

// RI5CY's PCCR; mcycle and its kin, or their read-only copies. PERF_NONE: none.
static unsigned counter_of(const struct core *c, uint32_t number) {
  if (c->model == CORE_RI5CY)
    return number - PERF_PCCR0 < PERF_PCCR ? number - PERF_PCCR0 : PERF_NONE;
  bool there = number >> 8 == MCYCLE >> 8 ||
               (number >> 8 == CYCLE >> 8 && number != TIME && number != TIMEH);
  return there && !(number & 0x60) ? number & 0x1f : PERF_NONE;
}

// CV32E40P: bit 7 selects the upper half.
static bool is_upper(const struct core *c, uint32_t number) {
  return c->model == CORE_CV32E40P && (number & 0x80);
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

// Words of core.csr, with the bits that a write changes (some select what is counted), or constants
// (cv32e40p_cs_registers.sv, riscv_cs_registers.sv).
enum { CONSTANT = UINT16_MAX, CV = 1, RI, BOTH };
static const struct csr_word {
  uint16_t number, at;
  uint32_t bits;
  uint8_t of; // bit per core_model
  bool selects;
} words[] = {
#define WORD(field) offsetof(struct core_csr, field)
    {MIE, WORD(mie), 0xffff0888, CV, false},
    {MSCRATCH, WORD(mscratch), UINT32_MAX, BOTH, false},
    {MEPC, WORD(mepc), ~UINT32_C(1), BOTH, false},
    {MCAUSE, WORD(mcause), 0x8000001f, BOTH, false},
    {MIP, WORD(mip), 0, CV, false},
    {MCOUNTINHIBIT, WORD(mcountinhibit), PERF_CV32E40P, CV, true},
    {MHPMEVENT3, WORD(mhpmevent[3]), 0xffff, CV, true},
    {PCER, WORD(pcer), (UINT32_C(1) << PERF_PCCR) - 1, RI, true},
    {PCER_M, WORD(pcer), (UINT32_C(1) << PERF_PCCR) - 1, RI, true},
    {PCMR, WORD(pcmr), 3, RI, true}, // on, saturating
    {PCMR_M, WORD(pcmr), 3, RI, true},
#undef WORD
    {MTVAL, CONSTANT, 0, CV, false},
    {MVENDORID, CONSTANT, 0x602, CV, false},
    {MARCHID, CONSTANT, 4, CV, false},
    {MIMPID, CONSTANT, 1, CV, false},
    {TSELECT, CONSTANT, 0, CV, false}, // one address trigger, off
    {TDATA1, CONSTANT, 0x28001040, CV, false},
    {TDATA2, CONSTANT, 0, CV, false},
    {TDATA3, CONSTANT, 0, CV, false},
    {TINFO, CONSTANT, 4, CV, false},
    {CV_PRIVLV, CONSTANT, 3, CV, false},
    {CV_ZFINX, CONSTANT, 0, CV, false},
    {PRIVLV, CONSTANT, 3, RI, false},
};

// NULL: there is no such word.
static const struct csr_word *find_word(const struct core *c, uint32_t number) {
  for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
    if (words[i].number == number && (words[i].of >> c->model & 1))
      return &words[i];
  return NULL;
}

static uint32_t *word_of(struct core *c, const struct csr_word *w) {
  return (uint32_t *)((char *)&c->csr + w->at);
}

// RI5CY has the numbers without a float unit, too.
static uint32_t float_read(const struct core *c, uint32_t number) {
  if (!c->pipeline->config.id.fpu)
    return 0;
  if (number == FFLAGS)
    return c->csr.fflags;
  return number == FRM ? c->csr.frm : c->csr.frm << 5 | c->csr.fflags;
}

bool csr_is_constant(const struct core *c, uint32_t number) {
  return number == MHARTID || number == (c->model == CORE_RI5CY ? UHARTID : CV_UHARTID);
}

bool csr_read(struct core *c, uint32_t number, cycle_t t, uint32_t *value) {
  const struct csr_word *word = find_word(c, number);
  const uint32_t *loop = loop_word(c, number);
  unsigned counter = counter_of(c, number);
  *value = 0;
  if (word)
    *value = word->at == CONSTANT ? word->bits : *word_of(c, word);
  else if (number >= FFLAGS && number <= FCSR)
    *value = float_read(c, number);
  else if (number == MSTATUS)
    *value = (c->csr.mstatus & ~(uint32_t)FS_DIRTY) | 0x1800 | float_state(c);
  else if (number == MTVEC)
    *value = trap_base(c) | (c->csr.mtvec & 1);
  else if (number == MISA) // RV32 I M C X, and F
    *value = 0x40801104 | (c->has_fpu ? 1 << 5 : 0);
  else if (csr_is_constant(c, number))
    *value = c->hartid;
  else if (loop) // CORE-V's end is the address behind the body's last instruction
    *value = *loop + (c->corev && (number & 3) == 1 && *loop ? 4 : 0);
  else if (counter != PERF_NONE)
    *value = (uint32_t)(perf_read(c, counter, t) >> (is_upper(c, number) ? 32 : 0));
  else // RI5CY traps on no number
    return c->model == CORE_RI5CY || (number > MHPMEVENT3 && number <= MHPMEVENT31);
  return true;
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

static void write_counter(struct core *c, uint32_t number, uint64_t value, cycle_t t) {
  unsigned n = counter_of(c, number);
  if (n == PERF_NONE)
    return;
  uint64_t old = perf_read(c, n, t), low = (uint32_t)old;
  perf_write(c, n, is_upper(c, number) ? value << 32 | low : old - low + value, t);
}

void csr_change(struct core *c, uint32_t number, uint32_t bits, bool clears, cycle_t t) {
  const struct csr_word *w = find_word(c, number);
  bool all = number == PERF_PCCR0 + PERF_ALL, counts = counter_of(c, number) != PERF_NONE;
  for (unsigned n = 0; all && n < PERF_PCCR; n++)
    csr_change(c, PERF_PCCR0 + n, bits, clears, t);
  uint32_t old;
  csr_read(c, number, t, &old);
  bool inverts = c->model == CORE_RI5CY && ((w && w->selects) || counts);
  if (!all)
    csr_write(c, number, !clears ? old | bits : inverts ? bits & ~old : old & ~bits, t);
}

void csr_write(struct core *c, uint32_t number, uint32_t value, cycle_t t) {
  const struct csr_word *word = find_word(c, number);
  uint32_t *loop = loop_word(c, number);
  for (unsigned n = 0; number == PERF_PCCR0 + PERF_ALL && n < PERF_PCCR; n++)
    csr_write(c, PERF_PCCR0 + n, value, t);
  if (word && word->at != CONSTANT) {
    *word_of(c, word) = value & word->bits;
    if (word->selects)
      perf_select(c, t);
  } else if (number >= FFLAGS && number <= FCSR && c->pipeline->config.id.fpu) {
    write_floats(c, number == FFLAGS ? c->csr.frm : (number == FRM ? value : value >> 5) & 7,
                 number == FRM ? c->csr.fflags : value & 31);
    c->csr.clean_floats--; // writing the float state makes it dirty
  } else if (number == MSTATUS) {
    c->csr.mstatus = value & 0x6088;
    c->csr.clean_floats = perf_floats(c);
  } else if (number == MTVEC) {
    if (!c->boots_at)
      c->csr.mtvec = value & (~c->mtvec_low | 1);
    c->csr.mtvec_given = value;
    c->csr.mtvec_written = true;
  } else if (loop) {
    *loop = value;
  } else {
    write_counter(c, number, value, t);
  }
}
