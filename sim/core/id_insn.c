#include "core/id_insn.h"

#include <string.h>

#include "isa_ops.h"

static bool uses(const struct isa_insn *i, unsigned bit) {
  return (i->uses & bit) != 0;
}

// A five-bit field of the (expanded) 32-bit instruction.
static uint8_t field(const struct isa_insn *i, unsigned lsb) {
  return (uint8_t)(i->word >> lsb & 31);
}

// Rule csr-slow: the registers whose access empties the pipeline. CV32E40P: mstatus, mepc,
// mtvec, mcause, the counters with their set-up, privlv; frm and fcsr when written. RI5CY: mstatus
// and the debug registers only.
static bool csr_is_slow(unsigned csr, bool writes, enum core_model model) {
  // mstatus, mtvec, mcountinhibit, mepc, mcause, privlv
  static const uint16_t slow[] = {0x300, 0x305, 0x320, 0x341, 0x342, 0xcd1};
  if (model == CORE_RI5CY)
    return csr == 0x300 || csr == 0x000 || csr == 0x041 || (csr >= 0x7b0 && csr <= 0x7b3);
  for (unsigned i = 0; i < sizeof slow / sizeof *slow; i++)
    if (csr == slow[i])
      return true;
  if (csr == 0x002 || csr == 0x003)
    return writes;
  if (csr >= 0x323 && csr <= 0x33f)
    return true; // mhpmevent
  unsigned low = csr & 0x1f, base = csr & ~0x1fu;
  bool counter = base == 0xb00 || base == 0xb80 || base == 0xc00 || base == 0xc80;
  return counter && low != 1;
}

static bool csr_writes(const struct isa_insn *i) {
  if (i->op == ISA_OP_csrrs || i->op == ISA_OP_csrrc)
    return i->rs1 != 0;
  return (i->op != ISA_OP_csrrsi && i->op != ISA_OP_csrrci) || i->imm2 != 0;
}

static enum id_kind system_kind(const struct isa_insn *i, const struct id_config *cfg) {
  switch (i->op) {
  case ISA_OP_ecall:
    return ID_ECALL;
  case ISA_OP_ebreak:
    return ID_EBREAK;
  case ISA_OP_mret:
    return ID_MRET;
  case ISA_OP_dret:
    return cfg->model == CORE_RI5CY ? ID_DRET : ID_ILLEGAL; // outside debug mode
  case ISA_OP_wfi:
    return cfg->model == CORE_RI5CY || cfg->wfi_sleeps ? ID_WFI : ID_PLAIN;
  default:
    return ID_PLAIN;
  }
}

static enum id_kind kind_of(struct id_insn *id, const struct id_config *cfg) {
  static const uint8_t kinds[] = {
      [ISA_CLASS_JAL] = ID_JAL,     [ISA_CLASS_JALR] = ID_JALR,     [ISA_CLASS_BRANCH] = ID_BRANCH,
      [ISA_CLASS_FENCE] = ID_FENCE, [ISA_CLASS_HWLOOP] = ID_HWLOOP, [ISA_CLASS_ELW] = ID_ELW,
  };
  const struct isa_insn *i = &id->insn;
  enum isa_class cls = isa_ops[i->op].cls;
  if (cls == ISA_CLASS_SYSTEM)
    return system_kind(i, cfg);
  if (cls != ISA_CLASS_CSR)
    return (enum id_kind)(cls < sizeof kinds ? kinds[cls] : ID_PLAIN);
  id->csr_writes = csr_writes(i);
  return csr_is_slow((unsigned)i->imm & 0xfff, id->csr_writes, cfg->model) ? ID_CSR_SLOW : ID_CSR;
}

static enum id_unit unit_of(const struct isa_insn *i) {
  static const uint8_t units[] = {
      [ISA_CLASS_MULH] = ID_MULH,      [ISA_CLASS_DIV] = ID_DIV,
      [ISA_CLASS_LOAD] = ID_LSU,       [ISA_CLASS_STORE] = ID_LSU,
      [ISA_CLASS_ELW] = ID_LSU,        [ISA_CLASS_FP_LOAD] = ID_LSU,
      [ISA_CLASS_FP_STORE] = ID_LSU,   [ISA_CLASS_FP_ADDMUL] = ID_FPU,
      [ISA_CLASS_FP_DIVSQRT] = ID_FPU, [ISA_CLASS_FP_NONCOMP] = ID_FPU,
      [ISA_CLASS_FP_CONV] = ID_FPU,    [ISA_CLASS_FP_DOTP] = ID_FPU,
  };
  enum isa_class cls = isa_ops[i->op].cls;
  if (cls == ISA_CLASS_MACLOAD) // reloads a register, or not (isa/semantics.h)
    return i->imm & 0x18 ? ID_LSU : ID_MULT;
  return (enum id_unit)(cls < sizeof units ? units[cls] : ID_ALU);
}

