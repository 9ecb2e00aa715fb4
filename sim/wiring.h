// sim/wiring.h: the units around the cores, and which of their pins meet.
#ifndef PULPSIM_WIRING_H
#define PULPSIM_WIRING_H

#include "core/pipeline.h"
#include "sim/machine.h"

// Creates the units of sim/cluster and sim/soc that the configuration asks for and connects the
// cores' buses to them. Returns false when out of memory.
bool wire(struct pulpsim *sim);
void unwire(struct pulpsim *sim);

// Prints lines that cores have begun and not ended.
void wiring_flush(struct pulpsim *sim);

// Where the cycle model's cores fetch from when there is an instruction cache; `self` is the
// machine.
struct pipeline;
enum fetch_grant wiring_fetch(void *self, struct pipeline *p, uint32_t address, cycle_t now);
// Core `c` (NULL: somebody else) has written where code is (core_host); `self` is the machine.
void wiring_code_written(void *self, const struct core *c, uint32_t address, uint32_t size);

#endif
