#include "sim/run_end.h"

#include "core/pipeline.h"
#include "engine/limit.h"
#include "sim/runner.h"

// The plain engine computes so many last cycles: at first, and at most. A core comes to it at the
// next taken branch or jump; if it finds none in time, it is given more.
// FAILS_BEHIND: by so much a failure may come later there.
enum { PLAIN_CYCLES = LIMIT(1024, 256), PLAIN_MOST = 1 << 30, FAILS_BEHIND = 1 << 20 };

static bool has_appointment(const struct core *c) {
  return c->ahead.promised || c->engine->when[c->actor] != CYCLE_NEVER ||
         c->engine->when[c->edge_actor] != CYCLE_NEVER;
}

static bool sleeps(const struct core *c) {
  const struct pipeline *p = c->pipeline;
  if (has_appointment(c))
    return false;
  if (c->phase == CORE_RUNS && p->ctrl.state == CTRL_SLEEP)
    return true;
  return c->acc.kind == ACCESS_ELW && c->phase == CORE_RUNS && p->data_posted;
}

bool run_end_rests(const struct core *c) {
  return c->phase == CORE_IDLE || c->phase == CORE_HALTED || sleeps(c);
}

// So many cycles of core `c` have been counted, or are foreseen.
static cycle_t counted(const struct core *c) {
  return c->active ? c->pipeline->last_edge + 1 : c->t;
}

// Whether core `c` has nothing to do in cycle `cycles`, and has counted no more than those before.
static bool rests(const struct core *c, cycle_t cycles) {
  return c->phase == CORE_IDLE || ((c->phase == CORE_HALTED || sleeps(c)) && counted(c) <= cycles);
}

static bool is_plain(const struct core *c) {
  return c->phase == CORE_RUNS && !c->pipeline->walk.memo;
}

bool run_end_in_step(const struct pulpsim *sim, cycle_t cycles) {
  for (unsigned i = 0; i < sim->core_count; i++) {
    const struct core *c = &sim->core[i];
    cycle_t own = machine_core_time(sim, c, cycles);
    if (!rests(c, own) && !(is_plain(c) && counted(c) <= own))
      return false;
  }
  return true;
}

// Whether only the core that has ended the run had anything to do in its last cycle.
static bool ended_alone(const struct pulpsim *sim) {
  for (unsigned i = 0; i < sim->core_count; i++) {
    const struct core *c = &sim->core[i];
    cycle_t own = machine_core_time(sim, c, sim->ended);
    if (c == sim->ender ? counted(c) > own : !rests(c, own))
      return false;
  }
  return true;
}

// ---- once more

static void say_nothing(void *user, int fd, const char *bytes, size_t count) {
  (void)user;
  (void)fd;
  (void)bytes;
  (void)count;
}

// Up to and including cycle `until`, or to the end: so many cycles in front of `end` the plain
// engine takes over.
static void start_over(struct pulpsim *sim, cycle_t until, cycle_t end, cycle_t cycles) {
  machine_start_over(sim, cycles >= end);
  if (cycles < end) {
    runner_run_on(sim, end - cycles, true);
    machine_compute(sim, true);
  }
  runner_run_on(sim, until, true);
}

static void repeat(struct pulpsim *sim, cycle_t until, cycle_t end) {
  pulpsim_output *output = sim->output;
  struct tap_hub hub;
  sim->output = say_nothing;
  control_mute(sim->control, &hub);
  cycle_t cycles = PLAIN_CYCLES;
  start_over(sim, until, end, cycles);
  while (!run_end_in_step(sim, end) && cycles < end && cycles < PLAIN_MOST)
    start_over(sim, until, end, cycles *= 4);
  control_unmute(sim->control, &hub);
  sim->output = output;
}

// ---- behind a run, and in front of it

struct end {
  enum pulpsim_state state;
  int status;
  cycle_t ended, soc_ended;
  const struct core *ender;
  struct failure failure;
};

static struct end end_of(const struct pulpsim *sim) {
  return (struct end){sim->state,     sim->exit_status, sim->ended,
                      sim->soc_ended, sim->ender,       sim->failure};
}

static void put_end(struct pulpsim *sim, const struct end *end) {
  sim->state = end->state;
  sim->exit_status = end->status;
  sim->ended = end->ended;
  sim->soc_ended = end->soc_ended;
  sim->ender = end->ender;
  sim->failure = end->failure;
}

// Of a run that fails the plain engine knows better in which cycle, and where each core is. It
// looks at cores that spin in other cycles: if it has found nothing by then, what was found holds.
static void end_failed(struct pulpsim *sim) {
  if (sim->start.plain)
    return;
  const struct end end = end_of(sim);
  repeat(sim, end.ended + FAILS_BEHIND, end.ended);
  if (sim->state == PULPSIM_READY)
    put_end(sim, &end);
}

// What is counted when a run ends are the cycles in front of that: of cores that were in the middle
// of something some may have been clocked in its last cycle, and some not.
static void end_exited(struct pulpsim *sim) {
  if (ended_alone(sim) || sim->ended == 0)
    return;
  const struct end end = end_of(sim);
  repeat(sim, end.ended - 1, end.ended);
  put_end(sim, &end);
}

void run_end_find(struct pulpsim *sim) {
  if (!sim->elf || sim->start.lost || sim->control->debugging)
    return;
  switch (sim->state) {
  case PULPSIM_READY:
    if (sim->plain_end && !run_end_in_step(sim, sim->engine.now + 1))
      repeat(sim, sim->engine.now, sim->engine.now + 1);
    break;
  case PULPSIM_EXITED:
    end_exited(sim);
    break;
  case PULPSIM_TRAPPED:
  case PULPSIM_DEADLOCK:
    end_failed(sim);
    end_exited(sim);
    break;
  default:
    break;
  }
}

void run_end_approach(struct pulpsim *sim, cycle_t until) {
  run_end_leave(sim);
  if (sim->start.plain)
    return;
  if (until > PLAIN_CYCLES)
    runner_run_on(sim, until - PLAIN_CYCLES, false);
  if (sim->state != PULPSIM_READY)
    return;
  machine_compute(sim, true);
  sim->plain_end = true;
}

void run_end_leave(struct pulpsim *sim) {
  if (sim->plain_end)
    machine_compute(sim, false);
  sim->plain_end = false;
}