static bool is_load(const struct isa_insn *i) {
  enum isa_class cls = isa_ops[i->op].cls;
  return cls == ISA_CLASS_LOAD || cls == ISA_CLASS_FP_LOAD || cls == ISA_CLASS_ELW;
}

// Rule simd-field-b: SIMD instructions compare bits 24..20 with the load in EX unless their
// scalar-immediate bits are set; shuffles compare them even then. pv.shuffle.sci,
// pv.extract and pv.insert (CORE-V) so wait for registers that they do not read.
static bool simd_compares_b(const struct isa_insn *i) {
  uint32_t w = i->word, op6 = w >> 26;
  if ((w >> 13 & 3) != 3)
    return op6 != 0x17; // complex conjugate: its other field is zero or not compared
  if ((w & 0x7f) == 0x7b)
    return op6 == 0x30 || op6 == 0x32 || op6 == 0x34 || op6 == 0x36;
  return op6 == 0x30 || op6 == 0x3a || op6 == 0x3c || op6 == 0x3e;
}

static bool is_simd(const struct isa_insn *i) {
  return i->size == 4 && ((i->word & 0x7f) == 0x7b || (i->word & 0x7f) == 0x57);
}

static void fill_ports(struct id_insn *id) {
  const struct isa_insn *i = &id->insn;
  bool hwloop = id->kind == ID_HWLOOP; // shares 0x7b with CORE-V's SIMD
  if (uses(i, ISA_USES_RS1))
    id->compared |= reg_bit(i->rs1);
  if (!hwloop && is_simd(i) && simd_compares_b(i))
    id->compared |= reg_bit(field(i, 20));
  else if (uses(i, ISA_USES_RS2))
    id->compared |= reg_bit(i->rs2);
  if (uses(i, ISA_USES_RS3))
    id->compared |= reg_bit(i->rs3);
  id->compared &= ~reg_bit(0);
}

static void fill_writes(struct id_insn *id) {
  const struct isa_insn *i = &id->insn;
  if (is_load(i)) {
    id->load_we = true;
    id->load_rd = i->rd;
  }
  if (uses(i, ISA_WRITES_RS1)) {
    id->alu_we = true;
    id->alu_rd = i->rs1;
  } else if (uses(i, ISA_USES_RD) && !is_load(i)) {
    id->alu_we = id->unit != ID_FPU && id->kind != ID_HWLOOP;
    id->alu_rd = i->rd;
  }
  if (id->unit == ID_FPU)
    id->fpu_rd = i->rd;
}

// Cycles from the request to the result, and the dispatcher's latency type.
static void fill_fpu(struct id_insn *id, const struct id_config *cfg) {
  enum isa_class cls = isa_ops[id->insn.op].cls;
  bool sums = cls == ISA_CLASS_FP_ADDMUL || cls == ISA_CLASS_FP_DOTP;
  id->fpu_divides = cls == ISA_CLASS_FP_DIVSQRT;
  id->fpu_latency = sums ? cfg->addmul_latency : cfg->others_latency;
  // RI5CY gives all operations the type of sums (riscv_decoder.sv, apu_lat_o).
  bool as_sums = cfg->model == CORE_RI5CY && id->fpu_latency < 2;
  unsigned latency = as_sums ? cfg->addmul_latency : id->fpu_latency;
  id->fpu_type = latency < 2 && !id->fpu_divides ? (uint8_t)(latency + 1) : 3;
}

static void compare_fpu(struct id_insn *id, unsigned reg) {
  id->fpu_compared |= reg_bit(reg);
}

// Rule fpu-fields: what is compared with the destinations of float operations in flight follows
// from the operand multiplexers, not from the operands: a field that no operand uses counts
// where its multiplexer stays at its default.
static void fill_fpu_float(struct id_insn *id, const struct id_config *cfg) {
  const struct isa_insn *i = &id->insn;
  uint8_t f = cfg->zfinx ? 0 : 32;
  uint32_t funct5 = i->word >> 27;
  bool scalar = (i->word & 0x7f) == 0x53;
  compare_fpu(id, i->rs1);
  if (scalar && funct5 <= 1) { // the sum's operands go to the unit's second and third port
    compare_fpu(id, i->rs2);
    return;
  }
  bool move = scalar && (funct5 == 0x1e || funct5 == 0x1c) && (i->word >> 12 & 7) == 0;
  bool converts = scalar && funct5 == 0x08;
  if (!move)
    compare_fpu(id, uses(i, ISA_USES_RS2) && !converts ? i->rs2 : f + field(i, 20));
  compare_fpu(id, uses(i, ISA_USES_RS3) ? i->rs3 : 0);
}

