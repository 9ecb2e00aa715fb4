// What the decode stage makes of words that are no instruction.
//
// They trap, but until then they sit in ID like any other, and the interlocks compare
// whatever the decoder sets up for their opcode: a load in front of them can hold them back.
// Facts: cv32e40p_decoder.sv, cv32e40p_compressed_decoder.sv (6033d2b); riscv_decoder.sv,
// riscv_compressed_decoder.sv (RI5CY, November 2019).
#include "core/id_insn.h"

// What compressed words set up, by quadrant and funct3: c.addi4spn with 0, c.fld, c.fsd; c.lui with
// 0, shifts by 32 and more; RI5CY also takes hints for errors. Of two rows that fit, the later one
// counts.
enum place { NOTHING, SP, LOW, HIGH, RD_FIELD, RS2_FIELD, FLOAT = 32 };
enum condition { ALWAYS_SO, HAS_FLOATS, IS_RI5CY, IS_RI5CY_SP, HAS_IMMEDIATE, HAS_RS2 };
static const struct {
  uint8_t quadrant, funct3, when, a, b, written; // enum condition, enum place
} shorts[] = {
    {0, 0, ALWAYS_SO, SP, NOTHING, LOW},
    {0, 1, HAS_FLOATS, HIGH, NOTHING, NOTHING},
    {0, 5, HAS_FLOATS, HIGH, FLOAT + LOW, NOTHING},
    {1, 2, ALWAYS_SO, NOTHING, NOTHING, RD_FIELD},
    {1, 3, IS_RI5CY, NOTHING, NOTHING, RD_FIELD},
    {1, 3, IS_RI5CY_SP, SP, NOTHING, RD_FIELD},
    {1, 4, HAS_IMMEDIATE, HIGH, NOTHING, HIGH},
    {2, 0, ALWAYS_SO, RD_FIELD, NOTHING, RD_FIELD},
    {2, 1, HAS_FLOATS, SP, NOTHING, NOTHING},
    {2, 2, ALWAYS_SO, SP, NOTHING, NOTHING},
    {2, 4, HAS_RS2, RD_FIELD, RS2_FIELD, RD_FIELD},
    {2, 5, HAS_FLOATS, SP, FLOAT + RS2_FIELD, NOTHING},
};

static bool is_so(unsigned condition, uint32_t w, const struct id_config *cfg) {
  const bool so[] = {[ALWAYS_SO] = true,
                     [HAS_FLOATS] = cfg->fpu,
                     [IS_RI5CY] = cfg->model == CORE_RI5CY,
                     [IS_RI5CY_SP] = cfg->model == CORE_RI5CY && (w >> 7 & 31) == 2,
                     [HAS_IMMEDIATE] = (w >> 10 & 3) != 3,
                     [HAS_RS2] = (w >> 2 & 31) != 0};
  return so[condition];
}

static uint32_t reg_at(unsigned place, uint32_t w) {
  const uint32_t reg[8] = {0, 2, 8 + (w >> 2 & 7), 8 + (w >> 7 & 7), w >> 7 & 31, w >> 2 & 31};
  return (place & FLOAT) + reg[place & 7];
}

static void compressed(struct id_insn *id, uint32_t w, const struct id_config *cfg) {
  uint32_t a = 0, b = 0;
  for (unsigned i = 0; i < sizeof shorts / sizeof *shorts; i++) {
    if (shorts[i].quadrant != (w & 3) || shorts[i].funct3 != (w >> 13 & 7) ||
        !is_so(shorts[i].when, w, cfg))
      continue;
    a = reg_at(shorts[i].a, w);
    b = reg_at(shorts[i].b, w);
    id->alu_we = shorts[i].written != NOTHING;
    id->alu_rd = (uint8_t)reg_at(shorts[i].written, w);
  }
  id->compared = reg_bit(a) | reg_bit(b);
  // Rule fpu-fields: a port that is not set up reads x0, and so does the third but for stores.
  id->fpu_compared = id->compared | (id->alu_we ? reg_bit(0) : 0);
}

enum { READS_A = 1, READS_B = 2, READS_C = 4, WRITES = 8 };

