// sim/core/cause.h: every cycle of every core has exactly one cause.
//
// `issue` counts cycles in which an instruction left ID. All others say why none did. The
// causes of a core sum to its cycles, always; pulpsim_stats() asserts it.
#ifndef PULPSIM_CAUSE_H
#define PULPSIM_CAUSE_H

// CAUSE(id, "name", "meaning")
#define CAUSE_LIST(CAUSE)                                                                          \
  CAUSE(ISSUE, "issue", "an instruction left the decode stage")                                    \
  CAUSE(LOAD_USE, "load_use", "waits for the register of the load in front")                       \
  CAUSE(TCDM_CONFLICT, "tcdm_conflict", "an L1 bank granted somebody else")                        \
  CAUSE(L2_WAIT, "l2_wait", "access to L2 or beyond")                                              \
  CAUSE(PERIPH_WAIT, "periph_wait", "access to a peripheral")                                      \
  CAUSE(FETCH, "fetch", "no instruction: cache miss, refill, word-crossing target")                \
  CAUSE(BRANCH, "branch", "taken branch")                                                          \
  CAUSE(JUMP, "jump", "jal, jalr, and the wait of jalr for its register")                          \
  CAUSE(MULTICYCLE, "multicycle", "high product, division")                                        \
  CAUSE(FPU_DEPENDENCY, "fpu_dependency", "float result not ready, or unit not pipelined")         \
  CAUSE(FPU_CONTENTION, "fpu_contention", "a shared float unit served somebody else, write port")  \
  CAUSE(MISALIGNED, "misaligned", "second half of an access that crosses a word")                  \
  CAUSE(CSR, "csr", "serializing CSR access, fence, trap, return")                                 \
  CAUSE(BARRIER, "barrier", "waits for the other cores")                                           \
  CAUSE(DMA_WAIT, "dma_wait", "waits for the DMA")                                                 \
  CAUSE(SLEEP, "sleep", "asleep, waiting for any other event")                                     \
  CAUSE(IDLE, "idle", "not started, or halted")

enum cause {
#define CAUSE(id, name, meaning) CAUSE_##id,
  CAUSE_LIST(CAUSE)
#undef CAUSE
      CAUSE_COUNT
};

extern const char *const cause_names[CAUSE_COUNT];
extern const char *const cause_meanings[CAUSE_COUNT];

#endif