static bool operand_a_is_register(const struct id_insn *id) {
  const struct isa_insn *i = &id->insn;
  if (id->kind == ID_JAL || i->op == ISA_OP_lui || i->op == ISA_OP_auipc)
    return false;
  if (id->csr_access)
    return (i->word >> 14 & 1) == 0;
  return true;
}

static bool operand_b_is_register(const struct id_insn *id) {
  const struct isa_insn *i = &id->insn;
  if (id->kind == ID_JAL || id->kind == ID_JALR || id->csr_access)
    return false;
  if (i->op == ISA_OP_wfi) // where it does nothing, it has an immediate (OP_B_IMM)
    return id->kind == ID_WFI;
  if (id->kind >= ID_FENCE && id->kind <= ID_HWLOOP)
    return true; // the default
  if (uses(i, ISA_USES_RS2))
    return id->unit != ID_LSU || id->load_we;
  if (is_simd(i)) // cv.extract has its immediate elsewhere
    return (i->word >> 13 & 3) != 3 && !uses(i, ISA_USES_RS3);
  return !uses(i, ISA_USES_IMM);
}

static void fill_fpu_compare(struct id_insn *id, const struct id_config *cfg) {
  const struct isa_insn *i = &id->insn;
  if (id->unit == ID_FPU) {
    fill_fpu_float(id, cfg);
    return;
  }
  if (operand_a_is_register(id))
    compare_fpu(id, uses(i, ISA_USES_RS1) ? i->rs1 : field(i, 15));
  // Rule mask-unseen (RI5CY): the mask of a bit field and a normalization's shift, in a register.
  uint32_t w = i->word, opcode = i->size == 4 && cfg->model == CORE_RI5CY ? w & 0x7f : 0;
  id->hides_b = opcode == 0x33 ? w >> 29 == 4 : opcode == 0x5b && (w >> 13 & 1) && (w >> 30 & 1);
  if (operand_b_is_register(id) && !id->hides_b)
    compare_fpu(id, uses(i, ISA_USES_RS2) ? i->rs2 : field(i, 20));
  // CORE-V custom-1, funct3 3: bit fields, and sums with normalization, whose third operand goes
  // through the first multiplexer, and is forgotten.
  unsigned function = i->size == 4 && (w & 0x707f) == 0x302b ? w >> 25 : 0;
  bool bit_field = (function & 0x78) == 0x18, normalizes = (function & 0x78) == 0x40;
  if (bit_field || normalizes)
    return;
  bool store = id->unit == ID_LSU && !id->load_we;
  if (store && uses(i, ISA_USES_RS3))
    compare_fpu(id, i->rs3); // register offset
  if (store)
    compare_fpu(id, i->rs2);
  else if (i->op == ISA_OP_p_bitrev) // its destination is fetched as well
    compare_fpu(id, i->rd);
  else if (id->unit == ID_DIV && cfg->model == CORE_RI5CY) // its operands change places
    compare_fpu(id, i->rs1);
  else if (id->kind != ID_BRANCH && id->kind != ID_JALR)
    compare_fpu(id, uses(i, ISA_USES_RS3) ? i->rs3 : 0);
}

// False: `word` is no instruction.
static bool means(uint32_t word, const struct isa_decoder *decoder, const struct id_config *cfg,
                  struct isa_insn *insn) {
  bool ri5cy = cfg->model == CORE_RI5CY;
  uint32_t other = ri5cy ? id_ri5cy_reads_as(word, cfg->fpu) : word;
  if (ri5cy && id_ri5cy_refuses(word))
    return false;
  if (!isa_decode(decoder, word, insn)) {
    if (other == word || !isa_decode(decoder, other, insn))
      return false;
    insn->word = word; // its fields are compared as they are
    insn->size = (word & 3) == 3 ? 4 : 2;
  }
  return cfg->divider != FPU_DIVIDER_NONE || isa_ops[insn->op].cls != ISA_CLASS_FP_DIVSQRT;
}

void id_insn_fill(struct id_insn *id, uint32_t word, const struct isa_decoder *decoder,
                  const struct id_config *cfg) {
  struct isa_insn insn = {0};
  memset(id, 0, sizeof *id);
  if (!means(word, decoder, cfg, &insn)) {
    id->kind = ID_ILLEGAL;
    id_illegal_fill(id, word, cfg);
    return;
  }
  id->insn = insn;
  id->kind = kind_of(id, cfg);
  id->unit = unit_of(&insn);
  id->csr_access = id->kind == ID_CSR || id->kind == ID_CSR_SLOW;
  id->is_signed = insn.op == ISA_OP_div || insn.op == ISA_OP_rem;
  fill_ports(id);
  fill_writes(id);
  if (id->unit == ID_FPU)
    fill_fpu(id, cfg);
  fill_fpu_compare(id, cfg);
}
