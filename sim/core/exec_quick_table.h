// sim/core/exec_quick_table.h: executors for the usual case, see exec_quick.h.
#ifndef PULPSIM_EXEC_QUICK_TABLE_H
#define PULPSIM_EXEC_QUICK_TABLE_H

#include "core/exec.h"

// For one instruction of an operation, for two and four in a row, and for four whose second operand
// is the same register; NULL: none.
struct quick {
  uop_exec *one, *two, *four, *column;
};

// By operation. Of float rows, for those whose rounding mode is dynamic.
extern const struct quick quick_table[ISA_OP_COUNT];
// The same for hosts with AVX2, FMA, F16C and BMI2, where compiled for such.
extern const struct quick avx2_table[ISA_OP_COUNT];

// Executes `u` for all cases.
uop_exec exec_in_full;

#endif
