// isa/encode.c: from operands to a word.
#include "isa/tables.h"

// The slots of `insn` as the steps know them. False if a register is in the wrong file.
static bool slots_of(const struct isa_insn *insn, int32_t value[SLOT_COUNT]) {
  static const uint16_t fp_bits[] = {ISA_RD_FP, ISA_RS1_FP, ISA_RS2_FP, ISA_RS3_FP};
  const uint8_t regs[] = {insn->rd, insn->rs1, insn->rs2, insn->rs3};
  uint16_t uses = isa_encs[insn->enc].uses;
  for (int slot = SLOT_RD; slot <= SLOT_RS3; slot++) {
    bool fp = regs[slot] >= 32;
    if (regs[slot] >= 64 || (fp && (uses & fp_bits[slot]) == 0))
      return false;
    value[slot] = regs[slot] & 31;
  }
  value[SLOT_IMM] = insn->imm;
  value[SLOT_IMM2] = insn->imm2;
  return true;
}

static bool is_prime(unsigned enc, unsigned slot) {
  for (unsigned i = isa_first_step[enc]; i < isa_first_step[enc + 1]; i++)
    if (isa_steps[i].kind == STEP_PRIME && isa_steps[i].slot == slot)
      return true;
  return false;
}

bool isa_encode(const struct isa_insn *insn, uint32_t *word) {
  int32_t value[SLOT_COUNT], back[SLOT_COUNT];
  if (insn->enc >= isa_enc_count || !slots_of(insn, value))
    return false;
  unsigned enc = insn->enc;
  uint32_t result = isa_encs[enc].match;
  for (unsigned i = isa_first_step[enc]; i < isa_first_step[enc + 1]; i++) {
    const struct isa_step *s = &isa_steps[i];
    if (s->kind != STEP_FIELD)
      continue;
    uint32_t v = (uint32_t)value[s->slot] - (is_prime(enc, s->slot) ? 8 : 0);
    result |= (v >> s->c & (uint32_t)((UINT64_C(1) << s->b) - 1)) << s->a;
  }
  // Whatever does not fit shows when the word is taken apart again.
  if (!isa_take_apart(enc, result, back))
    return false;
  for (int slot = 0; slot < SLOT_COUNT; slot++)
    if (back[slot] != value[slot])
      return false;
  *word = result;
  return true;
}
