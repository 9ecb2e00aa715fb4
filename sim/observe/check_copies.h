// sim/observe/check_copies.h: which registers hold what was loaded from memory that nobody wrote.
// To store or to move it elsewhere, as copies of structures do, is no use of it: then nobody has
// written that memory either. Nor is it to look at other bytes of the register, as at a member
// beside padding that is passed in it.
#ifndef PULPSIM_CHECK_COPIES_H
#define PULPSIM_CHECK_COPIES_H

#include "sim/pulpsim.h"

enum { CHECK_CORES = 17, CHECK_REGISTERS = 64 };

// The load; its cycle is 0: the register holds something else.
struct check_load {
  uint64_t cycle;
  uint32_t pc, address;
  uint8_t unwritten; // bytes of the register, of which bit 0 is the lowest
};

struct check_copies {
  struct check_load of[CHECK_CORES][CHECK_REGISTERS];
};

// What of that the instruction uses, which is taken from its register; false: nothing more. Call it
// until then, and check_copies_end() behind its access.
bool check_copies_used(struct check_copies *copies, const struct pulpsim_insn_event *e,
                       struct check_load *used);

// The bytes of the word at a store's address that it copies so.
uint8_t check_copies_stored(const struct check_copies *copies, const struct pulpsim_insn_event *e);

// The instruction's results are there; `unwritten`: bytes of what it loaded that nobody wrote.
void check_copies_end(struct check_copies *copies, const struct pulpsim_insn_event *e,
                      uint8_t unwritten);

#endif
