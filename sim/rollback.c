#include "sim/rollback.h"

#include "sim/run_end.h"
#include "sim/runner.h"

// The plain engine takes over so many cycles before, at first. See run_end.c.
enum { LEAD = 256 };

void rollback_ask(struct pulpsim *sim, cycle_t now) {
  struct rollbacks *s = &sim->rollbacks;
  if (sim->start.plain || s->always || sim->control->attached || !sim->elf ||
      run_end_in_step(sim, now))
    return;
  s->due = true;
  s->at = now;
  clocks_stop(&sim->clocks);
}

cycle_t rollback_approach(struct pulpsim *sim, cycle_t until) {
  const struct rollbacks *s = &sim->rollbacks;
  cycle_t now = sim->engine.now;
  bool plain = s->always;
  for (unsigned i = 0; i < s->count; i++) {
    cycle_t at = s->known[i].at, from = at > s->known[i].lead ? at - s->known[i].lead : 0;
    cycle_t change = now < from ? from : at;
    plain |= now >= from && now < at;
    if (now < at && change < until)
      until = change;
  }
  machine_compute_part(sim, plain);
  return until;
}

// One that is known has come nevertheless where some core has not come to the plain engine in time.
static void learn(struct rollbacks *s) {
  for (unsigned i = 0; i < s->count; i++)
    if (s->known[i].at == s->at) {
      s->known[i].lead *= 4;
      return;
    }
  if (s->count == ROLLBACKS)
    s->always = true;
  else
    s->known[s->count++] = (struct rollback){s->at, LEAD};
}

void rollback_run(struct pulpsim *sim) {
  struct rollbacks *s = &sim->rollbacks;
  if (!s->due)
    return;
  bool computes = sim->computes;
  cycle_t at = s->at;
  s->due = false;
  if (sim->start.lost) {
    s->always = true;
    return;
  }
  learn(s);
  s->unheard = sim->printed;
  machine_start_over(sim, s->always);
  runner_run_on(sim, at, true);
  machine_compute(sim, computes);
}
