// sim/semihosting.h: requests to the host by Arm's and RISC-V's semihosting, which picolibc's
// libsemihost and others use: three instructions, of which the middle one traps.
//
// Sources: RISC-V Semihosting (version 0.4), section 2; Semihosting for AArch32 and AArch64 (Arm),
// "Semihosting operations". Which of them are answered: docs/memory-map.md.
#ifndef PULPSIM_SEMIHOSTING_H
#define PULPSIM_SEMIHOSTING_H

#include "sim/machine.h"

// Whether the ebreak at `pc` is one of these.
bool semihosting_is_at(const struct pulpsim *sim, uint32_t pc);

// What struct core_host says of `breakpoint`; `self` is the machine.
enum core_breakpoint semihosting_breakpoint(void *self, struct core *c, uint32_t pc, cycle_t now);

#endif