// CORE-V custom-1, funct3 3: memory with register offset, bit fields, ALU, multiply-add.
static unsigned plane_a(unsigned funct7) {
  if (funct7 >= 0x4a)
    return 0;
  bool third = (funct7 >= 0x10 && funct7 < 0x18) || funct7 >= 0x40;
  return READS_A | READS_B | (third ? READS_C : 0) | (funct7 >= 0x18 ? WRITES : 0);
}

static unsigned ports_of(uint32_t w, const struct id_config *cfg) {
  bool ri5cy = cfg->model == CORE_RI5CY;
  unsigned funct3 = w >> 12 & 7;
  switch (w & 0x7f) {
  case 0x13:
    return READS_A | WRITES;
  case 0x33:
    if (w >> 31 && !ri5cy)
      return 0;
    return READS_A | WRITES | (w >> 28 & 1 ? 0 : READS_B);
  case 0x03:
  case 0x67:
  case 0x0b: // CORE-V
    return READS_A;
  case 0x23:
  case 0x63:
    return READS_A | READS_B;
  case 0x73:
    return funct3 == 0 ? 0 : funct3 & 4 ? WRITES : WRITES | READS_A;
  case 0x53:
    return cfg->fpu ? READS_A | READS_B : 0;
  case 0x43:
  case 0x47:
  case 0x4b:
  case 0x4f:
    return cfg->fpu ? READS_A | READS_B | READS_C : 0;
  case 0x2b:
    return funct3 == 3 ? plane_a(w >> 25) : 0;
  case 0x5b:
    return READS_A | WRITES | (funct3 >> 1 ? READS_B : 0);
  case 0x57:
  case 0x7b: // RI5CY: hardware loops
    if ((w & 0x7f) == 0x7b && ri5cy)
      return 0;
    return READS_A | WRITES | (funct3 >> 1 == 3 ? 0 : READS_B);
  default:
    return 0;
  }
}

static void full(struct id_insn *id, uint32_t w, const struct id_config *cfg) {
  unsigned ports = ports_of(w, cfg), opcode = w & 0x7f;
  bool floats = cfg->fpu && (opcode == 0x53 || (opcode & 0x73) == 0x43);
  bool jump = opcode == 0x67, branch = opcode == 0x63, store = opcode == 0x23;
  uint64_t a = reg_bit(w >> 15 & 31), b = reg_bit(w >> 20 & 31), c = reg_bit(w >> 7 & 31);
  if (floats)
    a <<= 32, b <<= 32, c = reg_bit(w >> 27) << 32;
  if (!(ports & READS_C))
    c = reg_bit(0);
  id->compared = (ports & READS_A ? a : 0) | (ports & READS_B ? b : 0) | c;
  id->alu_we = ports & WRITES;
  id->alu_rd = id->alu_we ? w >> 7 & 31 : 0;
  id->csr_access = opcode == 0x73 && (w >> 12 & 7) != 0;
  // Rule fpu-fields.
  bool immediate = jump || store || opcode == 0x13 || opcode == 0x03 || id->csr_access;
  if (!(id->csr_access && (w >> 14 & 1)))
    id->fpu_compared |= a;
  if (!immediate)
    id->fpu_compared |= b;
  if (!jump && !branch)
    id->fpu_compared |= store ? b : c;
}

void id_illegal_fill(struct id_insn *id, uint32_t word, const struct id_config *cfg) {
  if ((word & 3) == 3)
    full(id, word, cfg);
  else
    compressed(id, word & 0xffff, cfg);
  id->compared &= ~reg_bit(0);
}

bool id_ri5cy_refuses(uint32_t w) {
  uint32_t rd = w >> 7 & 31, shift = w >> 2 & 31;
  switch (w & 0xe003) {
  case 0x4001:
  case 0x6001:
    return rd == 0; // c.li, c.lui
  case 0x8001:
    return (w >> 11 & 1) == 0 && shift == 0; // c.srli, c.srai
  case 0x0002:
    return rd == 0 || shift == 0; // c.slli
  case 0x8002:
    return rd == 0 && shift != 0 && (w >> 12 & 1); // c.add
  default:
    return false;
  }
}
