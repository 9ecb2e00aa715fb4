// sim/core/lsu.h: the load-store unit: requests, grants and responses of one core's data port.
//
// An access that crosses a word takes two requests; the first leaves the instruction in EX.
// CV32E40P counts responses to come and has at most two; RI5CY asks for the next access only
// in the cycle in which the last one's response comes.
//
// Facts: cv32e40p_load_store_unit.sv (6033d2b), riscv_load_store_unit.sv (RI5CY, 2019).
#ifndef PULPSIM_LSU_H
#define PULPSIM_LSU_H

#include "core/core.h"

enum { LSU_OUTSTANDING = 2 };

struct lsu {
  enum core_model model;
  MEMBERS(lsu_state, state, {
    bool stalled;        // RI5CY: the access in EX has been granted, and EX has not moved on
    uint8_t outstanding; // responses to come
  });
  cycle_t due[LSU_OUTSTANDING]; // when they come, oldest first; CYCLE_NEVER: not known

  // Of this cycle.
  bool responds;
  bool request; // on the bus
  bool granted;
  bool ready_ex; // EX may move on
  bool ready_wb; // WB is free for what is in EX
};

// First half of a cycle: is there a response, is there a request? `wants`: EX holds an access.
void lsu_request(struct lsu *l, bool wants, cycle_t now);

// A request was granted in this cycle; its response comes at `valid`, or behind those before it:
// that cycle is returned.
cycle_t lsu_grant(struct lsu *l, cycle_t valid);

// Once the grant is known: ready_ex.
void lsu_find_ready(struct lsu *l, bool wants);

void lsu_edge(struct lsu *l, bool ex_valid);

// Of a word that has been read, what an access to so many bytes sees.
static inline uint32_t lsu_low_bytes(uint32_t value, unsigned bytes) {
  return bytes < 4 ? value & ((UINT32_C(1) << 8 * bytes) - 1) : value;
}

#endif
