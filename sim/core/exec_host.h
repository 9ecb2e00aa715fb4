// sim/core/exec_host.h: what is compiled once more for hosts with more instructions, with the same
// results.
#ifndef PULPSIM_EXEC_HOST_H
#define PULPSIM_EXEC_HOST_H

#include <stdbool.h>

#include "core/exec.h"

// AVX2, FMA, F16C and BMI2. PULPSIM_PORTABLE in the environment keeps to the instructions that
// every host has.
bool exec_host_has_avx2(void);

// Those that take their first or second operand from the instruction in front; NULL: none do.
struct forwarding {
  uop_exec *rs1, *rs2;
};

// The bare executors by operation, see exec_flavour.h.
struct bare {
  uop_exec *const *request;
  uop_finish *const *granted, *const *again;
  const struct forwarding *forwarding;
};
extern const struct bare bare_any;
extern const struct bare bare_bmi2; // NULL where it is not compiled for such hosts

#endif
