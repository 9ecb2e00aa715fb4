// sim/core/loop_rules.h: what the manuals ask of hardware loops.
//
// CV32E40P user manual v1.8, "CORE-V Hardware Loop": bounds are word aligned; a body has at least
// three instructions, none compressed, none that jumps, branches or traps; the outer loop ends at
// least two instructions behind the inner one; loop registers are not written in the loop's own
// body. RI5CY user manual rev. 4, chapter 6: at least two instructions. Programs that break these
// rules run as the hardware runs them; with `core.strict` they are stopped and told.
#ifndef PULPSIM_LOOP_RULES_H
#define PULPSIM_LOOP_RULES_H

#include "core/core.h"

// Which rule the loops break now that the instruction at `pc` has written registers of loop `loop`,
// as half a sentence; NULL: none.
const char *loop_misuse(struct core *c, unsigned loop, uint32_t pc);

#endif
