// Words that no assembler emits and RI5CY executes all the same, because its decoder does not look
// at every field: as another instruction.
//
// Facts: riscv_decoder.sv, riscv_alu.sv, riscv_mult.sv (RI5CY, November 2019), and which words that
// decoder takes, under Verilator.
#include "core/id_insn.h"

enum { OP = 0x33, OP_FP = 0x53, OP_VECTOR = 0x57, FMADD = 0x43, LOAD_FP = 0x07, STORE_FP = 0x27 };
enum { RETURNS = 0x8002, JUMPS_TO_0 = 0x67, LW_TO_0_BY_SP = 0x12003, URET = 0x200073, NOP = 0x13 };
enum { RD_RS1 = 31 << 15 | 31 << 7 };
enum { FUNCT3 = 7 << 12, SCALAR = 6, BYTES = 1 }; // of vectors: with an immediate; of four bytes
enum { LOW_BIT = 1 << 25 }; // of a vector's immediate, whose others are in rs2

static const uint32_t rs2_field = UINT32_C(31) << 20;

static uint32_t with_funct3(uint32_t w, unsigned funct3) {
  return (w & ~(uint32_t)FUNCT3) | funct3 << 12;
}

static uint32_t with_funct6(uint32_t w, uint32_t funct6) {
  return (w & (UINT32_MAX >> 6)) | funct6 << 26;
}

static uint32_t read_op(uint32_t w) {
  unsigned funct3 = w >> 12 & 7, funct7 = w >> 25;
  if (funct7 == 0x08 && funct3 >= 6 && (w & 1 << 20)) // of byte 2
    return with_funct6((w & RD_RS1) | 1 << 20 | 7 << 12 | OP_VECTOR, funct3 == 6 ? 0x1e : 0x24);
  if (funct7 == 0x08 && funct3 >= 4) // sign and zero extensions
    return w & ~rs2_field;
  if (funct7 >> 5 == 3 && funct3 == 5) // p.bitrev: the radix has two bits
    return w & ~(UINT32_C(7) << 27);
  return w;
}

// Lanes are chosen by an immediate, whatever the mode says.
static uint32_t read_lane(uint32_t w) {
  unsigned bytes = w >> 12 & BYTES;
  uint32_t lane = w & (bytes ? (uint32_t)LOW_BIT | 1 << 20 : (uint32_t)LOW_BIT);
  return with_funct3((w & ~rs2_field & ~(uint32_t)LOW_BIT) | lane, SCALAR | bytes);
}

static uint32_t read_vector(uint32_t w) {
  enum { SUB = 0x02, ADD_DIV = 0x1d, SUB_DIV = 0x19, MULTIPLY = 0x15, CONJUGATE = 0x17 };
  enum { EXTRACT = 0x1e, EXTRACTU = 0x24, INSERT = 0x2c, SDOTSP = 0x2e };
  enum { SHUFFLE = 0x30, SHUFFLE2 = 0x32, PACK = 0x34, PACKHI = 0x36, PACKLO = 0x38 };
  enum { SHUFFLE_1 = 0x3a, SHUFFLE_2 = 0x3c, SHUFFLE_3 = 0x3e };
  unsigned funct3 = w >> 12 & 7, bytes = funct3 & BYTES;
  uint32_t high = w & ~(uint32_t)LOW_BIT;
  switch (w >> 26) {
  case EXTRACT:
  case EXTRACTU:
  case INSERT:
    return read_lane(w);
  case SHUFFLE_1:
  case SHUFFLE_2:
  case SHUFFLE_3:
    if (funct3 == SCALAR)
      return with_funct6(w, SHUFFLE);
    return funct3 < SCALAR ? with_funct3(with_funct6(high, SHUFFLE), bytes) : w;
  case SHUFFLE:
  case SHUFFLE2:
    return funct3 < SCALAR ? with_funct3(high, bytes) : w;
  case PACK:
    return funct3 == 2 || (funct3 == 4 && !(w & LOW_BIT)) ? with_funct3(w, 0) : w;
  case PACKHI:
  case PACKLO:
    return bytes && funct3 < SCALAR ? with_funct3(high, BYTES) : w;
  case MULTIPLY: // of bytes: the multiplier does another thing
    return bytes ? with_funct3(with_funct6(high, SDOTSP), BYTES) : w;
  case CONJUGATE:
    return bytes || (w & rs2_field) ? w : with_funct3(w, 0);
  case ADD_DIV: // by 1
    return funct3 <= BYTES ? with_funct6(high, 0) : w;
  case SUB_DIV:
    return funct3 <= BYTES ? with_funct6(high, SUB) : w;
  default:
    return w;
  }
}

// Products that expand, of whatever format, where the unit has only binary32; a conversion to what
// it is, as a minimum of it and itself; moves between files, where there is one.
static uint32_t read_float(uint32_t w) {
  enum { FMUL = 0x02, FSGNJ = 0x04, FMIN = 0x05, FMULEX = 0x09, FMACEX = 0x0a };
  enum { CONVERT = 0x20 << 5, MOVE_TO_X = 0x70 << 5, MOVE_FROM_X = 0x78 << 5 }; // and rs2
  uint32_t operands = w & (UINT32_C(0x1ffffff) & ~UINT32_C(0x7f));
  uint32_t twice = (w & RD_RS1) | (w >> 15 & 31) << 20 | OP_FP;
  unsigned rm = w >> 12 & 7;
  if (w >> 20 == CONVERT && rm != 5 && rm != 6)
    return twice | (uint32_t)FMIN << 27;
  if ((w >> 20 == MOVE_TO_X || w >> 20 == MOVE_FROM_X) && rm == 0)
    return twice | (uint32_t)FSGNJ << 27;
  if (w >> 27 == FMULEX)
    return (uint32_t)FMUL << 27 | operands | OP_FP;
  return w >> 27 == FMACEX ? (w >> 7 & 31) << 27 | operands | FMADD : w;
}

// c.flw, c.flwsp, c.fsw and c.fswsp access integer registers, where there are no others.
static uint32_t read_short(uint32_t w) {
  enum { FLOAT = 3 << 13, FLWSP_TO_0 = 0x6002 };
  if ((w & 0xef83) == FLWSP_TO_0) // c.lwsp has another register
    return ((w >> 4 & 7) << 2 | (w >> 12 & 1) << 5 | (w >> 2 & 3) << 6) << 20 | LW_TO_0_BY_SP;
  return (w & 1) == 0 && (w & FLOAT) == FLOAT ? w & ~UINT32_C(0x2000) : w;
}

uint32_t id_ri5cy_reads_as(uint32_t word, bool floats) {
  if (word == RETURNS || word == URET) // the latter without PULP_SECURE
    return word == URET ? NOP : JUMPS_TO_0;
  if ((word & 3) != 3)
    return floats ? read_short(word) : word;
  switch (word & 0x7f) {
  case LOAD_FP: // and flw, fsw
  case STORE_FP:
    return floats && (word >> 12 & 7) == 2 ? word & ~UINT32_C(4) : word;
  case OP:
    return read_op(word);
  case OP_FP:
    return read_float(word);
  case OP_VECTOR:
    return read_vector(word);
  default:
    return word;
  }
}
