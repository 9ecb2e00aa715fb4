// sim/core/core_group_parts.h: what the files of the group of cores share.
#ifndef PULPSIM_CORE_GROUP_PARTS_H
#define PULPSIM_CORE_GROUP_PARTS_H

#include "core/core_group.h"

// The core's group has asked for it in vain: it waits from the cycle on in which it asked first.
static inline void core_group_lose(struct core *c) {
  c->acc.since = c->t;
  c->acc.split = false;
  c->phase = CORE_WAIT;
}

// Steps cores of one TCDM. The second is NULL where it is not compiled for such hosts.
engine_group_step core_group_step_any;
extern engine_group_step *const core_group_bmi2;

#endif
