// sim/core/id_insn.h: an instruction as the decode stage (ID) sees it: ports, units, control.
//
// Nothing here depends on register values or on time. Which ports the decoder *says* an instruction
// reads is not always what it reads: fields that are no operand are compared all the same, and
// cost stalls that no manual mentions (see docs/timing-rules.md, "Ports").
//
// Facts: cv32e40p_decoder.sv and cv32e40p_id_stage.sv (6033d2b); riscv_decoder.sv and
// riscv_id_stage.sv (RI5CY, November 2019).
#ifndef PULPSIM_ID_INSN_H
#define PULPSIM_ID_INSN_H

#include "core/core.h"

// Sets of registers, a bit each: 0..31 integer, 32..63 float.
static inline uint64_t reg_bit(unsigned reg) {
  return UINT64_C(1) << reg;
}

// How the controller treats an instruction.
enum id_kind {
  ID_PLAIN,
  ID_JAL,
  ID_JALR,
  ID_BRANCH,
  ID_CSR,      // access without side effect on the pipeline
  ID_CSR_SLOW, // waits until the pipeline is empty
  ID_FENCE,    // empties the pipeline and fetches anew
  ID_ECALL,
  ID_EBREAK,
  ID_MRET,
  ID_DRET,
  ID_WFI,
  ID_HWLOOP,
  ID_ELW, // event load
  ID_ILLEGAL,
};

// Empties the pipeline, and traps.
static inline bool id_traps(enum id_kind kind) {
  return kind == ID_ILLEGAL || kind == ID_ECALL || kind == ID_EBREAK;
}

// Empties the pipeline, too, and goes on.
static inline bool id_serializes(enum id_kind kind) {
  return kind == ID_FENCE || kind == ID_MRET || kind == ID_DRET || kind == ID_WFI;
}

enum id_unit { ID_ALU, ID_MULT, ID_MULH, ID_DIV, ID_LSU, ID_FPU };

enum fpu_divider {
  FPU_DIVIDER_E906, // cvfpu with CV32E40P
  FPU_DIVIDER_MVP,  // FPnew 0.6 with RI5CY
  FPU_DIVIDER_NONE, // neither division nor square root
};

struct id_config {
  enum core_model model;
  bool fpu; // float instructions exist
  bool zfinx;
  bool wfi_sleeps;        // outside a cluster; in a cluster wfi does nothing on CV32E40P
  uint8_t addmul_latency; // pipeline registers in the FPU's operation groups
  uint8_t others_latency;
  enum fpu_divider divider;
};

struct id_insn {
  struct isa_insn insn;
  uint64_t compared;     // registers that the load and jump interlocks compare ...
  uint64_t fpu_compared; // ... and the FPU interlock
  uint8_t kind;          // enum id_kind
  uint8_t unit;          // enum id_unit
  bool load_we;          // writes `load_rd` through the load port
  bool alu_we;           // writes `alu_rd` through the ALU port
  uint8_t load_rd, alu_rd;
  uint8_t fpu_rd;      // destination of a float operation
  uint8_t fpu_type;    // dispatcher's latency type: 1, 2, 3 (2 pipeline registers or more)
  uint8_t fpu_latency; // cycles from request to result; a division or root: by operand
  bool fpu_divides;    // or takes a root
  bool csr_access;
  bool is_signed; // division
  bool csr_writes;
  bool hides_b; // rs2 is read, and no float operation's destination compared with it
};

// Fills `id` from `word`, as the instruction decoder says.
void id_insn_fill(struct id_insn *id, uint32_t word, const struct isa_decoder *decoder,
                  const struct id_config *cfg);

// The same for words that are no instruction (id_illegal.c).
void id_illegal_fill(struct id_insn *id, uint32_t word, const struct id_config *cfg);
// RI5CY traps on compressed words that the manual calls hints.
bool id_ri5cy_refuses(uint32_t word);
// A word that means to RI5CY what `word` does, which is none of its instruction sets; or `word`
// (ri5cy_words.c). `floats`: there are float units.
uint32_t id_ri5cy_reads_as(uint32_t word, bool floats);

#endif
