#include "sim/runner.h"

#include <string.h>

#include "sim/reason.h"
#include "sim/run_end.h"
#include "sim/spin.h"
#include "sim/wiring.h"

// ---- how a run ends

// `c`: who ends the run in its cycle `now`.
static void end(struct pulpsim *sim, const struct core *c, cycle_t now) {
  bool of_soc = c->engine != &sim->engine;
  sim->ender = c;
  sim->ended = machine_time(sim, c, now);
  sim->soc_ended = of_soc ? now : clocks_soc_cycle(&sim->clocks, now);
  clocks_stop(&sim->clocks);
}

void runner_end_program(struct pulpsim *sim, const struct core *c, int status, cycle_t now) {
  end(sim, c, now);
  sim->state = PULPSIM_EXITED;
  sim->exit_status = status;
}

void runner_exit(void *self, struct core *c, int status, cycle_t now) {
  runner_end_program(self, c, status, now);
}

void runner_trap(void *self, struct core *c, uint32_t pc, const char *text, cycle_t now) {
  struct pulpsim *sim = self;
  reason_keep_trap(sim, c, pc, text);
  end(sim, c, now);
  sim->state = PULPSIM_TRAPPED;
}

static void end_in_deadlock(struct pulpsim *sim, uint32_t spinning) {
  sim->failure = (struct failure){.spinning = spinning};
  memcpy(sim->failure.spin_pc, sim->spin.pc, sizeof sim->spin.pc);
  end(sim, &sim->core[0], sim->engine.now);
  sim->state = PULPSIM_DEADLOCK;
}

// ---- running

// Cycles between looks at pulpsim_interrupt(). No core runs ahead of the others beyond the end of a
// slice; of those that are watched, what lies behind the slowest one is news that can be written
// down.
enum { SLICE = 1 << 20, SLICE_WATCHED = 256 };

static cycle_t end_of_slice(const struct pulpsim *sim, cycle_t until) {
  cycle_t now = sim->engine.now, next = engine_next(&sim->engine);
  cycle_t length = SLICE;
  if (sim->control->attached && next - now < SLICE - SLICE_WATCHED) // else nobody acts for long
    length = next - now + SLICE_WATCHED;
  return until - now > length ? now + length : until;
}

static void run_part(struct pulpsim *sim, cycle_t until, bool whole) {
  while (sim->state == PULPSIM_READY && sim->engine.now < until && !sim->rollbacks.due) {
    if (!clocks_run(&sim->clocks, end_of_slice(sim, spin_approach(sim, until))) &&
        sim->state == PULPSIM_READY)
      end_in_deadlock(sim, 0);
    uint32_t spinning = sim->state == PULPSIM_READY ? spin_look(sim) : 0;
    if (spinning)
      end_in_deadlock(sim, spinning);
    if (sim->state != PULPSIM_READY)
      wiring_flush(sim);
    if (sim->interrupted && sim->state == PULPSIM_READY && !whole) {
      sim->interrupted = false;
      sim->state = PULPSIM_BREAK;
    }
  }
}

void runner_run_on(struct pulpsim *sim, cycle_t until, bool whole) {
  while (sim->state == PULPSIM_READY && sim->engine.now < until) {
    run_part(sim, rollback_approach(sim, until), whole);
    rollback_run(sim);
  }
}

static bool resume(struct pulpsim *sim) {
  if (sim->state != PULPSIM_READY && sim->state != PULPSIM_BREAK)
    return false;
  sim->state = PULPSIM_READY;
  *sim->reason = 0;
  sim->start.begun = true;
  control_resume(sim);
  return true;
}

enum pulpsim_state pulpsim_run(struct pulpsim *sim, uint64_t until) {
  if (resume(sim)) {
    run_end_leave(sim);
    runner_run_on(sim, until, false);
    run_end_find(sim);
    reason_explain(sim);
  }
  return sim->state;
}

enum pulpsim_state pulpsim_run_exactly(struct pulpsim *sim, uint64_t until) {
  if (resume(sim)) {
    run_end_approach(sim, until);
    runner_run_on(sim, until, false);
    run_end_find(sim);
    reason_explain(sim);
  }
  return sim->state;
}

void pulpsim_interrupt(struct pulpsim *sim) {
  sim->interrupted = true;
}
