// sim/runner.h: runs a machine, and ends the run. (Most of it is in pulpsim.h.)
#ifndef PULPSIM_RUNNER_H
#define PULPSIM_RUNNER_H

#include "sim/machine.h"

// Core `c` ends the program in its cycle `now`.
void runner_end_program(struct pulpsim *sim, const struct core *c, int status, cycle_t now);

// What struct core_host says of `exit` and `trap`; `self` is the machine.
void runner_exit(void *self, struct core *c, int status, cycle_t now);
void runner_trap(void *self, struct core *c, uint32_t pc, const char *text, cycle_t now);

// Runs on up to and including cycle `until`, or to the end. `whole`: nothing but the end of the
// program stops it before.
void runner_run_on(struct pulpsim *sim, cycle_t until, bool whole);

#endif
