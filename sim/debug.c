// The part of pulpsim.h that a debugger needs: special registers, the program counter, sleep.
#include <stdio.h>

#include "core/csr.h"
#include "core/pipeline.h"
#include "sim/machine.h"

static struct core *core_of(const struct pulpsim *sim, unsigned core) {
  return core < sim->core_count ? (struct core *)&sim->core[core] : NULL;
}

bool pulpsim_csr(struct pulpsim *sim, unsigned core, unsigned number, uint32_t *value) {
  struct core *c = core_of(sim, core);
  return c && csr_read(c, number, c->t, value);
}

bool pulpsim_set_csr(struct pulpsim *sim, unsigned core, unsigned number, uint32_t value) {
  struct core *c = core_of(sim, core);
  uint32_t before;
  bool read_only = c && c->model == CORE_CV32E40P && number >> 10 == 3;
  if (!c || read_only || !csr_read(c, number, c->t, &before))
    return false;
  csr_write(c, number, value, c->t);
  start_record_change(&sim->start);
  return true;
}

bool pulpsim_hwloop(const struct pulpsim *sim, unsigned core, unsigned index, uint32_t *value) {
  const struct core *c = core_of(sim, core);
  if (!c || index >= 6)
    return false;
  const struct hwloop *l = &c->loop[index / 3];
  uint32_t end = c->corev && l->last ? l->last + 4 : l->last;
  *value = index % 3 == 0 ? l->start : index % 3 == 1 ? end : l->count;
  return true;
}

bool pulpsim_float_registers(const struct pulpsim *sim) {
  return sim->config.core_fpu_present && !sim->config.core_zfinx;
}

bool pulpsim_set_pc(struct pulpsim *sim, unsigned core, uint32_t pc) {
  struct core *c = core_of(sim, core);
  if (!c || (pc & 1) || c->phase != CORE_RUNS || !pipeline_move(c->pipeline, pc))
    return false;
  start_record_change(&sim->start);
  engine_cancel(c->engine, c->edge_actor);
  engine_move(c->engine, c->actor, c->pipeline->last_edge + 1);
  return true;
}

const char *pulpsim_waits(const struct pulpsim *sim, unsigned core) {
  const struct core *c = core_of(sim, core);
  if (!c)
    return "no such core";
  switch (c->phase) {
  case CORE_IDLE:
    return "not started";
  case CORE_HALTED:
    return "halted";
  default:
    return NULL;
  }
}

uint64_t pulpsim_retired(const struct pulpsim *sim, unsigned core) {
  return core < sim->core_count ? sim->control->tap[core].retired : 0;
}

uint64_t pulpsim_core_cycle(const struct pulpsim *sim, unsigned core) {
  const struct core *c = core_of(sim, core);
  return c ? machine_time(sim, c, c->active ? c->pipeline->last_edge : c->t) : 0;
}

unsigned pulpsim_l1(const struct pulpsim *sim, uint32_t *base, uint32_t *size) {
  if (!sim->core[0].banks)
    return 0;
  *base = sim->memory[0].base;
  *size = sim->memory[0].size;
  return sim->tcdm.banks;
}
