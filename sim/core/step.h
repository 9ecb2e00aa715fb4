// sim/core/step.h: what one instruction does, for whoever decides when it does it.
//
// The cycle-by-cycle pipeline model drives instructions through these two calls. The same
// row bodies as in the fast engine stand behind them.
#ifndef PULPSIM_STEP_H
#define PULPSIM_STEP_H

#include "core/core.h"

enum step_kind {
  STEP_DONE,   // executed
  STEP_MEMORY, // `mem` describes the access; call step_complete() when it is granted
  STEP_TRAP,   // ecall, ebreak, illegal CSR: nothing was written
};

struct step_outcome {
  uint8_t kind;
  bool taken;        // branch taken, or jump
  uint32_t target;   // of a taken branch or jump, or of mret/dret
  struct access mem; // address and size as computed: may cross a word
};

// Executes `insn` at `pc` as it leaves ID, except that a memory access is only described.
void step_issue(struct core *c, const struct isa_insn *insn, uint32_t pc, struct step_outcome *out);

// step_issue() without the check of `core.strict` for hardware loops; `out` says STEP_DONE, not
// taken.
typedef void step_fn(struct core *c, const struct isa_insn *insn, uint32_t pc,
                     struct step_outcome *out);
step_fn *step_function(const struct isa_insn *insn);

// Finishes a memory instruction. `rdata` is the loaded value, right-aligned (ignored for stores).
void step_complete(struct core *c, const struct isa_insn *insn, uint32_t pc, uint32_t rdata);

// Something that core.ahead.context numbers may have changed.
void step_update_context(struct core *c);

// Write a register of a hardware loop.
static inline void step_loop_start(struct core *c, unsigned loop, uint32_t address) {
  c->loop_unaligned = c->corev && (address & 3);
  c->loop[loop].start = c->corev ? address & ~UINT32_C(3) : address;
  if (c->model == CORE_CV32E40P)
    step_update_context(c);
}

static inline void step_loop_end(struct core *c, unsigned loop, uint32_t address) {
  c->loop_unaligned |= c->corev && (address & 3);
  c->loop[loop].last = c->corev ? (address & ~UINT32_C(3)) - 4 : address;
  step_update_context(c);
}

static inline void step_loop_count(struct core *c, unsigned loop, uint32_t count) {
  c->loop[loop].count = count;
}

// Which rule the loops break now that the instruction at `pc` has written registers of loop `loop`,
// as half a sentence; NULL: none (loop_rules.c).
const char *loop_misuse(struct core *c, unsigned loop, uint32_t pc);

// The hint `slti x0, x<id>, 1` begins region <id>, `..., 2` ends it (kernels/rt/rt.h).
bool step_marks_region(const struct isa_insn *insn);

#endif
