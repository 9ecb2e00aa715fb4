#include "sim/spin.h"

#include <string.h>

#include "cluster/actors.h"
#include "core/step.h"
#include "isa/isa.h"
#include "sim/settle.h"

enum { STEPS = 4096 };

static cycle_t next_look(const struct pulpsim *sim) {
  return (cycle_t)SPIN_FIRST << sim->spin_looks;
}

cycle_t spin_approach(const struct pulpsim *sim, cycle_t until) {
  cycle_t look = next_look(sim);
  return sim->engine.now < look && look < until ? look : until;
}

// ---- one core

static bool fetch(const struct pulpsim *sim, uint32_t pc, struct isa_insn *insn) {
  uint32_t word = 0;
  return pulpsim_read(sim, pc, &word, 2) && ((word & 3) != 3 || pulpsim_read(sim, pc, &word, 4)) &&
         isa_decode(sim->decoder, word, insn);
}

// Of these all that counts is in the registers.
static bool is_harmless(const struct isa_insn *insn) {
  switch (isa_ops[insn->op].cls) {
  case ISA_CLASS_ALU:
  case ISA_CLASS_MULH:
  case ISA_CLASS_DIV:
  case ISA_CLASS_LOAD:
  case ISA_CLASS_BRANCH:
  case ISA_CLASS_JAL:
  case ISA_CLASS_JALR:
  case ISA_CLASS_FENCE:
    return true;
  case ISA_CLASS_SYSTEM: // of a cluster's core a wfi does nothing
    return strcmp(isa_encs[insn->enc].mnemonic, "wfi") == 0;
  default:
    return false;
  }
}

static bool load(const struct pulpsim *sim, struct core *c, const struct isa_insn *insn,
                 uint32_t pc, const struct access *a) {
  uint32_t data = 0;
  if (a->kind != ACCESS_LOAD || !pulpsim_read(sim, a->addr, &data, a->size))
    return false;
  step_complete(c, insn, pc, data);
  return true;
}

// Goes one instruction on; false if nobody knows what that would do to others, or others to it.
static bool go_on(const struct pulpsim *sim, struct core *c, uint32_t *pc) {
  struct isa_insn insn;
  struct step_outcome out;
  if (!fetch(sim, *pc, &insn) || !is_harmless(&insn) || step_marks_region(&insn))
    return false;
  if (isa_ops[insn.op].cls != ISA_CLASS_SYSTEM) {
    step_issue(c, &insn, *pc, &out);
    if (out.kind == STEP_TRAP || (out.kind == STEP_MEMORY && !load(sim, c, &insn, *pc, &out.mem)))
      return false;
    if (out.kind == STEP_DONE && out.taken) {
      *pc = out.target;
      return true;
    }
  }
  *pc += insn.size;
  return true;
}

// The state that it is to come back to is the one in which it has made 1, 2, 4, ... steps.
static bool spins(const struct pulpsim *sim, const struct core *core) {
  struct core c = *core;
  uint32_t pc = pulpsim_pc(sim, core->index), mark_pc = pc, mark[64];
  bool in_loop = c.loop[0].count > 1 || c.loop[1].count > 1;
  memcpy(mark, c.r, sizeof mark);
  for (unsigned step = 1, next = 1; step <= STEPS && !in_loop; step++) {
    if (!go_on(sim, &c, &pc))
      return false;
    if (pc == mark_pc && memcmp(mark, c.r, sizeof mark) == 0)
      return true;
    if (step != next)
      continue;
    next *= 2;
    mark_pc = pc;
    memcpy(mark, c.r, sizeof mark);
  }
  return false;
}

// ---- the machine

static bool others_act(const struct engine *e) {
  static const unsigned arbiters[] = {ACTOR_EVENT_UNIT, ACTOR_DMA_PORTS, ACTOR_TEST_DEVICE};
  for (unsigned i = ENGINE_UNITS; i < ENGINE_CORES; i++)
    if (e->when[i] != CYCLE_NEVER)
      return true;
  for (unsigned i = 0; i < sizeof arbiters / sizeof *arbiters; i++)
    if (e->when[arbiters[i]] != CYCLE_NEVER)
      return true;
  return false;
}

uint32_t spin_look(struct pulpsim *sim) {
  uint32_t found = 0;
  if (sim->engine.now != next_look(sim))
    return 0;
  sim->spin_looks++;
  if ((sim->control && sim->control->debugging) || others_act(&sim->engine) ||
      others_act(&sim->soc_engine))
    return 0;
  for (unsigned i = 0; i < sim->core_count; i++) {
    if (settle_rests(&sim->core[i]))
      continue;
    if (!spins(sim, &sim->core[i]))
      return 0;
    found |= UINT32_C(1) << i;
  }
  return found;
}
