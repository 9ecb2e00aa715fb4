// sim/core/core_group.h: the cores of a machine, stepped together: requests for different banks of
// the TCDM are granted in one pass, and those for one bank are decided there, if only cores make
// them.
#ifndef PULPSIM_CORE_GROUP_H
#define PULPSIM_CORE_GROUP_H

#include "core/core.h"

struct core_group {
  struct core *core; // array; core[i].actor == ENGINE_CORES + i
  unsigned count;
  struct core *member[ENGINE_ARBITERS - ENGINE_CORES]; // pointers to them
  struct engine *engine;
  struct core_banks *banks; // NULL: each core has its own data memory
};

// Registers the cores with their engine and memory, once all their members are set.
void core_group_attach(struct core_group *g);

#endif
