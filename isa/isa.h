// isa/isa.h: what every instruction is. Decode, encode, disassemble, look up.
//
// The rows in isa/rows/*.def are the only description of an instruction; this
// header and the tables behind it are made from them. Nothing here knows of time
// or of a machine: `sim/` includes this header, never the other way round.
//
// Sources: The RISC-V Instruction Set Manual vol. I 20191213; CV32E40P user manual
// v1.8 (CORE-V); RI5CY user manual rev. 4 and the assemblers' own output (XpulpV2).
#ifndef PULPSIM_ISA_H
#define PULPSIM_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Instruction sets. An encoding belongs to exactly one; a machine enables a set of
// them (a bit mask), and a word is decoded only by rows of enabled sets.
enum isa_set {
  ISA_RV32I,
  ISA_RV32M,
  ISA_RV32C,
  ISA_RV32F,
  ISA_RV32CF, // c.flw, c.fsw, c.flwsp, c.fswsp
  ISA_ZICSR,
  ISA_ZIFENCEI,
  ISA_PRIV, // mret, wfi, dret
  ISA_XPULPV2,
  ISA_COREV,
  ISA_XF16,    // IEEE binary16 scalar
  ISA_XF16ALT, // bfloat16 scalar
  ISA_XFVEC,   // two-lane vectors of both
  ISA_XPULPNN,
  ISA_SET_COUNT
};
#define ISA_BIT(set) (UINT32_C(1) << (set))

// Timing classes: a name only. Occupancies, latencies and hazards of each class are
// data of the core model (sim/core/id_insn.c; docs/timing.md).
enum isa_class {
  ISA_CLASS_ALU,  // one cycle in EX: integer, SIMD, bit manipulation, mul, mac, dot product
  ISA_CLASS_MULH, // high half of a product
  ISA_CLASS_DIV,  // serial divider: latency by operand
  ISA_CLASS_LOAD,
  ISA_CLASS_STORE,
  ISA_CLASS_BRANCH,
  ISA_CLASS_JAL,
  ISA_CLASS_JALR,
  ISA_CLASS_CSR,
  ISA_CLASS_FENCE,
  ISA_CLASS_SYSTEM, // ecall, ebreak, mret, dret, wfi
  ISA_CLASS_HWLOOP,
  ISA_CLASS_ELW,     // event load: may put the core to sleep
  ISA_CLASS_MACLOAD, // dot product fused with a load
  ISA_CLASS_FP_ADDMUL,
  ISA_CLASS_FP_DIVSQRT,
  ISA_CLASS_FP_NONCOMP, // sign injection, min/max, compare, classify, moves
  ISA_CLASS_FP_CONV,
  ISA_CLASS_FP_DOTP, // vector dot product / multi-format
  ISA_CLASS_FP_LOAD,
  ISA_CLASS_FP_STORE,
  ISA_CLASS_COUNT
};

// Operand slots in use; the *_FP bits say that the slot names a float register
// (which is an x register when floats live in x registers: Zfinx).
enum {
  ISA_USES_RD = 1 << 0,
  ISA_USES_RS1 = 1 << 1,
  ISA_USES_RS2 = 1 << 2,
  ISA_USES_RS3 = 1 << 3,
  ISA_WRITES_RS1 = 1 << 4, // post-increment
  ISA_RD_FP = 1 << 5,
  ISA_RS1_FP = 1 << 6,
  ISA_RS2_FP = 1 << 7,
  ISA_RS3_FP = 1 << 8,
  ISA_USES_IMM = 1 << 9,
  ISA_USES_IMM2 = 1 << 10,
};

// One decoded instruction. `op` is the row (enum isa_op in build/gen/isa_ops.h), `enc`
// the encoding of that row. Register numbers: 0..31 integer, 32..63 float. Unused
// slots are 0.
struct isa_insn {
  uint32_t word; // as fetched; the upper half is 0 when size is 2
  int32_t imm;
  uint16_t op;
  uint16_t enc;
  uint16_t uses; // ISA_USES_* bits
  uint8_t size;  // bytes: 2 or 4
  uint8_t rd, rs1, rs2, rs3;
  uint8_t imm2;
};

// An operation (a row).
struct isa_op_info {
  const char *name;    // id of the row
  uint8_t cls;         // enum isa_class
  uint8_t macs;        // multiply-accumulates performed by one execution
  const char *meaning; // the body, in the vocabulary of isa/rows/all.def
  const char *note;    // a phrase where the body does not say it; "" if there is none
};

// One encoding of an operation.
struct isa_enc_info {
  const char *mnemonic; // as the assembler spells it
  const char *syntax;   // assembler operands
  const char *pattern;  // bit pattern tokens, msb first
  uint32_t mask, match;
  uint16_t op;
  uint16_t uses;
  uint8_t set; // enum isa_set
  uint8_t size;
  bool alias;    // another spelling: assembled, but never decoded or printed
  bool no_zfinx; // does not exist when floats live in x registers
};

extern const struct isa_op_info isa_ops[];
extern const size_t isa_op_count;
extern const struct isa_enc_info isa_encs[];
extern const size_t isa_enc_count;

extern const char *const isa_set_names[ISA_SET_COUNT];
extern const char *const isa_class_names[ISA_CLASS_COUNT];

// A decoder for one combination of sets. `zfinx` maps float operands to x registers.
// Creation builds its look-up tables (well under a millisecond). NULL when out of memory.
struct isa_decoder;
struct isa_decoder *isa_decoder_new(uint32_t sets, bool zfinx);
void isa_decoder_free(struct isa_decoder *dec);

// Decodes `word` (little-endian; for a compressed instruction only the low 16 bits
// count). Returns false for a word that no enabled row accepts; `out` is then undefined.
bool isa_decode(const struct isa_decoder *dec, uint32_t word, struct isa_insn *out);

// The word of `insn` (its enc and operand slots). Returns false, and leaves `word` alone, when an
// operand cannot be represented (range, alignment, register class, constraint).
bool isa_encode(const struct isa_insn *insn, uint32_t *word);

// Text as the real objdump prints it without aliases, e.g. "p.lw a0,4(a1!)". `pc` resolves
// branch targets to absolute addresses. Returns the length as snprintf does.
int isa_disassemble(const struct isa_insn *insn, uint32_t pc, char *buf, size_t size);

// The same with aliases, as objdump prints by default: "li a0,4", "ret"; a compressed instruction
// under the name of what it does.
int isa_disassemble_alias(const struct isa_insn *insn, uint32_t pc, char *buf, size_t size);

// `mnemonic` and the operands of `insn` in the order of `syntax` (isa/rows/all.def).
int isa_print(const struct isa_insn *insn, const char *mnemonic, const char *syntax, uint32_t pc,
              char *buf, size_t size);

// First encoding with that mnemonic at or after index `from`; -1 if none.
int isa_find(const char *mnemonic, int from);

#endif
