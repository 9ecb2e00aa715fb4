#include "sim/runner.h"

#include <stdio.h>
#include <string.h>

#include "core/pipeline.h"
#include "sim/settle.h"
#include "sim/wiring.h"
#include "soc/platform.h"

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

static void place_text(const struct pulpsim *sim, uint32_t pc, char *text, size_t size) {
  uint32_t offset;
  const char *name = pulpsim_symbol_at(sim, pc, &offset);
  if (name)
    snprintf(text, size, "0x%08x (%s+0x%x)", pc, name, offset);
  else
    snprintf(text, size, "0x%08x", pc);
}

void runner_trap(void *self, struct core *c, uint32_t pc, const char *text, cycle_t now) {
  struct pulpsim *sim = self;
  char place[160], access[64] = "";
  place_text(sim, pc, place, sizeof place);
  if (strstr(text, "load") || strstr(text, "store"))
    snprintf(access, sizeof access, ": address 0x%08x", c->acc.addr);
  end(sim, c, now);
  snprintf(sim->reason, sizeof sim->reason, "core %u, pc %s: %s%s in cycle %llu", c->index, place,
           text, access, (unsigned long long)sim->ended);
  sim->state = PULPSIM_TRAPPED;
}

static const char *sleep_text(const struct core *c) {
  bool wfi = c->phase == CORE_CLOCKED && c->pipeline->ctrl.state == CTRL_SLEEP;
  switch (c->phase) {
  case CORE_WAIT:
  case CORE_CLOCKED:
    if (wfi)
      return "sleeps in wfi";
    return c->acc.kind == ACCESS_ELW ? "sleeps on an event" : "waits for memory";
  case CORE_HALTED:
    return "halted";
  default:
    return "never started";
  }
}

static uint32_t sleep_pc(const struct pulpsim *sim, unsigned core) {
  const struct core *c = &sim->core[core];
  bool in_ex = c->phase == CORE_CLOCKED && c->pipeline->ctrl.state != CTRL_SLEEP;
  return in_ex ? memo_pc_in_ex(c->pipeline) : pulpsim_pc(sim, core);
}

static void report_deadlock(struct pulpsim *sim) {
  const char *why = sim->platform ? mchan_stuck(&sim->platform->dma) : NULL;
  size_t n = (size_t)snprintf(sim->reason, sizeof sim->reason, "deadlock in cycle %llu: %s",
                              (unsigned long long)sim->engine.now,
                              why ? why : "nothing can wake any core");
  for (unsigned i = 0; i < sim->core_count && n < sizeof sim->reason; i++) {
    char place[160];
    place_text(sim, sleep_pc(sim, i), place, sizeof place);
    n += (size_t)snprintf(sim->reason + n, sizeof sim->reason - n, "; core %u %s at %s", i,
                          sleep_text(&sim->core[i]), place);
  }
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
  if (sim->control && next - now < SLICE - SLICE_WATCHED) // else nobody acts for long
    length = next - now + SLICE_WATCHED;
  return until - now > length ? now + length : until;
}

static void run_part(struct pulpsim *sim, cycle_t until, bool whole) {
  while (sim->state == PULPSIM_READY && sim->engine.now < until && !sim->surprises.due) {
    if (!clocks_run(&sim->clocks, end_of_slice(sim, until)) && sim->state == PULPSIM_READY)
      report_deadlock(sim);
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
    run_part(sim, surprise_approach(sim, until), whole);
    surprise_settle(sim);
  }
}

static bool resume(struct pulpsim *sim) {
  if (sim->state != PULPSIM_READY && sim->state != PULPSIM_BREAK)
    return false;
  sim->state = PULPSIM_READY;
  sim->start.begun = true;
  control_resume(sim);
  return true;
}

enum pulpsim_state pulpsim_run(struct pulpsim *sim, uint64_t until) {
  if (resume(sim)) {
    settle_leave(sim);
    runner_run_on(sim, until, false);
    settle(sim);
  }
  return sim->state;
}

enum pulpsim_state pulpsim_run_exactly(struct pulpsim *sim, uint64_t until) {
  if (resume(sim)) {
    settle_approach(sim, until);
    runner_run_on(sim, until, false);
    settle(sim);
  }
  return sim->state;
}

void pulpsim_interrupt(struct pulpsim *sim) {
  sim->interrupted = true;
}
