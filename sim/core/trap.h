// sim/core/trap.h: exceptions, and what they do to the machine's CSRs.
#ifndef PULPSIM_TRAP_H
#define PULPSIM_TRAP_H

#include "core/core.h"

// Bits of mstatus.
enum { MSTATUS_MIE = 1 << 3, MSTATUS_MPIE = 1 << 7, MSTATUS_MPP = 3 << 11 };

// mcause values (RISC-V privileged manual, table 3.6).
enum trap { TRAP_ILLEGAL = 2, TRAP_BREAKPOINT = 3, TRAP_ECALL = 11 };

// Where core `c` has its handlers: what mtvec keeps, or, where mtvec is not kept, at the boot
// address, in multiples of 256.
static inline uint32_t trap_base(const struct core *c) {
  return c->boots_at ? *c->boots_at & ~UINT32_C(0xff) : c->csr.mtvec & ~c->mtvec_low;
}

// Core `c` traps at `pc`. Returns where it goes on: at the handler, or if the program has never
// said where that is, behind a host call; so it does behind a request by semihosting. Any other
// trap ends the run there.
uint32_t trap_enter(struct core *c, uint32_t pc, uint32_t cause);

#endif
