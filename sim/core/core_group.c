#include "core/core_group.h"

#include "core/exec_host.h"

#define CORE_GROUP_STEP core_group_step_any
#include "core/core_group_step.h"

// Each core has its own data memory.
static void step_separate(void *self, cycle_t now) {
  const struct core_group *g = self;
  step_others(self, now, is_one(g->engine->others[now % ENGINE_WHEEL] & g->engine->group));
}

static void granted(void *self, uint32_t ports, cycle_t now) {
  (void)ports;
  core_served(self, now);
}

static engine_group_step *step_by_tcdm(void) {
  return exec_host_has_avx2() && core_group_bmi2 ? core_group_bmi2 : core_group_step_any;
}

void core_group_attach(struct core_group *g) {
  uint64_t actors = 0;
  for (unsigned i = 0; i < g->count; i++) {
    actors |= UINT64_C(1) << g->core[i].actor;
    g->member[i] = &g->core[i];
    if (g->tcdm)
      tcdm_attach(g->tcdm, UINT32_C(1) << i, granted, &g->core[i]);
  }
  engine_set_group(g->engine, actors, g->tcdm ? step_by_tcdm() : step_separate, g);
}
