// sim/host_calls.h: what a program asks of its host.
#ifndef PULPSIM_HOST_CALLS_H
#define PULPSIM_HOST_CALLS_H

#include "sim/machine.h"

// Call `number` of core `c`, with three arguments. Returns its result, or -errno. An exit ends the
// program there.
uint32_t host_call(struct pulpsim *sim, struct core *c, uint32_t number, const uint32_t *argument);

#endif
