#include "sim/spin.h"

#include <string.h>

#include "cluster/actors.h"
#include "core/pipeline.h"
#include "core/pipeline_memo.h"
#include "core/step.h"
#include "isa/isa.h"
#include "sim/run_end.h"

enum { STEPS = 4096 };

static cycle_t next_look(const struct pulpsim *sim) {
  return ((cycle_t)SPIN_FIRST << sim->spin.looks) + sim->spin.tries;
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
// From *at on, which becomes a place in the loop.
static bool spins(const struct pulpsim *sim, const struct core *core, uint32_t *at) {
  struct core c = *core;
  uint32_t pc = *at, mark_pc = pc, mark[64];
  bool in_loop = c.loop[0].count > 1 || c.loop[1].count > 1;
  memcpy(mark, c.r, sizeof mark);
  for (unsigned step = 1, next = 1; step <= STEPS && !in_loop; step++) {
    if (!go_on(sim, &c, &pc))
      return false;
    if (pc == mark_pc && memcmp(mark, c.r, sizeof mark) == 0) {
      *at = pc;
      return true;
    }
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

static uint64_t stores_of(struct pulpsim *sim) {
  uint64_t stores = 0;
  for (unsigned i = 0; i < sim->core_count; i++) {
    memo_count_all(&sim->core[i]);
    stores += sim->core[i].count.event[EVENT_STORE];
  }
  return stores;
}

// One that has left ID and has not been carried out.
static bool store_under_way(const struct core *c) {
  return c->pipeline->ex.access && c->acc.kind == ACCESS_STORE;
}

enum verdict { GOES_ON, NOT_KNOWN, SPINS };

static enum verdict judge(struct pulpsim *sim) {
  struct spin *spin = &sim->spin;
  enum verdict all = SPINS;
  for (unsigned i = 0; i < sim->core_count; i++) {
    uint32_t bit = UINT32_C(1) << i, pc;
    if ((spin->seen & bit) || run_end_rests(&sim->core[i]))
      continue;
    if (!memo_next_pc(sim->core[i].pipeline, &pc)) {
      all = NOT_KNOWN;
      if (store_under_way(&sim->core[i]))
        spin->seen = 0;
      continue;
    }
    if (!spins(sim, &sim->core[i], &pc))
      return GOES_ON;
    spin->seen |= bit;
    spin->pc[i] = pc;
  }
  return all;
}

uint32_t spin_look(struct pulpsim *sim) {
  struct spin *spin = &sim->spin;
  if (sim->engine.now != next_look(sim))
    return 0;
  bool known =
      !sim->control->debugging && !others_act(&sim->engine) && !others_act(&sim->soc_engine);
  uint64_t stores = known ? stores_of(sim) : 0;
  if (spin->tries == 0) {
    spin->seen = 0;
    spin->stores = stores;
  }
  enum verdict verdict = known && stores == spin->stores ? judge(sim) : GOES_ON;
  if (verdict == NOT_KNOWN && ++spin->tries < SPIN_TRIES)
    return 0;
  spin->looks++;
  spin->tries = 0;
  return verdict == SPINS ? spin->seen : 0;
}
