// sim/core/exec_quick_table.h: executors for the usual case, see exec_quick.h.
#ifndef PULPSIM_EXEC_QUICK_TABLE_H
#define PULPSIM_EXEC_QUICK_TABLE_H

#include "core/exec.h"

// By operation; NULL: none. Of float rows, for those whose rounding mode is dynamic.
extern uop_exec *const quick_table[UOP_OP_COUNT];
// The same for hosts with AVX2, FMA and BMI2, where compiled for such.
extern uop_exec *const avx2_table[UOP_OP_COUNT];

// The quick executor of `u` on this host; NULL: none.
uop_exec *exec_quick_function(const struct uop *u);

// Executes `u` the bare executor's way.
uop_exec exec_in_full;

#endif
