// isa/tables.h: the generated tables behind isa.h, for the files of isa/ alone.
#ifndef PULPSIM_ISA_TABLES_H
#define PULPSIM_ISA_TABLES_H

#include "isa/isa.h"

// Operand slots of an instruction while it is taken apart or put together.
enum isa_slot { SLOT_RD, SLOT_RS1, SLOT_RS2, SLOT_RS3, SLOT_IMM, SLOT_IMM2, SLOT_COUNT };

// Taking a word apart is a list of steps, in this order. Putting it together runs the
// FIELD steps backwards and checks by taking the result apart again.
enum isa_step_kind {
  STEP_FIELD, // value[slot] |= word[a + b - 1 : a] << c
  STEP_SIGN,  // value[slot] is sign-extended from bit a
  STEP_PRIME, // value[slot] += 8: three-bit register field
  STEP_SET,   // value[slot] = a
  STEP_TIE,   // value[slot] = value[a]
  STEP_NOT,   // the word does not decode if value[slot] == a
  STEP_RM     // the word does not decode if value[slot] is no rounding mode
};

struct isa_step {
  uint8_t kind, slot;
  int8_t a, b, c;
};

// Steps of encoding e: isa_steps[isa_first_step[e]] up to isa_first_step[e + 1].
extern const struct isa_step isa_steps[];
extern const uint16_t isa_first_step[];

// Runs the steps of encoding `enc` on `word`. Returns false if a constraint is broken.
bool isa_take_apart(uint32_t enc, uint32_t word, int32_t value[SLOT_COUNT]);

#endif
