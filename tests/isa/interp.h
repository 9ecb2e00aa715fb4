// tests/isa/interp.h: the rows run on a plain struct, one instruction at a time, as the tests'
// own reading of the vocabulary of isa/rows/all.def. Knows nothing of time.
#ifndef PULPSIM_TESTS_INTERP_H
#define PULPSIM_TESTS_INTERP_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/isa.h"

enum interp_event {
  INTERP_NONE,
  INTERP_ECALL,
  INTERP_EBREAK,
  INTERP_MRET,
  INTERP_DRET,
  INTERP_WFI,
  INTERP_ILLEGAL,
  INTERP_BAD_ADDRESS
};

struct interp {
  uint32_t x[64]; // integer registers, then float registers
  uint32_t pc;
  unsigned frm, fflags;
  uint32_t loop_start[2], loop_end[2], loop_count[2]; // written, never obeyed
  uint32_t nn[6];
  uint32_t csr[4096]; // plain storage; fflags, frm and fcsr are above
  uint8_t *memory;    // `size` bytes from address 0
  uint32_t size;
  enum interp_event event; // what the last instruction asked for
};

// Runs `insn` at m->pc and moves m->pc.
void interp_step(struct interp *m, const struct isa_insn *insn);

#endif
