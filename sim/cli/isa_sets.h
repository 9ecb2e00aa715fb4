// sim/cli/isa_sets.h: instruction sets by name, for the commands that look at instructions.
#ifndef PULPSIM_ISA_SETS_H
#define PULPSIM_ISA_SETS_H

#include <stdbool.h>
#include <stdint.h>

// What every machine has: RV32IMFC, Zicsr, Zifencei, privileged returns.
uint32_t isa_sets_base(void);

// Adds the set called `name` ("xpulpv2"); false if there is none.
bool isa_sets_add(uint32_t *sets, const char *name);

#endif
