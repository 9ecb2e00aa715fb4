// What the decode stage makes of words that are no instruction.
//
// They trap, but until then they sit in ID like any other, and the interlocks compare
// whatever the decoder sets up for their opcode: a load in front of them can hold them back.
// Facts: cv32e40p_decoder.sv, cv32e40p_compressed_decoder.sv (6033d2b); riscv_decoder.sv,
// riscv_compressed_decoder.sv (RI5CY, November 2019).
#include "core/id_insn.h"

static void read_port(struct id_insn *id, unsigned port, uint32_t reg) {
  id->compared |= (uint8_t)(1 << port);
  id->reg[port] = (uint8_t)reg;
}

static void write_alu(struct id_insn *id, uint32_t rd) {
  id->alu_we = true;
  id->alu_rd = (uint8_t)rd;
}

// What compressed words set up, by quadrant and funct3: c.addi4spn with 0, c.fld, c.fsd; c.lui with
// 0, shifts by 32 and more; RI5CY also takes hints for errors. Of a port that two rows set up, the
// later one counts.
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
  for (unsigned i = 0; i < sizeof shorts / sizeof *shorts; i++) {
    if (shorts[i].quadrant != (w & 3) || shorts[i].funct3 != (w >> 13 & 7) ||
        !is_so(shorts[i].when, w, cfg))
      continue;
    if (shorts[i].a)
      read_port(id, 0, reg_at(shorts[i].a, w));
    if (shorts[i].b)
      read_port(id, 1, reg_at(shorts[i].b, w));
    if (shorts[i].written)
      write_alu(id, reg_at(shorts[i].written, w));
  }
}

// CORE-V custom-1, funct3 3: memory with register offset, bit fields, ALU, multiply-add.
static void plane_a(struct id_insn *id, uint32_t w) {
  uint32_t funct7 = w >> 25;
  if (funct7 >= 0x4a)
    return;
  read_port(id, 0, w >> 15 & 31);
  read_port(id, 1, w >> 20 & 31);
  if ((funct7 >= 0x10 && funct7 < 0x18) || funct7 >= 0x40)
    read_port(id, 2, w >> 7 & 31);
  if (funct7 >= 0x18)
    write_alu(id, w >> 7 & 31);
}

static void custom(struct id_insn *id, uint32_t w, const struct id_config *cfg) {
  uint32_t rd = w >> 7 & 31, rs1 = w >> 15 & 31, rs2 = w >> 20 & 31, funct3 = w >> 12 & 7;
  switch (w & 0x7f) {
  case 0x2b:
    if (funct3 == 3)
      plane_a(id, w);
    break;
  case 0x5b:
    write_alu(id, rd);
    read_port(id, 0, rs1);
    if (funct3 >> 1)
      read_port(id, 1, rs2);
    break;
  case 0x57:
  case 0x7b:
    if ((w & 0x7f) == 0x7b && cfg->model == CORE_RI5CY)
      break; // hardware loops
    write_alu(id, rd);
    read_port(id, 0, rs1);
    if ((funct3 & 6) != 6)
      read_port(id, 1, rs2);
    break;
  default:
    break;
  }
}

static void base(struct id_insn *id, uint32_t w, const struct id_config *cfg) {
  uint32_t rd = w >> 7 & 31, rs1 = w >> 15 & 31, rs2 = w >> 20 & 31, funct3 = w >> 12 & 7;
  switch (w & 0x7f) {
  case 0x13:
  case 0x33:
    if ((w & 0x20) && w >> 31 && cfg->model == CORE_CV32E40P)
      break;
    read_port(id, 0, rs1);
    if ((w & 0x20) && !(w >> 28 & 1))
      read_port(id, 1, rs2);
    write_alu(id, rd);
    break;
  case 0x03:
  case 0x67:
  case 0x0b: // CORE-V
    read_port(id, 0, rs1);
    break;
  case 0x23:
  case 0x63:
    read_port(id, 0, rs1);
    read_port(id, 1, rs2);
    break;
  case 0x73:
    if (funct3 == 0)
      break;
    id->csr_access = true;
    if (!(funct3 & 4))
      read_port(id, 0, rs1);
    write_alu(id, rd);
    break;
  case 0x53:
  case 0x43:
  case 0x47:
  case 0x4b:
  case 0x4f:
    if (!cfg->fpu)
      break;
    read_port(id, 0, 32 + rs1);
    read_port(id, 1, 32 + rs2);
    if ((w & 0x7f) != 0x53)
      read_port(id, 2, 32 + (w >> 27));
    break;
  default:
    custom(id, w, cfg);
    break;
  }
}

// What is compared with float operations in flight: rule fpu-fields. Words that expand to nothing
// read x0 three times.
static void fpu_short(struct id_insn *id, uint32_t w) {
  bool reads = (id->compared & 1) != 0, stores = (id->compared & 2) && !id->alu_we;
  id_compare_fpu(id, 0, reads ? id->reg[0] : 0);
  if (!reads && !id->alu_we)
    id_compare_fpu(id, 1, 0);
  else if ((id->compared & 2) && !stores)
    id_compare_fpu(id, 1, w >> 2 & 31);
  id_compare_fpu(id, 2, stores ? id->reg[1] : 0);
}

static void fpu_long(struct id_insn *id, uint32_t w) {
  uint32_t opcode = w & 0x7f, a = w >> 15 & 31, b = w >> 20 & 31;
  bool jump = opcode == 0x67, branch = opcode == 0x63, store = opcode == 0x23;
  bool immediate = jump || store || opcode == 0x13 || opcode == 0x03 || id->csr_access;
  if (!(id->csr_access && (w >> 14 & 1)))
    id_compare_fpu(id, 0, id->compared & 1 ? id->reg[0] : a);
  if (!immediate)
    id_compare_fpu(id, 1, id->compared & 2 ? id->reg[1] : b);
  if (store)
    id_compare_fpu(id, 2, b);
  else if (!jump && !branch)
    id_compare_fpu(id, 2, id->compared & 4 ? id->reg[2] : 0);
}

void id_illegal_fill(struct id_insn *id, uint32_t word, const struct id_config *cfg) {
  if ((word & 3) == 3) {
    base(id, word, cfg);
    fpu_long(id, word);
  } else {
    compressed(id, word & 0xffff, cfg);
    fpu_short(id, word);
  }
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
