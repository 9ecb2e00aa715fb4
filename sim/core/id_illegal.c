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

// c.addi4spn with 0, c.fld, c.fsd.
static void quadrant0(struct id_insn *id, uint32_t w, const struct id_config *cfg) {
  uint32_t low = 8 + (w >> 2 & 7), high = 8 + (w >> 7 & 7);
  switch (w >> 13) {
  case 0:
    read_port(id, 0, 2);
    write_alu(id, low);
    break;
  case 1:
    if (cfg->fpu)
      read_port(id, 0, high);
    break;
  case 5:
    if (!cfg->fpu)
      break;
    read_port(id, 0, high);
    read_port(id, 1, 32 + low);
    break;
  default:
    break;
  }
}

// c.lui with 0, shifts by 32 and more; RI5CY also takes hints for errors.
static void quadrant1(struct id_insn *id, uint32_t w, const struct id_config *cfg) {
  uint32_t rd = w >> 7 & 31, high = 8 + (w >> 7 & 7);
  bool ri5cy = cfg->model == CORE_RI5CY;
  switch (w >> 13) {
  case 2:
    write_alu(id, rd);
    break;
  case 3:
    if (!ri5cy)
      break;
    if (rd == 2)
      read_port(id, 0, 2);
    write_alu(id, rd);
    break;
  case 4:
    if ((w >> 10 & 3) == 3)
      break;
    read_port(id, 0, high);
    write_alu(id, high);
    break;
  default:
    break;
  }
}

static void quadrant2(struct id_insn *id, uint32_t w, const struct id_config *cfg) {
  uint32_t rd = w >> 7 & 31, rs2 = w >> 2 & 31;
  switch (w >> 13) {
  case 0:
    read_port(id, 0, rd);
    write_alu(id, rd);
    break;
  case 1:
    if (cfg->fpu)
      read_port(id, 0, 2);
    break;
  case 2:
    read_port(id, 0, 2);
    break;
  case 4:
    if (rs2 == 0)
      break;
    read_port(id, 0, rd);
    read_port(id, 1, rs2);
    write_alu(id, rd);
    break;
  case 5:
    if (!cfg->fpu)
      break;
    read_port(id, 0, 2);
    read_port(id, 1, 32 + rs2);
    break;
  default:
    break;
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
  case 0x0b:
    read_port(id, 0, rs1);
    break;
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

static void compare_fpu(struct id_insn *id, unsigned index, uint32_t reg) {
  id->fpu_reg[index] = (uint8_t)reg;
  id->fpu_compared |= (uint8_t)(1 << index);
}

// What is compared with float operations in flight: rule fpu-fields. Words that expand to nothing
// read x0 three times.
static void fpu_short(struct id_insn *id, uint32_t w) {
  bool reads = (id->compared & 1) != 0, stores = (id->compared & 2) && !id->alu_we;
  compare_fpu(id, 0, reads ? id->reg[0] : 0);
  if (!reads && !id->alu_we)
    compare_fpu(id, 1, 0);
  else if ((id->compared & 2) && !stores)
    compare_fpu(id, 1, w >> 2 & 31);
  compare_fpu(id, 2, stores ? id->reg[1] : 0);
}

static void fpu_long(struct id_insn *id, uint32_t w) {
  uint32_t opcode = w & 0x7f, a = w >> 15 & 31, b = w >> 20 & 31;
  bool jump = opcode == 0x67, branch = opcode == 0x63, store = opcode == 0x23;
  bool immediate = jump || store || opcode == 0x13 || opcode == 0x03 || id->csr_access;
  if (!(id->csr_access && (w >> 14 & 1)))
    compare_fpu(id, 0, id->compared & 1 ? id->reg[0] : a);
  if (!immediate)
    compare_fpu(id, 1, id->compared & 2 ? id->reg[1] : b);
  if (store)
    compare_fpu(id, 2, b);
  else if (!jump && !branch)
    compare_fpu(id, 2, id->compared & 4 ? id->reg[2] : 0);
}

void id_illegal_fill(struct id_insn *id, uint32_t word, const struct id_config *cfg) {
  switch (word & 3) {
  case 0:
    quadrant0(id, word & 0xffff, cfg);
    break;
  case 1:
    quadrant1(id, word & 0xffff, cfg);
    break;
  case 2:
    quadrant2(id, word & 0xffff, cfg);
    break;
  default:
    base(id, word, cfg);
    break;
  }
  if ((word & 3) == 3)
    fpu_long(id, word);
  else
    fpu_short(id, word);
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
