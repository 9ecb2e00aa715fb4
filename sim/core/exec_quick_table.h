// sim/core/exec_quick_table.h: executors for the usual case, see exec_quick.h.
#ifndef PULPSIM_EXEC_QUICK_TABLE_H
#define PULPSIM_EXEC_QUICK_TABLE_H

#include "core/exec.h"

// By operation; NULL: there is none. Of float rows, for those whose rounding mode is dynamic.
extern uop_exec *const quick_table[ISA_OP_COUNT];
// The same for hosts with AVX2, FMA, F16C and BMI2, where compiled for such.
extern uop_exec *const avx2_table[ISA_OP_COUNT];

// Executes `u` for all cases.
uop_exec exec_in_full;

#endif
