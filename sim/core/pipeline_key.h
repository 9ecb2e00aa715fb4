// sim/core/pipeline_key.h: the state of a pipeline's control in a few bytes.
//
// All that the next cycles depend on, but for what comes from outside and for the values of
// registers and accesses. Times are in cycles behind the last clock edge, 0: not ahead.
#ifndef PULPSIM_PIPELINE_KEY_H
#define PULPSIM_PIPELINE_KEY_H

#include "core/pipeline.h"

struct pipeline_key {
  union {
    struct prefetch_state cv;
    struct prefetch_ri5cy_state ri;
  } fetch;
  struct id_state id;
  uint32_t ex_pc, ex_word; // of an access or a float operation
  uint32_t target;         // of a branch that is taken in EX; of the boot
  uint16_t unit_ready, data_due[LSU_OUTSTANDING], float_due[FPU_IN_FLIGHT];
  struct pipeline_state state;
  struct controller_held ctrl;
  struct ex_state ex;
  struct wb_stage wb;
  struct fpu_state fpu;
  struct lsu_state lsu;
  uint8_t refill;
  uint8_t unused;
};
_Static_assert(sizeof(struct pipeline_key) == 128, "compared as bytes: nothing in between");

// Whether the state behind the edge of cycle `now` is one that a key holds, and from which the
// inputs that pipeline_memo.h names are all that decides.
bool pipeline_key_exists(const struct pipeline *p, cycle_t now);

void pipeline_key_pack(struct pipeline_key *k, const struct pipeline *p, cycle_t now);

// `id`, `ex`: the instructions there (`ex` if it matters, else NULL).
void pipeline_key_unpack(const struct pipeline_key *k, const struct id_insn *id,
                         const struct id_insn *ex, struct pipeline *p, cycle_t now);

// All that a key is to hold of `p` becomes what it never is; values of registers and of accesses
// stay. For checks.
void pipeline_key_scramble(struct pipeline *p);

uint32_t pipeline_key_hash(const struct pipeline_key *k);

#endif
