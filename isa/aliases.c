// isa/aliases.c: the assembler's other names for common forms, as objdump prints them by default.
//
// The RISC-V Instruction Set Manual vol. I 20191213, tables 25.2 and 25.3.
#include <stdio.h>

#include "isa/isa.h"
#include "isa_ops.h"

// What an operand must be for the alias to stand; -1: anything.
enum { ANY = -1, SAME = -2 }; // SAME: rs2 is rs1

struct alias {
  uint16_t op;
  int8_t rd, rs1, rs2;
  int32_t imm; // ANY_IMM: anything
  const char *name, *syntax;
};
#define ANY_IMM INT32_MIN

static const struct alias aliases[] = {
    {ISA_OP_addi, 0, 0, ANY, 0, "nop", ""},
    {ISA_OP_addi, ANY, 0, ANY, ANY_IMM, "li", "rd,imm"},
    {ISA_OP_addi, ANY, ANY, ANY, 0, "mv", "rd,rs1"},
    {ISA_OP_add, ANY, 0, ANY, ANY_IMM, "mv", "rd,rs2"}, // c.mv
    {ISA_OP_xori, ANY, ANY, ANY, -1, "not", "rd,rs1"},
    {ISA_OP_sub, ANY, 0, ANY, ANY_IMM, "neg", "rd,rs2"},
    {ISA_OP_sltiu, ANY, ANY, ANY, 1, "seqz", "rd,rs1"},
    {ISA_OP_sltu, ANY, 0, ANY, ANY_IMM, "snez", "rd,rs2"},
    {ISA_OP_slt, ANY, ANY, 0, ANY_IMM, "sltz", "rd,rs1"},
    {ISA_OP_slt, ANY, 0, ANY, ANY_IMM, "sgtz", "rd,rs2"},
    {ISA_OP_beq, ANY, ANY, 0, ANY_IMM, "beqz", "rs1,target"},
    {ISA_OP_bne, ANY, ANY, 0, ANY_IMM, "bnez", "rs1,target"},
    {ISA_OP_bge, ANY, 0, ANY, ANY_IMM, "blez", "rs2,target"},
    {ISA_OP_bge, ANY, ANY, 0, ANY_IMM, "bgez", "rs1,target"},
    {ISA_OP_blt, ANY, ANY, 0, ANY_IMM, "bltz", "rs1,target"},
    {ISA_OP_blt, ANY, 0, ANY, ANY_IMM, "bgtz", "rs2,target"},
    {ISA_OP_jal, 0, ANY, ANY, ANY_IMM, "j", "target"},
    {ISA_OP_jal, 1, ANY, ANY, ANY_IMM, "jal", "target"},
    {ISA_OP_jalr, 0, 1, ANY, 0, "ret", ""},
    {ISA_OP_jalr, 0, ANY, ANY, 0, "jr", "rs1"},
    {ISA_OP_jalr, 1, ANY, ANY, 0, "jalr", "rs1"},
    {ISA_OP_jalr, 0, ANY, ANY, ANY_IMM, "jr", "imm(rs1)"},
    {ISA_OP_jalr, 1, ANY, ANY, ANY_IMM, "jalr", "imm(rs1)"},
    {ISA_OP_csrrs, ANY, 0, ANY, ANY_IMM, "csrr", "rd,csr"},
    {ISA_OP_csrrw, 0, ANY, ANY, ANY_IMM, "csrw", "csr,rs1"},
    {ISA_OP_csrrs, 0, ANY, ANY, ANY_IMM, "csrs", "csr,rs1"},
    {ISA_OP_csrrc, 0, ANY, ANY, ANY_IMM, "csrc", "csr,rs1"},
    {ISA_OP_csrrwi, 0, ANY, ANY, ANY_IMM, "csrw", "csr,imm2"},
    {ISA_OP_csrrsi, 0, ANY, ANY, ANY_IMM, "csrs", "csr,imm2"},
    {ISA_OP_csrrci, 0, ANY, ANY, ANY_IMM, "csrc", "csr,imm2"},
    {ISA_OP_fence, ANY, ANY, ANY, 0xff, "fence", ""},
    {ISA_OP_fsgnj_s, ANY, ANY, SAME, ANY_IMM, "fmv.s", "frd,frs1"},
    {ISA_OP_fsgnjx_s, ANY, ANY, SAME, ANY_IMM, "fabs.s", "frd,frs1"},
    {ISA_OP_fsgnjn_s, ANY, ANY, SAME, ANY_IMM, "fneg.s", "frd,frs1"},
};

static bool stands_for(const struct alias *a, const struct isa_insn *insn) {
  if (a->op != insn->op || (a->imm != ANY_IMM && a->imm != insn->imm))
    return false;
  if ((a->rd != ANY && a->rd != insn->rd) || (a->rs1 != ANY && a->rs1 != insn->rs1))
    return false;
  return a->rs2 == ANY || (a->rs2 == SAME ? insn->rs2 == insn->rs1 : insn->rs2 == a->rs2);
}

// The four-byte encoding of what a compressed instruction does.
static const struct isa_enc_info *full_size(const struct isa_insn *insn) {
  const struct isa_enc_info *e = &isa_encs[insn->enc];
  for (size_t i = 0; e->size == 2 && i < isa_enc_count; i++)
    if (isa_encs[i].op == insn->op && isa_encs[i].size == 4 && !isa_encs[i].alias)
      return &isa_encs[i];
  return e;
}

int isa_disassemble_alias(const struct isa_insn *insn, uint32_t pc, char *buf, size_t size) {
  const struct isa_enc_info *e = full_size(insn);
  const char *name = e->mnemonic, *syntax = e->syntax;
  for (size_t i = 0; i < sizeof aliases / sizeof aliases[0]; i++) {
    if (!stands_for(&aliases[i], insn))
      continue;
    name = aliases[i].name;
    syntax = aliases[i].syntax;
    break;
  }
  return isa_print(insn, name, syntax, pc, buf, size);
}
