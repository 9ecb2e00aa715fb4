// sim/core/csr.h: control and status registers of RI5CY and CV32E40P.
//
// Sources: CV32E40P user manual v1.8, chapter "Control and Status Registers"; RI5CY user manual
// rev. 4, chapter 9; platform numbers of the PULP runtimes.
#ifndef PULPSIM_CSR_H
#define PULPSIM_CSR_H

#include "core/core.h"

// Reads register `number` as seen by the instruction that is in EX in cycle `t`. Returns false
// when the core has no such register.
bool csr_read(struct core *c, uint32_t number, cycle_t t, uint32_t *value);

// What is there and no read-only register.
void csr_write(struct core *c, uint32_t number, uint32_t value, cycle_t t);

// Sets or clears bits. Cleared, a counter of RI5CY or what selects counters has those of the bits
// that were 0 (riscv_cs_registers.sv).
void csr_change(struct core *c, uint32_t number, uint32_t bits, bool clears, cycle_t t);

// Raises float exceptions: FP_NX ... FP_NV.
void csr_raise(struct core *c, unsigned flags);

// Whether register `number` says which core it is.
bool csr_is_constant(const struct core *c, uint32_t number);

#endif
