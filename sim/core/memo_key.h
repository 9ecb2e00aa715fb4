// sim/core/memo_key.h: the state of a pipeline's control in a few bytes.
//
// All that the next cycles depend on, but for what comes from outside and for the values of
// registers and accesses. Times are in cycles behind the last clock edge, 0: not ahead.
#ifndef PULPSIM_MEMO_KEY_H
#define PULPSIM_MEMO_KEY_H

#include "core/fpu_dispatch.h"
#include "core/lsu.h"
#include "core/prefetch_ri5cy.h"

struct pipeline;

struct memo_key {
  struct {
    uint32_t address, word;
  } fifo[FETCH_FIFO_DEPTH];
  uint32_t fetch_address;
  uint32_t id_pc, id_word;
  uint32_t ex_pc, ex_word; // of an access or a float operation
  uint32_t target;         // of a branch that is taken in EX; of the boot
  uint16_t unit_ready, data_due[LSU_OUTSTANDING], float_due[FPU_IN_FLIGHT];
  uint8_t fifo_valid, fifo_loop; // bit per entry
  uint8_t fetch_bus, fetch_loop;
  uint8_t id_flags, ex_flags, fpu_flags, flags;
  uint8_t loop_decrement, loop_decrement_if;
  uint8_t ex_load_rd, ex_alu_rd, wb_load_rd;
  uint8_t lsu_state, outstanding;
  uint8_t fpu_inflight, fpu_waiting, fpu_type, float_due_count;
  uint8_t refill, refill_cause, last_cause, quiet;
  uint8_t ctrl;          // enum controller_state
  uint8_t unaccounted;   // cycles to come that are not accounted for
  uint8_t float_latency; // of a division or square root in EX
};
_Static_assert(sizeof(struct memo_key) == 96, "compared as bytes: nothing in between");

// Whether the state behind the edge of cycle `now` is one that a key holds, and from which the
// inputs that pipeline_memo.h names are all that decides.
bool memo_key_exists(const struct pipeline *p, cycle_t now);

void memo_key_pack(struct memo_key *k, const struct pipeline *p, cycle_t now);

// `id`, `ex`: the instructions there (`ex` if it matters, else NULL).
void memo_key_unpack(const struct memo_key *k, const struct id_insn *id, const struct id_insn *ex,
                     struct pipeline *p, cycle_t now);

// All that a key is to hold of `p` becomes what it never is; values of registers and of accesses
// stay. For checks.
void memo_key_scramble(struct pipeline *p);

uint32_t memo_key_hash(const struct memo_key *k);

#endif
