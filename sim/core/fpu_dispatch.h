// sim/core/fpu_dispatch.h: the core's side of the float unit: what is in flight, who waits.
//
// The dispatcher remembers up to two operations whose results have not come. Results come in
// order. Operations with no pipeline register return in the cycle of their request and are
// written through the ALU port, those with one through the load port, all others through
// the ALU port again, when it is free.
//
// Facts: cv32e40p_apu_disp.sv, cv32e40p_ex_stage.sv, cv32e40p_fp_wrapper.sv (6033d2b);
// riscv_apu_disp.sv, riscv_ex_stage.sv (RI5CY, November 2019).
#ifndef PULPSIM_FPU_DISPATCH_H
#define PULPSIM_FPU_DISPATCH_H

#include "core/id_insn.h"

enum { FPU_IN_FLIGHT = 4, FPU_RESULTS = 2 };

struct fpu_dispatch {
  MEMBERS(fpu_state, state, {
    uint8_t count;           // operations without result ...
    uint8_t rd[FPU_RESULTS]; // ... and their destinations, oldest first
    bool type3;              // the last request was of this latency type
    bool kept;               // a result waits for the ALU write port
    uint8_t due_count;
  });
  cycle_t due[FPU_IN_FLIGHT]; // when results come, oldest first

  // Of this cycle.
  bool request;  // an operation goes to the unit ...
  bool stalls;   // ... or cannot: one of a type that may not overtake, or no room
  bool result;   // a result is written back
  bool comes;    // a result comes from the unit, written back or kept
  bool alu_port; // ... through the ALU port (else the load port)
  uint8_t result_rd;
};

// What EX holds and what keeps the ALU port busy in this cycle.
struct fpu_cycle {
  bool enable; // EX holds a float operation
  uint8_t type, rd;
  unsigned latency;  // cycles to its result
  bool granted;      // by the unit
  bool port_blocked; // a result of type 3 may not use the ALU port now
};

// Whether what is in flight stands in the way of a request, if `enable`, of an operation.
bool fpu_dispatch_waits(const struct fpu_dispatch *d, bool enable, unsigned type);

void fpu_dispatch_cycle(struct fpu_dispatch *d, const struct fpu_cycle *in, cycle_t now);

// The destinations of operations without result; `rd_request` of the one that is requested, if any.
uint64_t fpu_dispatch_pending(const struct fpu_dispatch *d, unsigned rd_request);

// The same with those whose results come in this cycle; `rd_ex` of the operation in EX, if
// `enable`.
uint64_t fpu_dispatch_pending_still(const struct fpu_dispatch *d, bool enable, unsigned rd_ex);

void fpu_dispatch_edge(struct fpu_dispatch *d, const struct fpu_cycle *in, cycle_t now);

enum fpu_format { FPU_BINARY32, FPU_BINARY16, FPU_BFLOAT16 };

// Cycles from the grant of a division or square root to its result, by operands. The divider of the
// E906 has only binary32, and takes others for that.
unsigned fpu_divsqrt_latency(enum fpu_divider divider, enum fpu_format format, bool sqrt,
                             uint32_t a, uint32_t b);

// Rule subnormal-divisor: the divisor is shifted up first, in a cycle before the grant.
bool fpu_division_prepares(enum fpu_divider divider, uint32_t a, uint32_t b);

#endif
